/** Where the browser tests find Chromium: `$CHROMIUM`, or the package of the distribution. */
import { existsSync } from 'node:fs'

/** The program. */
export const CHROMIUM: string = process.env.CHROMIUM || '/usr/bin/chromium'

/** Whether it is there. */
export const hasChromium: boolean = existsSync(CHROMIUM)
