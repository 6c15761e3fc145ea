/**
 * Limits how many different symbols all clients of the live stream follow together. Each of them takes time whenever a
 * subscription changes, on the thread that receives: forty clients with a thousand symbols each held it up for seconds.
 */
import { CodedError } from '../../../shared/base/errors.ts'
import { feedAsset, instrumentId, type FeedId } from '../../../shared/base/units.ts'
import type { Clock } from '../../base/clock.ts'
import { LINGER_MS } from '../../core/feeds/interest.ts'

/** Symbols of all feeds and clients. A symbol that several clients follow on a feed counts once. */
export const MAX_FOLLOWED = 10_000

export class FollowedSymbols {
  readonly #clock: Pick<Clock, 'monoNs'>
  /** What was released and still counts, oldest first. */
  readonly #released: { readonly untilMs: number; readonly keys: readonly string[] }[] = []
  /** How many clients follow a symbol of a feed, or followed it until a moment ago. */
  readonly #clients = new Map<string, number>()

  constructor(clock: Pick<Clock, 'monoNs'>) {
    this.#clock = clock
  }

  /** Counts the symbols of one more client. Throws `budget`, and counts none, if they are too many. */
  add(feed: FeedId, symbols: readonly string[]): void {
    this.#forgetReleased()
    const keys = keysOf(feed, symbols)
    const more = new Set(keys.filter((key) => !this.#clients.has(key))).size
    if (this.#clients.size + more > MAX_FOLLOWED) {
      throw new CodedError('budget', `All programs together follow at most ${MAX_FOLLOWED} symbols.`, {
        hint: `Unsubscribe from some. They count for ${LINGER_MS / 1_000} s more.`,
      })
    }
    for (const key of keys) this.#clients.set(key, (this.#clients.get(key) ?? 0) + 1)
  }

  /** They count until the planner forgets them, or a client that changes its mind all the time would have no limit. */
  release(feed: FeedId, symbols: readonly string[]): void {
    if (symbols.length > 0) this.#released.push({ untilMs: this.#nowMs() + LINGER_MS, keys: keysOf(feed, symbols) })
  }

  #forgetReleased(): void {
    const nowMs = this.#nowMs()
    const kept = this.#released.findIndex(({ untilMs }) => untilMs > nowMs)
    for (const { keys } of this.#released.splice(0, kept === -1 ? Infinity : kept)) {
      for (const key of keys) {
        const clients = (this.#clients.get(key) ?? 0) - 1
        if (clients > 0) this.#clients.set(key, clients)
        else this.#clients.delete(key)
      }
    }
  }

  #nowMs(): number {
    return this.#clock.monoNs() / 1e6
  }
}

const keysOf = (feed: FeedId, symbols: readonly string[]): readonly string[] =>
  symbols.map((symbol) => `${feed} ${instrumentId(feedAsset(feed), symbol)}`)
