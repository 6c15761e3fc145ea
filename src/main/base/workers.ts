/** The built (or .ts, under Node) entries of the workers a terminal starts. */
export interface WorkerUrls {
  readonly store: URL
  readonly reader: URL
  readonly simulator: URL
}
