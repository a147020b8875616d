/** The text algorithms on Node. */
import { portableSuite } from './portable.ts'

portableSuite(true)
