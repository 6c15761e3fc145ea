/** Entry points of the workers that a terminal starts: built files, or .ts files under Node. */
export interface WorkerUrls {
  /** Undefined: the store is written in the thread of the terminal. */
  readonly store: URL | undefined
  /** Undefined: the store is read in the thread of the terminal. */
  readonly reader: URL | undefined
  /** Undefined: files are read for imports in the thread of the terminal. */
  readonly imports: URL | undefined
  readonly simulator: URL
}
