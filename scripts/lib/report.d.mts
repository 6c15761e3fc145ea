/** Types of report.mjs, for its tests. */
export interface Machine {
  readonly ci: boolean
  readonly unable: ReadonlySet<string>
}
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly lacking: readonly string[]
  readonly unable: readonly string[]
  readonly flaky: readonly string[]
  readonly failures: readonly string[]
}
export const UNABLE: number
/** Debian’s packages of what tests need. */
export const DEBIAN: Readonly<Record<string, string>>
export function machineOf(env?: Readonly<Record<string, string | undefined>>, platform?: string): Machine
export function notRun(name: string, needs: readonly string[], why: string, machine: Machine): Counts
export function lackingLines(lacking: readonly string[]): readonly string[]
export function sumOf(all: readonly Counts[]): Counts
export function counted(report: unknown, machine: Machine): Counts | undefined
export function outcomeOf(
  check: { readonly id: string; readonly title: string; readonly report?: string },
  run: { readonly code: number; readonly report?: unknown; readonly tail?: string },
  machine: Machine,
): Counts
