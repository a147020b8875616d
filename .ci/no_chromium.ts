/** Setup file of the browser tests where there is no Chromium: each of them fails, saying how to get it. */
import { CHROMIUM } from './chromium.ts'

throw new Error(
  `The browser tests need Chromium, and ${CHROMIUM} does not exist. ` +
    'Install the package (Debian: apt-get install chromium), or set CHROMIUM to the path of the program.',
)
