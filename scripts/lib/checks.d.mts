/** Types of checks.mjs, for its tests. */
import type { Scheduled } from './schedule.mjs'

export const CHECKS: readonly (Scheduled & { readonly commands: readonly (readonly string[])[] })[]
