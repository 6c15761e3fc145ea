/** What the hub needs to know of an instrument from before its first record. */
import { DAY_MS } from '../../../shared/base/durations.ts'
import { parseInstrument, unixMs, type InstrumentId } from '../../../shared/base/units.ts'
import { addVolume } from '../../../shared/core/market/bars.ts'
import type { Bar, BarSource, Interval } from '../../../shared/core/market/market.ts'
import { RANK, type CellSeed } from '../market/cell.ts'
import type { SeqLimits } from '../store/types/bars.ts'
import type { StoredView } from './stored-view.ts'

/** A previous close is used only if something was received this close to the end of its day, ms. */
const CLOSE_WITHIN_MS = 300_000

/** Trading sessions begin and end on half hours, so none of these bars is in two of them. */
const HALF_HOUR_MS = 1_800_000

/** Day, reference price and sparkline of an instrument; null if nothing is stored. Rejects like the reader. */
export async function readSeed(view: StoredView, id: InstrumentId): Promise<CellSeed | null> {
  const parsed = parseInstrument(id)
  if (!parsed) return null
  const of = parsed.asset === 'forex' ? 'mid' : 'trade'
  const days = view.days(parsed.asset)
  const upTo = await view.upToNow()
  const ask = (interval: Interval, limit: number, beforeMs: number | null, from: BarSource = of, limits = upTo) =>
    view.reader.bars({
      instrument: id,
      of: from,
      interval,
      source: view.source(),
      beforeMs,
      limit,
      upTo: limits,
      skipCorrupt: true,
    })
  // An instrument that was quoted but never traded has no other price.
  const lastMid = async () => (of === 'mid' ? [] : (await ask('1m', 1, null, 'mid')).bars).at(-1)
  const now = view.wallMs()
  const [{ bars: minutes }, { bars: daily }] = await Promise.all([ask('1m', 60, null), ask('1D', 2, null)])
  const newest = daily.at(-1)
  const start = days.startOf(now)
  const dayBefore = days.previous(start)
  const today =
    newest !== undefined &&
    (newest.startMs === start ||
      // after its session, the day's range is still that of the session
      (days.session(newest.startMs) === 'open' && days.previous(newest.startMs) === dayBefore))
      ? newest
      : null
  // No daily bar covers the hours before and after a session.
  const isOutside = today === null && days.session(start) !== 'open'
  const askHours = async (limits = upTo) => {
    const { bars } = await ask('30m', Math.ceil((now - start) / HALF_HOUR_MS) + 1, null, of, limits)
    return sumOf(bars.filter(({ startMs }) => startMs >= start))
  }
  const hours = isOutside ? await askHours() : null
  const before = today === null && hours === null ? null : await view.beforeHub()
  /** The volume from before the hub, which adds what it received, also what the disk didn't take. */
  const volumeBefore = async (limits: SeqLimits): Promise<number | null> => {
    if (limits.size === 0) return null
    if (today === null) return (await askHours(limits))?.volume ?? null
    const { bars } = await ask('1D', 2, null, of, limits)
    return bars.find(({ startMs }) => startMs === today.startMs)?.volume ?? null
  }
  const volumes = before === null ? {} : { volume: await volumeBefore(before), volumeRest: 0 }
  const dayEnd = days.endOf(dayBefore)
  const closing = Number.isNaN(dayEnd) ? null : await ask('1m', 1, dayEnd)
  const lastOfDay = closing?.bars.at(-1)
  const closeKnown =
    closing !== null &&
    lastOfDay !== undefined &&
    dayEnd - lastOfDay.startMs <= CLOSE_WITHIN_MS &&
    // a corrupt span may hold the last price of that day
    closing.gaps.every((gap) => gap.fromMs >= dayEnd || (gap.toMs ?? Infinity) <= lastOfDay.startMs)
  const spark = minutes.filter(({ startMs }) => now - startMs < 3_600_000)
  // Not in a replay: after a seek it would be a price from the future.
  const lastMinute = view.showsAll ? (minutes.at(-1) ?? (await lastMid())) : undefined
  const stored =
    lastMinute === undefined ? null : { price: lastMinute.close, atMs: unixMs(Math.min(lastMinute.endMs, now)) }
  if (today === null && hours === null && !closeKnown && spark.length === 0 && stored === null) return null
  return {
    isBefore: before !== null,
    stored,
    rank: of === 'mid' ? RANK.mid : RANK.trade,
    dayBefore,
    previousClose: closeKnown ? lastOfDay.close : null,
    today:
      today !== null
        ? {
            ...today,
            ...volumes,
            session: days.session(today.startMs),
            whole: today.complete && today.endMs - today.startMs <= DAY_MS * 1.1,
          }
        : hours !== null
          ? {
              ...hours,
              ...volumes,
              session: days.session(start),
              startMs: start,
              endMs: days.endOf(start),
              whole: false,
            }
          : null,
    spark: spark.map(({ startMs, close }) => ({ minute: Math.floor(startMs / 60_000), close })),
  }
}

/** The prices and the volume of bars together, oldest first; null if there are none. */
function sumOf(bars: readonly Bar[]) {
  const [first] = bars
  const last = bars.at(-1)
  if (first === undefined || last === undefined) return null
  const sum = { volume: NaN, volumeRest: 0 }
  for (const { volume } of bars) addVolume(sum, volume ?? NaN, 0)
  return {
    open: first.open,
    high: Math.max(...bars.map(({ high }) => high)),
    low: Math.min(...bars.map(({ low }) => low)),
    close: last.close,
    volume: Number.isNaN(sum.volume) ? null : sum.volume,
    volumeRest: sum.volumeRest,
  }
}
