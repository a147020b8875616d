/** The text algorithms on the edge runtime, which compiles no WebAssembly at run time. */
import { portableSuite } from './portable.ts'

portableSuite(false)
