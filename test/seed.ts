/** Property tests draw the same cases in every run, unless `FILEWRIGHT_SEED` is another number: a red run can be run again. */
import fc from 'fast-check'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(globalThis.process?.env?.FILEWRIGHT_SEED ?? 1) })
