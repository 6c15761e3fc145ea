/**
 * Dispatches a call or stream by name: the only place where arguments are validated and errors become envelopes.
 * Independent of the host; carriers call it.
 */
import * as v from 'valibot'
import { toFailure, type Failure, type Result } from '../../shared/base/errors.ts'
import type { StreamSource } from '../../shared/rpc/transport.ts'
import type { Responder } from './respond.ts'

/** Every call and stream of a terminal, by name. */
export interface Handlers {
  readonly calls: ReadonlyMap<string, Responder>
  readonly streams: ReadonlyMap<string, Responder>
  /** Called with every `internal` failure and its detail, for the log. */
  readonly onInternal?: (name: string, failure: Failure) => void
}

/** Indexes responders by name. Throws if two features handle the same call or stream. */
export function handlersOf(responders: readonly Responder[], onInternal?: Handlers['onInternal']): Handlers {
  const calls = new Map<string, Responder>()
  const streams = new Map<string, Responder>()
  for (const one of responders) {
    const byName = one.kind === 'call' ? calls : streams
    if (byName.has(one.name)) throw new Error(`Two features handle the ${one.kind} ${one.name}.`)
    byName.set(one.name, one)
  }
  return { calls, streams, ...(onInternal === undefined ? {} : { onInternal }) }
}

/** Largest text of one frame from a window, in UTF-16 units. The largest legitimate one is a watchlist import. */
export const MAX_FRAME_CHARS = 1_000_000

const MAX_DEPTH = 12
const MAX_NODES = 50_000

/**
 * Whether a value is plain data of a reasonable size: no functions or exotic objects, at most 12 levels deep, 50,000
 * values (including empty slots of arrays) and 1,000,000 characters. Structured clone allows more than JSON.
 */
export function withinLimits(value: unknown): boolean {
  let nodes = 0
  let chars = 0
  const visit = (x: unknown, depth: number): boolean => {
    nodes += 1
    if (nodes > MAX_NODES || depth > MAX_DEPTH) return false
    switch (typeof x) {
      case 'string':
        chars += x.length
        return chars <= MAX_FRAME_CHARS
      case 'number':
      case 'boolean':
      case 'undefined':
        return true
      case 'object': {
        if (x === null) return true
        if (Array.isArray(x)) {
          // A sparse array may have billions of empty slots: check its length before visiting it.
          if (nodes + x.length > MAX_NODES) return false
          return x.every((item) => visit(item, depth + 1))
        }
        const proto: unknown = Object.getPrototypeOf(x)
        if (proto !== Object.prototype && proto !== null) return false
        for (const key of Object.keys(x)) {
          chars += key.length
          if (!visit((x as Record<string, unknown>)[key], depth + 1)) return false // own key of a plain object
        }
        return chars <= MAX_FRAME_CHARS
      }
      default:
        return false
    }
  }
  return visit(value, 0)
}

function describe(issues: readonly v.BaseIssue<unknown>[]): string {
  const [first] = issues
  if (!first) return 'doesn’t match the contract'
  const path = v.getDotPath(first)
  // Issues quote the argument, so limit their length.
  const text = first.message.length > 160 ? `${first.message.slice(0, 160)}…` : first.message
  return path === null ? text : `${path.slice(0, 80)}: ${text}`
}

function checkArgs<A>(schema: v.GenericSchema<unknown, A>, name: string, args: unknown): Result<A> {
  const odd = {
    ok: false,
    error: { code: 'bad-arguments', message: `The arguments of ${name} are too large or aren’t plain data.` },
  } as const
  try {
    // An array passes valibot's object schemas if no key is required.
    if (Array.isArray(args) || !withinLimits(args)) return odd
    const parsed = v.safeParse(schema, args, { abortEarly: true })
    if (parsed.success) return { ok: true, value: parsed.output }
    return {
      ok: false,
      error: { code: 'bad-arguments', message: `Bad arguments of ${name}: ${describe(parsed.issues)}.` },
    }
  } catch {
    return odd // reject values that throw on access
  }
}

const ignoreWake = (): void => {}

const unknownName = (kind: string, name: unknown): Failure => ({
  code: 'unknown-call',
  message: `No ${kind} is named ${JSON.stringify((typeof name === 'string' ? name : typeof name).slice(0, 64))}.`,
})

function failed(handlers: Handlers, name: string, thrown: unknown): { readonly ok: false; readonly error: Failure } {
  const error = toFailure(thrown)
  if (error.code === 'internal') handlers.onInternal?.(name, error)
  return { ok: false, error }
}

/** Runs a call by name. Never rejects: unknown names, bad arguments and thrown errors are returned as failures. */
export async function dispatchCall(handlers: Handlers, name: unknown, args: unknown): Promise<Result<unknown>> {
  const responder = typeof name === 'string' ? handlers.calls.get(name) : undefined
  if (responder === undefined) return { ok: false, error: unknownName('call', name) }
  const checked = checkArgs(responder.args, responder.name, args)
  if (!checked.ok) return checked
  try {
    const value = await responder.run(checked.value, ignoreWake)
    return { ok: true, value: value === undefined ? null : value }
  } catch (thrown) {
    return failed(handlers, responder.name, thrown)
  }
}

/** Opens a stream by name. Never throws. The carrier owns the source and must close it. */
export function openStream(
  handlers: Handlers,
  name: unknown,
  args: unknown,
  wake: () => void,
): Result<StreamSource<unknown>> {
  const responder = typeof name === 'string' ? handlers.streams.get(name) : undefined
  if (responder === undefined) return { ok: false, error: unknownName('stream', name) }
  const checked = checkArgs(responder.args, responder.name, args)
  if (!checked.ok) return checked
  try {
    // `stream` created this responder, and its handlers return sources.
    return { ok: true, value: responder.run(checked.value, wake) as StreamSource<unknown> }
  } catch (thrown) {
    return failed(handlers, responder.name, thrown)
  }
}
