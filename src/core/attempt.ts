/** An error as a value, where one failure of many must not end the others. */
import { FilewrightError } from './errors.ts'

/** A value, or the error of the product that was thrown instead. Other errors are thrown on. */
export function attempt<T>(action: () => T): T | FilewrightError {
  try {
    return action()
  } catch (error) {
    if (error instanceof FilewrightError) return error
    throw error
  }
}
