/** Types of checks.mjs, for its tests. */
import type { Scheduled } from './schedule.mjs'

type Check = Scheduled & { readonly commands: readonly (readonly string[])[] }

export const CHECKS: readonly Check[]
export function testChecks(isAhead: boolean): readonly Check[]
export function restChecks(ran: ReadonlySet<string>): readonly Check[]
