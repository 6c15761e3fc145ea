/** Types of changed.mjs, for its test. */
export interface Plan {
  readonly lint: readonly string[]
  readonly format: readonly string[]
  readonly types: boolean
  readonly related: readonly string[]
  readonly tests: readonly string[]
  readonly stories: readonly string[]
}
interface Check {
  readonly id: string
  readonly title: string
  readonly commands: readonly (readonly string[])[]
}
export function planChanged(files: readonly string[], isThere?: (file: string) => boolean): Plan
export function narrowChecks(checks: readonly Check[], plan: Plan): readonly Check[]
