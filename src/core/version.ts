/** The version that every surface tells; a test holds it equal to package.json. */
export const VERSION: string = '0.1.0'
