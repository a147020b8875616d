/** The check that ends work once its call is aborted. */
import { FilewrightError } from './errors.ts'

/** Throws `canceled` once the signal came. */
export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new FilewrightError('canceled', 'The call was canceled.')
}
