/** Building blocks of call and stream tables, including schemas that several tables share. */
import * as v from 'valibot'
import { finite, text } from '../base/schemas.ts'

export const ms = finite
export const limit = (max: number) => v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(max))
/** A view: `live`, or the id of a replay (docs/architecture.md#views). */
export const view = v.union([v.literal('live'), text(64)])
export const none = v.strictObject({})

export interface Spec<A, R> {
  readonly args: v.GenericSchema<unknown, A>
  /** Carries only the result type. Never present at run time. */
  readonly result?: R
}
/** A call or stream: `call<Result>()(schema of its arguments)`. */
export const call =
  <R>() =>
  <A>(args: v.GenericSchema<unknown, A>): Spec<A, R> => ({ args })

/** A feature's calls or streams by name. */
export type Table = Readonly<Record<string, Spec<unknown, unknown>>>
/** The arguments of a call or stream, checked. */
export type ArgsOf<S> = S extends Spec<infer A, unknown> ? A : never
/** The result of a call, or a value of a stream. */
export type ValueOf<S> = S extends { readonly result?: infer R } ? Exclude<R, undefined> : never
