/**
 * The lease of a shard: which recorder records it. Pure; time is an argument. A lease is an entry of the bucket
 * `leases` that its holder replaces every 2 s, each time only if it is still the entry it knows. Its epoch is when the
 * bucket was made (UTC ms) plus the revision of its first entry. Within a bucket, no two leases have the same one, whatever
 * the clocks do, and a bucket that was lost and made again has greater ones: it counts revisions from 1 again, but
 * there are less than one in a millisecond (decision 150).
 */
import * as v from 'valibot'

/** Another recorder may take over when an entry hasn't changed for this long. The bucket drops it then, too. */
export const LEASE_TTL_MS = 6_000
export const RENEW_MS = 2_000
/** How long a holder relies on its last renewal: less than the ttl, as its request was under way for a time. */
export const HOLD_MS = 5_000
/** A request without an answer by then may or may not have been carried out. */
export const REQUEST_TIMEOUT_MS = 1_500

/** What an entry says. */
export interface LeaseValue {
  /** Names one attempt of one process to hold a lease. */
  readonly token: string
  /** Names the recorder for people. */
  readonly recorder: string
  /** Null in the first entry of a lease: then it follows from the entry's own revision. */
  readonly epoch: number | null
  /** The holder has given it up. */
  readonly released: boolean
}

export interface LeaseEntry {
  readonly revision: number
  readonly value: LeaseValue
}

const VALUE = v.object({
  version: v.literal(1),
  token: v.pipe(v.string(), v.minLength(1), v.maxLength(128)),
  recorder: v.pipe(v.string(), v.maxLength(256)),
  epoch: v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
  released: v.boolean(),
})

export const encodeLease = (value: LeaseValue): string => JSON.stringify({ version: 1, ...value })

/** Reads an entry's value. Unreadable: a lease of a recorder unknown to this version, which expires like any other. */
export function decodeLease(text: string): LeaseValue {
  try {
    const { version: _, ...value } = v.parse(VALUE, JSON.parse(text))
    return value
  } catch {
    return { token: '', recorder: '', epoch: null, released: false }
  }
}

/** The epoch of a lease, from any of its entries. `madeMs`: when the bucket was made, UTC ms. */
export const epochOf = ({ revision, value }: LeaseEntry, madeMs: number): number => value.epoch ?? madeMs + revision

export type LeaseRequest =
  | { readonly do: 'read' }
  /** Only if the entry's revision is still `revision`; 0: if there is none. */
  | { readonly do: 'put'; readonly value: LeaseValue; readonly revision: number }

export type LeaseAnswer =
  | { readonly is: 'entry'; readonly entry: (LeaseEntry & { readonly epoch: number }) | null }
  /** `epoch`: of a lease that this begins. */
  | { readonly is: 'stored'; readonly revision: number; readonly epoch: number }
  /** The entry isn't the expected one. */
  | { readonly is: 'conflict' }
  /** No answer, or an error: the request may have been carried out, or still be. */
  | { readonly is: 'failed' }

export interface LeaseState {
  readonly token: string
  readonly recorder: string
  readonly is: 'acquiring' | 'held' | 'lost'
  /** 0 while acquiring. */
  readonly epoch: number
  /** Of the entry it knows. */
  readonly revision: number
  /** When the last request was sent that is known to have renewed it, ms. */
  readonly renewedMs: number
  /** The entry may be another one than it knows. */
  readonly isUnsure: boolean
  readonly pending: { readonly id: number; readonly do: LeaseRequest['do']; readonly sentMs: number } | null
  /** When the next request is due, ms. */
  readonly nextMs: number
  readonly requests: number
}

/** The request to send, if any, goes with `state.pending.id`. */
export interface LeaseStep {
  readonly state: LeaseState
  readonly request: LeaseRequest | null
}

const valueOf = ({ token, recorder, epoch }: LeaseState): LeaseValue => ({
  token,
  recorder,
  epoch: epoch === 0 ? null : epoch,
  released: false,
})

const lose = (state: LeaseState): LeaseStep => ({
  state: { ...state, is: 'lost', pending: null, nextMs: Infinity },
  request: null,
})

function send(state: LeaseState, request: LeaseRequest, nowMs: number): LeaseStep {
  const id = state.requests + 1
  return { state: { ...state, requests: id, pending: { id, do: request.do, sentMs: nowMs } }, request }
}

/** Tries to take the lease from the entry with `revision`, or 0 if there is none. `token` must be unique. */
export function beginLease(
  about: { readonly token: string; readonly recorder: string; readonly revision: number },
  nowMs: number,
): LeaseStep {
  const state: LeaseState = {
    ...about,
    is: 'acquiring',
    epoch: 0,
    renewedMs: nowMs,
    isUnsure: false,
    pending: null,
    nextMs: nowMs,
    requests: 0,
  }
  return send(state, { do: 'put', value: valueOf(state), revision: about.revision }, nowMs)
}

/** The epoch under which a recorder may record at this time, or null. */
export const heldEpoch = (state: LeaseState, nowMs: number): number | null =>
  state.is === 'held' && nowMs - state.renewedMs < HOLD_MS ? state.epoch : null

/** When `tickLease` has something to do, ms. */
export function dueMs({ is, pending, nextMs, renewedMs }: LeaseState): number {
  if (is === 'lost') return Infinity
  return Math.min(renewedMs + HOLD_MS, pending === null ? nextMs : pending.sentMs + REQUEST_TIMEOUT_MS)
}

/** Lets time pass: gives up what wasn't renewed in time, and sends what is due. */
export function tickLease(state: LeaseState, nowMs: number): LeaseStep {
  if (state.is === 'lost') return { state, request: null }
  if (nowMs - state.renewedMs >= HOLD_MS) return lose(state)
  let current = state
  if (state.pending !== null && nowMs - state.pending.sentMs >= REQUEST_TIMEOUT_MS) {
    current = { ...state, pending: null, isUnsure: true, nextMs: nowMs }
  }
  if (current.pending !== null || nowMs < current.nextMs) return { state: current, request: null }
  if (current.isUnsure) return send(current, { do: 'read' }, nowMs)
  return send(current, { do: 'put', value: valueOf(current), revision: current.revision }, nowMs)
}

/** Takes the answer to request `id`. Answers to requests that were given up are ignored. */
export function answerLease(state: LeaseState, id: number, answer: LeaseAnswer, nowMs: number): LeaseStep {
  const { pending } = state
  if (state.is === 'lost' || pending?.id !== id) return { state, request: null }
  const done: LeaseState = { ...state, pending: null }
  switch (answer.is) {
    case 'stored':
      if (nowMs - pending.sentMs >= HOLD_MS) return lose(state)
      return {
        state: {
          ...done,
          is: 'held',
          epoch: state.is === 'held' ? state.epoch : answer.epoch,
          revision: answer.revision,
          renewedMs: pending.sentMs,
          isUnsure: false,
          nextMs: pending.sentMs + RENEW_MS,
        },
        request: null,
      }
    case 'entry': {
      const { entry } = answer
      if (entry === null || entry.value.token !== state.token || entry.value.released) return lose(state)
      // One of its own requests was carried out without an answer.
      const own: LeaseState = { ...done, is: 'held', epoch: entry.epoch, revision: entry.revision, isUnsure: false }
      return tickLease({ ...own, nextMs: nowMs }, nowMs)
    }
    case 'conflict':
      // The first entry can only conflict with another recorder's.
      if (state.is === 'acquiring') return lose(state)
      return tickLease({ ...done, isUnsure: true, nextMs: nowMs }, nowMs)
    case 'failed':
      return { state: { ...done, isUnsure: true, nextMs: pending.sentMs + REQUEST_TIMEOUT_MS / 3 }, request: null }
  }
}
