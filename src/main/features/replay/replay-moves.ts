/** Where a replay's clock can be sent: by name, to a gap, a bookmark or an open, or one step on. */
import type { CallArgs } from '../../../shared/contracts.ts'
import { gridOf } from '../../../shared/core/market/calendar.ts'
import { msOf } from '../../../shared/core/market/market.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { nextOpen } from './opens.ts'
import type { Playable } from './play/playable.ts'
import type { Player } from './player.ts'

type Target = CallArgs<'replay.seek'>['to']
type Step = Omit<CallArgs<'replay.step'>, 'id'>

export class ReplayMoves {
  readonly #reader: StoreReader
  readonly #playable: Playable
  readonly #player: Player

  constructor(reader: StoreReader, playable: Playable, player: Player) {
    this.#reader = reader
    this.#playable = playable
    this.#player = player
  }

  /** The bookmarks of all its sessions. */
  async bookmarks() {
    const { sessions } = this.#playable
    return (await Promise.all(sessions.map(({ session }) => this.#reader.bookmarks(session)))).flat()
  }

  /** Rejects with `not-found` if there is no such gap, bookmark or open. */
  async seek(to: Target): Promise<void> {
    const { parts, gaps } = this.#playable
    const player = this.#player
    const endMs = parts[parts.length - 1].toMs
    switch (to.at) {
      case 'start':
        return player.seekStart()
      case 'end':
        return player.seek(endMs)
      case 'ms':
        return player.seek(to.ms)
      case 'next gap':
      case 'previous gap': {
        // Skip `connect` gaps: a feed that isn't connected at the start is no event to seek to.
        const starts = gaps.flatMap(({ cause, fromMs }) => (cause === 'connect' ? [] : [fromMs]))
        const found = this.#nearest(starts, to.at === 'next gap' ? 1 : -1)
        if (found === undefined) throw none(to.at === 'next gap' ? 'further gap' : 'earlier gap')
        return player.seek(found)
      }
      case 'next bookmark':
      case 'previous bookmark':
        return this.#seekBookmark((all) => {
          const atMs = this.#nearest(
            all.map((one) => one.atMs),
            to.at === 'next bookmark' ? 1 : -1,
          )
          return all.find((one) => one.atMs === atMs)?.id
        })
      case 'bookmark':
        return this.#seekBookmark(() => to.bookmark)
      case 'next open': {
        const open = nextOpen(to.asset, player.nowMs)
        if (!(open <= endMs)) throw none('later market open')
        return player.seek(open)
      }
    }
  }

  async step({ by, forward, interval, asset }: Step): Promise<void> {
    const player = this.#player
    switch (by) {
      case 'message':
        return player.stepMessage(forward)
      case 'second':
        return player.stepTo(player.nowMs + (forward ? 1_000 : -1_000))
      case 'bar':
        return player.stepTo(barEdge(player.nowMs, forward, gridOf(asset ?? 'crypto', interval), msOf(interval)))
    }
  }

  /** The nearest of some instants after now (1) or before it (-1). */
  #nearest(instants: readonly number[], towards: 1 | -1): number | undefined {
    const { nowMs } = this.#player
    if (towards > 0) return instants.filter((ms) => ms > nowMs).reduce<number | undefined>(least, undefined)
    return instants.filter((ms) => ms < nowMs).reduce<number | undefined>(most, undefined)
  }

  async #seekBookmark(
    pick: (all: readonly { readonly id: number; readonly atMs: number }[]) => number | undefined,
  ): Promise<void> {
    const player = this.#player
    const all = await this.bookmarks()
    const chosen = all.find((one) => one.id === pick(all))
    if (chosen === undefined) throw none('such bookmark')
    const { session, seq, atMs } = chosen
    await (seq === null ? player.seek(atMs) : player.seekSeq(session, Math.max(0, seq - 1), atMs))
  }
}

const none = (what: string): CodedError =>
  new CodedError('not-found', `There is no ${what} in this replay.`, { hint: 'The replay didn’t move.' })

const least = (a: number | undefined, b: number): number => (a === undefined ? b : Math.min(a, b))
const most = (a: number | undefined, b: number): number => (a === undefined ? b : Math.max(a, b))

/** The nearest bar boundary after or before an instant, UTC ms. */
function barEdge(
  ms: number,
  forward: boolean,
  grid: { startOf(ms: number): number; endOf(start: number): number },
  intervalMs: number,
): number {
  const start = grid.startOf(ms)
  if (forward) return Number.isNaN(start) ? ms + intervalMs : grid.endOf(start)
  if (start < ms) return start
  const before = grid.startOf(ms - 1)
  return Number.isNaN(before) ? ms - intervalMs : before
}
