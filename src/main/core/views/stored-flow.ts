/** The stored trades and quotes of a view's source, and names for what of them never changes. */
import type { Span } from '../../../shared/base/spans.ts'
import { toFailure } from '../../../shared/base/errors.ts'
import type { InstrumentId, SessionId } from '../../../shared/base/units.ts'
import { isTeamKey, type SessionRow } from '../../../shared/core/recording/session.ts'
import type { SettledFlow, StoredSpan } from '../market/flow/flow-follower.ts'
import type { FlowMessages } from '../market/flow-sink.ts'
import type { SeqLimits } from '../store/types/bars.ts'
import { readFlow, type FlowSource } from './flow-history.ts'
import { isGapOf, type StoredView } from './stored-view.ts'

export class StoredFlow {
  readonly #view: StoredView
  /** The ledger's head of a closed session, which never changes. */
  readonly #heads = new Map<SessionId, Promise<string | null>>()

  constructor(view: StoredView) {
    this.#view = view
  }

  /** See `ViewHistory.flow`. */
  async read(id: InstrumentId, fromMs: number, sink: FlowMessages, toMs?: number): Promise<readonly Span[]> {
    const view = this.#view
    const now = view.present()
    const nowMs = view.wallMs()
    const unread: Span[] = []
    const addUnread = (afterMs: number, beforeMs: number): void => {
      const span = { fromMs: Math.max(fromMs, afterMs), toMs: Math.min(toMs ?? nowMs, beforeMs, nowMs) }
      if (span.toMs >= span.fromMs) unread.push(span)
    }
    try {
      await view.untilCommitted(now)
      const flow: FlowSource = {
        reader: view.reader,
        sessions: await view.sessions(),
        limits: now,
        concerns: (gap) => isGapOf(gap, id),
        damaged({ endedMs }, afterMs, thrown) {
          view.failed('trades', thrown)
          addUnread(afterMs, endedMs ?? Infinity)
        },
      }
      await readFlow(flow, { instrument: id, fromMs, ...(toMs === undefined ? {} : { toMs }) }, sink)
    } catch (thrown) {
      if (sink.isClosed) return []
      // A store that does not exist yet is empty.
      if (toFailure(thrown).code !== 'not-found') {
        view.failed('trades', thrown)
        sink.gap('trade', fromMs)
        sink.gap('quote', fromMs)
        addUnread(fromMs, Infinity)
      }
      sink.sessionBegan('apart')
    }
    return unread
  }

  /** See `ViewHistory.settled`. Rejects like the reader. */
  async settled(): Promise<SettledFlow> {
    const view = this.#view
    const limits = await view.upToNow()
    const rows = await view.sessions()
    return {
      firstMs: Math.min(...rows.map((row) => row.startedMs)),
      nameOf: (fromMs, toMs) => view.guarded('sessions', null, () => this.#nameOf(rows, limits, fromMs, toMs)),
    }
  }

  /**
   * A session's messages in a span can be named once the session has ended or has stored a message received after the
   * span, because it stores them in seq order.
   */
  async #nameOf(
    rows: readonly SessionRow[],
    limits: SeqLimits,
    fromMs: number,
    toMs: number,
  ): Promise<StoredSpan | null> {
    const { reader, source, wallMs } = this.#view
    // A terminal on a team can still fetch what it missed.
    if (toMs > wallMs() || isTeamKey(source())) return null
    const names: string[] = []
    let proven: SessionId[] | null = []
    /** The last session before the span: it tells how the first one in it begins. */
    let before: SessionRow | null = null
    for (const row of rows) {
      const { session, startedMs, endedMs, messages } = row
      if (endedMs !== null && endedMs < fromMs && endedMs >= (before?.endedMs ?? -Infinity)) before = row
      if (startedMs > toMs || (endedMs ?? Infinity) < fromMs) continue
      const limit = limits.get(session)
      if (endedMs !== null && limit === undefined) {
        const head = await this.#headOf(session)
        names.push(`${session} ${messages} ${head}`)
        if (head === null) proven = null
        else proven?.push(session)
        continue
      }
      const last = await reader.findPosition({ session, ms: toMs })
      const newest = await reader.findPosition({ session, ms: wallMs() })
      const seq = last?.seq ?? 0
      if ((newest?.seq ?? 0) <= seq || (limit ?? Infinity) <= seq) return null
      // What a session has stored never changes.
      names.push(`${session} ..${seq}`)
      proven?.push(session)
    }
    if (names.length > 0 && before !== null) names.push(`after ${before.session}`)
    return { name: names.join(), proven }
  }

  #headOf(session: SessionId): Promise<string | null> {
    let head = this.#heads.get(session)
    if (head === undefined) {
      head = this.#view.reader.ledgerHead([session])
      this.#heads.set(session, head)
      head.catch(() => this.#heads.delete(session))
    }
    return head
  }
}
