/** The last stored bid and ask of an instrument that several recorders share. */
import { DAY_MS } from '../../../shared/base/durations.ts'
import { toFailure } from '../../../shared/base/errors.ts'
import { isTeamKey, STORED_ONLY, type Gap } from '../../../shared/core/recording/session.ts'
import { parseInstrument, type InstrumentId } from '../../../shared/base/units.ts'
import { FEEDS, TICK_FEEDS } from '../../../service/feeds.ts'
import type { SeededQuote } from '../market/cell.ts'
import type { TickColumns } from '../store/types/ticks.ts'
import { isGapOf, type StoredView } from './stored-view.ts'

/** How far back quotes are searched, ms, in steps. An older one of a session that is still open isn't shown. */
const LOOK_BACK_MS = [120_000, 1_800_000] as const

/** No recorder's clock is further off, ms: more than one that is set to another time zone. */
const MAX_SKEW_MS = DAY_MS

/**
 * The last bid and ask that the open sessions of a team have; null: none within half an hour, or something since can't
 * be read or may have been missed. The live market of a team starts again when an instrument's prices come from another recorder, and quiet
 * instruments have no quote then for a long time. Null for other sources, whose live market has what its session has.
 */
export async function readLastQuote(view: StoredView, id: InstrumentId): Promise<SeededQuote | null> {
  try {
    return await readSureQuote(view, id)
  } catch (thrown) {
    if (toFailure(thrown).code === 'store-damaged') return null
    throw thrown
  }
}

async function readSureQuote(view: StoredView, id: InstrumentId): Promise<SeededQuote | null> {
  const asset = parseInstrument(id)?.asset
  const source = view.source()
  if (!view.showsAll || !isTeamKey(source) || asset === undefined) return null
  const feed = TICK_FEEDS[asset].find((one) => FEEDS[one].kind === 'quote')
  const sessions = [...(await view.upToNow()).keys()]
  if (feed === undefined || sessions.length === 0) return null
  const nowMs = view.wallMs()
  for (const back of LOOK_BACK_MS) {
    const query = { feed, instruments: [id], source, sessions, asInSource: true, fromMs: nowMs - back }
    const last = new LastQuote()
    for await (const columns of view.reader.ticks(query)) last.add(columns)
    if (last.eventMs === -Infinity) continue
    const gaps = await view.reader.gaps({ feed, source, fromMs: last.eventMs - MAX_SKEW_MS })
    return gaps.some((gap) => isGapOf(gap, id) && latestEnd(gap) > last.eventMs) ? null : last.quote
  }
  return null
}

/** When a gap is over for certain, by the service's clock: its own times are by its recorder's. */
const latestEnd = ({ toMs, skewMs = 0 }: Gap): number => (toMs ?? Infinity) + Math.abs(skewMs)

/** What several sessions say, by event time. As live, an absent side keeps its value, and one sent as 0 is empty. */
class LastQuote {
  readonly quote = { bid: NaN, ask: NaN, bidSize: NaN, askSize: NaN }
  eventMs = -Infinity
  readonly #ofSides = { bid: -Infinity, ask: -Infinity, bidSize: -Infinity, askSize: -Infinity }

  add(columns: TickColumns): void {
    const { fields } = FEEDS[columns.feed]
    for (const side of SIDES) {
      const key = fields[side]
      if (key === undefined || !columns.keys.includes(key)) continue
      const values = columns.column(key)
      for (let row = 0; row < columns.count; row++) {
        const atMs = columns.eventMs[row]
        if (Number.isNaN(values[row]) || atMs < this.#ofSides[side]) continue
        if ((columns.flags[row] & STORED_ONLY) !== 0) continue
        this.#ofSides[side] = atMs
        this.eventMs = Math.max(this.eventMs, atMs)
        this.quote[side] = PRICES.includes(side) && values[row] <= 0 ? NaN : values[row]
      }
    }
  }
}

const PRICES: readonly (keyof SeededQuote)[] = ['bid', 'ask']
const SIDES: readonly (keyof SeededQuote)[] = [...PRICES, 'bidSize', 'askSize']
