/** Types of report.mjs, for its tests. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly flaky: readonly string[]
  readonly failures: readonly string[]
}
export function counted(report: unknown): Counts | undefined
export function unfinishedFiles(report: object): string[]
export function together(first: object, second: object): Counts
