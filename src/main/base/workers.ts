/** Entry points of the workers that a terminal starts: built files, or .ts files under Node. */
export interface WorkerUrls {
  readonly store: URL
  readonly reader: URL
  readonly simulator: URL
}
