/** The operating system's errors, read as every storage reads them that gets such errors. */
export { attempt, errnoOf, failureAt, unless } from '../../core/errno.ts'
