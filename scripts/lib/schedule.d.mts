/** Types of schedule.mjs, for its tests. */
export interface Scheduled {
  readonly id: string
  readonly background?: 'low' | 'normal'
  readonly alone?: true
  readonly after?: string
}
export function schedule<C extends Scheduled, R>(checks: readonly C[], run: (check: C) => Promise<R>): Promise<R[]>
