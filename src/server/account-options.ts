/** What an account of a server is made of. Free of Node, because windows know the options of simulators by their types. */

/** How a feed outside the plan is refused; the service documents none. */
export const PLAN_REFUSALS = ['close', 'error', 'silence'] as const
export type PlanRefusal = (typeof PLAN_REFUSALS)[number]

export interface AccountOptions {
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly apiKey?: string | undefined
  readonly plan?: string | undefined
  readonly planRefusal?: PlanRefusal | undefined
  readonly tokenLifetimeMs?: number | undefined
}
