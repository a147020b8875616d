/** The text algorithms in a browser, which has no Buffer. */
import { portableSuite } from './portable.ts'

portableSuite(true)
