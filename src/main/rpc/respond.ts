/** How a feature handles its calls and streams: one handler per row of its contract. */
import type { GenericSchema } from 'valibot'
import type { ArgsOf, Table, ValueOf } from '../../shared/rpc/contract.ts'
import type { StreamSource } from '../../shared/rpc/transport.ts'

/** One call or stream with the feature's handler. The dispatcher validates the arguments first. */
export interface Responder {
  readonly kind: 'call' | 'stream'
  readonly name: string
  readonly args: GenericSchema
  /** `wake` notifies the carrier that a stream has something new; calls ignore it. */
  readonly run: (args: unknown, wake: () => void) => unknown
}

/** What a call's handler may return: nothing at all, if its result is `null`. */
type Returned<S> = ValueOf<S> extends null ? void | null : ValueOf<S>

/** Handles the calls of a table. A missing, misspelled or extra handler does not compile. */
export function respond<const T extends Table>(
  table: T,
  handlers: { readonly [K in keyof T]: (args: ArgsOf<T[K]>) => Returned<T[K]> | Promise<Returned<T[K]>> },
): readonly Responder[] {
  return respondersOf('call', table, handlers)
}

/** Handles the streams of a table. The first `take` after opening returns the complete state. */
export function stream<const T extends Table>(
  table: T,
  openers: { readonly [K in keyof T]: (args: ArgsOf<T[K]>, wake: () => void) => StreamSource<ValueOf<T[K]>> },
): readonly Responder[] {
  return respondersOf('stream', table, openers)
}

function respondersOf(kind: Responder['kind'], table: Table, handlers: object): readonly Responder[] {
  const byName = new Map(Object.entries(handlers))
  return Object.entries(table).map(([name, { args }]) => {
    // `respond` and `stream` pair each schema with its handler, but TypeScript loses that in a loop over names.
    const run = byName.get(name) as Responder['run']
    return { kind, name, args, run }
  })
}
