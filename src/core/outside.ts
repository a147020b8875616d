/** Files beyond the workspace, where the operator lets them be read. */

/** A file as it was when it was read. */
export interface OutsideFile {
  /** Its real path, in the notation of the host. */
  readonly path: string
  readonly bytes: Uint8Array
}

/** Reads any file of the machine that the process may read. A capability of the host, which nothing that runs at the edge has. */
export interface OutsideReader {
  /**
   * Reads a regular file, links followed. A relative path starts at the folder `base`; `~/` at its beginning is the home folder. Throws
   * `not_found`, `is_directory`, `not_regular` (without opening it), `permission_denied`, and `too_large` for more than `maxBytes`. The
   * messages name `given`.
   */
  read(given: string, options: { readonly base: string; readonly maxBytes: number }): Promise<OutsideFile>
}
