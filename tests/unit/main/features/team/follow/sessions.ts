/** Sessions of a team as the live market gets them. */
import type { StoredEntry } from '../../../../../../src/main/core/store/types/messages.ts'
import type { CommittedFlush } from '../../../../../../src/main/features/team/frame/frame.ts'
import type { SessionInfo } from '../../../../../../src/main/features/team/session-info.ts'
import type { LedgerEntry } from '../../../../../../src/shared/core/recording/session.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { tradeText } from '../../../../../kit/market.ts'
import { T0, Writer, type Item } from '../../../core/store/harness.ts'
import { numberedId } from './world.ts'

export const feed = 'crypto/XT' as const

/** The present. */
export const time = { nowMs: T0 }

/** A session of a shard, as its copy delivers it. */
export class Session {
  readonly info: SessionInfo
  readonly entries: StoredEntry[] = []
  readonly #writer = new Writer([feed])
  #openedSeq = 0

  constructor(n: number, about: Partial<SessionInfo> = {}) {
    this.info = {
      session: numberedId(n),
      shard: n,
      shards: 2,
      recorder: `recorder ${n}`,
      source: { kind: 'service', origin: 'https://data.example.com', user: 'you' },
      startedMs: unixMs(T0 + n),
      epoch: 1,
      end: null,
      ...about,
    }
  }

  flush(items: readonly Item[]): readonly CommittedFlush[] {
    const batch = this.#writer.batch(items)
    this.entries.push(...batch.entries)
    return [{ batch, leaves: [] }]
  }

  open(symbol: string): readonly CommittedFlush[] {
    const entries: LedgerEntry[] = [
      { type: 'connecting', feed, conn: 1 },
      { type: 'state', feed, conn: 1, state: 'open' },
      { type: 'subscribe', feed, conn: 1, symbols: [symbol] },
      { type: 'acknowledged', feed, conn: 1, symbols: [symbol] },
    ]
    return this.flush(entries.map((entry) => ({ entry, wallMs: time.nowMs })))
  }

  trade(symbol: string, price: number, recvMs = time.nowMs, eventMs = recvMs): readonly CommittedFlush[] {
    return this.flush([{ conn: 1, data: tradeText(symbol, price, 1, eventMs), recvMs }])
  }

  entry(entry: LedgerEntry): readonly CommittedFlush[] {
    return this.flush([{ entry, wallMs: time.nowMs }])
  }

  /** The connection is lost. `fromMs`: its last frame. */
  drop(fromMs: number, symbols: readonly string[] = []): readonly CommittedFlush[] {
    const entries: LedgerEntry[] = [
      { type: 'gap-open', feed, cause: 'drop', symbols, fromMs: unixMs(fromMs) },
      { type: 'disconnected', feed, conn: 1, closeCode: 1006, reason: '' },
      { type: 'state', feed, conn: 1, state: 'waiting', untilMs: time.nowMs + 1_000, attempt: 1 },
    ]
    const [flush] = this.flush(entries.map((entry) => ({ entry, wallMs: time.nowMs })))
    this.#openedSeq = flush.batch.entries[0].seq
    return [flush]
  }

  /** The connection is back, and its symbol acknowledged. */
  reconnect(symbol: string): readonly CommittedFlush[] {
    return [...this.open(symbol), ...this.entry({ type: 'gap-close', feed, openedSeq: this.#openedSeq })]
  }
}
