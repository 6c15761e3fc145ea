/**
 * Brings one instrument's bars to a chart: a page of history first, the live stream on top, further
 * pages when the chart asks. What is held is a stretch of at most `MOST_BARS`: who goes back far gives up
 * the newest bars, and gets them back on the way forward. Knows the contract and the chart port, no DOM.
 */
import { mergeBars } from '../../../charts/model/series.ts'
import type { ChartPage, ChartPort, ChartSeries, ChartStyle } from '../../../charts/model/chart.ts'
import type { BarsPage } from '../../../../shared/core/views/contract.ts'
import type { Failure } from '../../../../shared/base/errors.ts'
import {
  INTERVALS,
  type Bar,
  type BarSource,
  type Interval,
  type Print,
} from '../../../../shared/core/market/market.ts'
import type { GapSpan } from '../../../../shared/core/status/status.ts'
import type { Transport } from '../../../../shared/rpc/transport.ts'
import { unixMs, type InstrumentId } from '../../../../shared/base/units.ts'

const PAGE = 1_500
/** Of a page that follows others: the most that is given at once. */
const NEXT_PAGE = 5_000
/** A stretch that grew longer is cut to the shorter one at its far end. */
export const MOST_BARS = 200_000
const KEPT_BARS = 150_000
/** How often the span of a page is doubled when there is nothing in it: a market may be closed for long. */
const MOST_DOUBLED = 24
const TICKS = 2_000

export interface ChartQuery {
  readonly view: string
  readonly instrument: InstrumentId
  readonly label: string
  readonly of: BarSource
  readonly interval: Interval
  readonly ticks: boolean
  readonly style: ChartStyle
}

export type ChartStage =
  | { readonly is: 'loading' }
  /** `damaged`: there are some, but what is stored of them cannot be read. */
  | { readonly is: 'empty'; readonly damaged: boolean }
  | { readonly is: 'ready' }
  | { readonly is: 'failed'; readonly failure: Failure }

/** A print as a point: the chart wants strictly growing times, so equal ones are a microsecond apart. */
function point(print: Print, after: number): Bar {
  const at = Math.max(print.eventMs ?? print.recvMs, after + 0.001)
  const start = unixMs(at)
  const { price } = print
  return {
    startMs: start,
    endMs: start,
    open: price,
    high: price,
    low: price,
    close: price,
    volume: print.size,
    count: 1,
    complete: true,
  }
}

/** Whether two lists are of the same bars, as told by their ends. */
function sameBars(a: readonly Bar[], b: readonly Bar[]): boolean {
  const [first, other] = [a[0], b[0]]
  const [last, otherLast] = [a[a.length - 1], b[b.length - 1]]
  return (
    a.length === b.length &&
    first?.startMs === other?.startMs &&
    last?.startMs === otherLast?.startMs &&
    last?.close === otherLast?.close
  )
}

/** Spans in order, those that touch as one: pages that overlap tell of the same damage. */
function joinedSpans(spans: readonly GapSpan[]): readonly GapSpan[] {
  const out: GapSpan[] = []
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = out.at(-1)
    if (last === undefined || span.fromMs > (last.toMs ?? Infinity)) out.push(span)
    else if ((span.toMs ?? Infinity) > (last.toMs ?? Infinity)) out[out.length - 1] = { ...last, toMs: span.toMs }
  }
  return out
}

export interface Following {
  readonly stop: () => void
  /** Takes away bars that begin after an instant: a replay went back, and its own answer is still on its way. */
  readonly cut: (ms: number) => void
}

/** What of a chart bars are brought to. */
export type ChartSink = Pick<ChartPort, 'load' | 'update' | 'setGaps' | 'setDecimals' | 'setPages'>

/** Follows a query into a chart until it is stopped. */
export function followChart(
  transport: Transport,
  chart: ChartSink,
  query: ChartQuery,
  onStage: (stage: ChartStage) => void,
  onDecimals: (decimals: number) => void,
): Following {
  let ended = false
  let decimals = 2
  let bars: Bar[] = []
  /** What was not received: each answer of the stream tells of all of it. */
  let gaps: readonly GapSpan[] = []
  /** What is stored and cannot be read: each answer tells of what it met. */
  let unreadable: readonly GapSpan[] = []
  let loaded = false
  let more = false
  let buffered: Bar[] = []
  /** Newer bars than the last one held exist. */
  let past = false
  /** Start of the newest bar anybody told of, UTC ms. */
  let newestMs = -Infinity
  /** At which end bars were put in last: the other one is cut. */
  let grown: 'old' | 'new' = 'old'

  const series = (): ChartSeries => ({
    label: query.label,
    intervalMs: INTERVALS[query.interval],
    decimals,
    style: query.ticks && query.style !== 'area' ? 'line' : query.style,
    ticks: query.ticks,
  })
  const stage = (): void => onStage(bars.length > 0 ? { is: 'ready' } : { is: 'empty', damaged: unreadable.length > 0 })
  const learn = (next: number): void => {
    if (next <= decimals && loaded) return
    decimals = loaded ? Math.max(decimals, next) : next
    chart.setDecimals(decimals)
    onDecimals(decimals)
  }
  const show = (keepView: boolean): void => {
    chart.load(series(), bars, more, keepView, past)
    stage()
  }

  /** Gaps that the chart has: giving it the same ones again would draw all of it anew. */
  let drawn: readonly GapSpan[] = []
  const drawGaps = (): void => {
    const all = [...gaps, ...unreadable]
    const same =
      drawn.length === all.length &&
      drawn.every(({ feed, fromMs, toMs }, i) => {
        const other = all[i]
        return other.feed === feed && other.fromMs === fromMs && other.toMs === toMs
      })
    if (same) return
    drawn = all
    chart.setGaps(all)
  }
  /** Takes what an answer could not read; answers what was not received. */
  const learnSpans = (spans: readonly GapSpan[]): readonly GapSpan[] => {
    const more = spans.filter(({ cause }) => cause === 'unreadable')
    if (more.length > 0) unreadable = joinedSpans([...unreadable, ...more])
    return spans.filter(({ cause }) => cause !== 'unreadable')
  }
  /** A replay went back: what was unreadable of later is not known yet. */
  const forgetSpans = (fromMs: number): void => {
    unreadable = unreadable.flatMap((span) =>
      span.fromMs >= fromMs ? [] : [{ ...span, toMs: unixMs(Math.min(span.toMs ?? Infinity, fromMs)) }],
    )
  }

  onStage({ is: 'loading' })
  chart.setGaps([])
  chart.load(series(), [], false, false)

  const lastPoint = (): number => bars[bars.length - 1]?.startMs ?? 0
  const page = (beforeMs: number | null, limit: number) =>
    transport.invoke('bars.history', {
      view: query.view,
      instrument: query.instrument,
      of: query.of,
      interval: query.interval,
      beforeMs,
      limit,
    })

  /** Bars known from before these; none where they do not join: a jump far ahead would leave a hole. */
  const before = (newer: readonly Bar[]): Bar[] => {
    const [first] = newer
    const joins = first !== undefined && bars.length > 0 && bars[bars.length - 1].startMs >= first.startMs
    return joins ? bars.filter((bar) => bar.startMs < first.startMs) : []
  }
  const noteNewest = (list: readonly Bar[]): void => {
    newestMs = Math.max(newestMs, list[list.length - 1]?.startMs ?? -Infinity)
  }
  let asked = 0
  let reading = false
  /** Reads the newest page; of several reads under way only the last counts. */
  const read = (toNewest = false): void => {
    const mine = ++asked
    reading = true
    void page(null, PAGE).then((result) => {
      if (ended || mine !== asked) return
      reading = false
      if (!result.ok) {
        onStage({ is: 'failed', failure: result.error })
        return
      }
      const again = loaded
      const older = before(result.value.bars)
      const shown = bars
      bars = [...older, ...result.value.bars]
      past = false
      noteNewest(bars)
      if (older.length === 0) more = result.value.more
      const told = learnSpans(result.value.gaps)
      gaps = [...told, ...gaps.filter((gap) => !told.some((g) => g.feed === gap.feed && g.fromMs === gap.fromMs))]
      if (result.value.decimals > 0) learn(result.value.decimals)
      mergeBars(bars, buffered)
      buffered = []
      loaded = true
      drawGaps()
      if (!again || toNewest || !sameBars(shown, bars)) show(again && !toNewest)
    })
  }
  const pageOrThrow = async (beforeMs: number | null, limit: number): Promise<BarsPage> => {
    const result = await page(beforeMs, limit)
    if (!result.ok) throw new Error(result.error.message)
    learnSpans(result.value.gaps)
    return result.value
  }
  async function older(beforeMs: number): Promise<ChartPage> {
    const found = await pageOrThrow(beforeMs, bars.length < NEXT_PAGE ? PAGE : NEXT_PAGE)
    bars = found.bars.filter((bar) => bars.length === 0 || bar.startMs < bars[0].startMs).concat(bars)
    more = found.more && found.bars.length > 0
    grown = 'old'
    return found
  }
  /** How long a page is, ms: where little is traded most intervals have no bar, as those that are held tell. */
  function pageSpan(): number {
    const some = bars.slice(-NEXT_PAGE)
    const mean = some.length > 1 ? (some[some.length - 1].startMs - some[0].startMs) / (some.length - 1) : 0
    return Math.max(INTERVALS[query.interval], Math.floor(mean)) * NEXT_PAGE
  }
  /** Pages are asked for by their end: the next one forward is the last that ends so many intervals on. */
  async function newer(): Promise<ChartPage> {
    const from = lastPoint()
    const surely = INTERVALS[query.interval] * NEXT_PAGE
    const span = pageSpan()
    const newest = newestMs
    /** Nothing lies between the last bar and here. */
    let empty = from + INTERVALS[query.interval]
    let end = empty + span
    const isBefore = async (ms: number): Promise<boolean> => (await lastBefore(ms)) > from
    for (let doubled = 1; end <= newest && doubled < MOST_DOUBLED && !(await isBefore(end)); doubled++) {
      empty = end
      end += span * 2 ** doubled
    }
    end = Math.min(end, newest + 1)
    // A night or a weekend was passed: its end is found by halves.
    while (end - empty > span) {
      const middle = Math.ceil((empty + end) / 2)
      if (await isBefore(middle)) end = middle
      else empty = middle
    }
    for (let at = end; ; at = Math.ceil((empty + end) / 2)) {
      const isNewest = at > newest
      const page = (await pageOrThrow(isNewest ? null : at, NEXT_PAGE)).bars
      if (ended || lastPoint() !== from) return { bars: [], more: past }
      const found = page.filter((bar) => bar.startMs > from)
      // A full page that does not reach back to here would leave out what lies between.
      const isWhole = page.length < NEXT_PAGE || found.length < page.length || at - empty <= surely
      if (found.length === 0 && at < end) empty = at
      else if (!isWhole) end = at
      else {
        bars = bars.concat(found)
        past = !isNewest
        grown = 'new'
        return { bars: found, more: past }
      }
    }
  }
  const lastBefore = async (ms: number): Promise<number> => (await pageOrThrow(ms, 1)).bars.at(-1)?.startMs ?? -Infinity
  async function around(ms: number): Promise<boolean> {
    const end = ms + (PAGE / 2) * INTERVALS[query.interval]
    const isNewest = end > newestMs
    const mine = asked
    const result = await page(isNewest ? null : end, NEXT_PAGE)
    if (ended || !loaded || mine !== asked || !result.ok || result.value.bars.length === 0) return false
    // What a read under way will answer is of elsewhere.
    asked++
    reading = false
    bars = [...result.value.bars]
    more = result.value.more
    past = !isNewest
    noteNewest(bars)
    if (!past) mergeBars(bars, buffered)
    buffered = []
    grown = 'old'
    learnSpans(result.value.gaps)
    drawGaps()
    show(false)
    return true
  }
  function settled(): void {
    // Not while a page is being put in: the chart would begin anew without it.
    drawGaps()
    if (bars.length <= MOST_BARS) return
    if (grown === 'old') {
      bars = bars.slice(0, KEPT_BARS)
      past = true
    } else {
      bars = bars.slice(-KEPT_BARS)
      more = true
    }
    show(true)
  }
  /** A replay went elsewhere: what it has not reached goes at once, what lies behind it is read anew. */
  const moved = (fresh: readonly Bar[]): void => {
    buffered = [...fresh]
    newestMs = fresh[fresh.length - 1]?.startMs ?? -Infinity
    if (loaded) {
      bars = [...before(fresh), ...fresh]
      past = false
      show(true)
    }
    read()
  }

  const unsubscribe = query.ticks
    ? transport.subscribe(
        'tape',
        { view: query.view, instrument: query.instrument, limit: TICKS },
        (value) => {
          if (ended) return
          learn(value.decimals)
          if (value.reset) {
            const again = loaded
            bars = []
            for (const print of value.reset) bars.push(point(print, lastPoint()))
            loaded = true
            show(again)
          }
          const fresh: Bar[] = []
          for (const print of value.prints) {
            const next = point(print, fresh[fresh.length - 1]?.startMs ?? lastPoint())
            fresh.push(next)
          }
          if (fresh.length === 0) return
          bars.push(...fresh)
          chart.update(fresh)
          stage()
        },
        (failure) => onStage({ is: 'failed', failure }),
      )
    : transport.subscribe(
        'bars',
        { view: query.view, instrument: query.instrument, of: query.of, interval: query.interval, fromMs: null },
        (value) => {
          if (ended) return
          if (value.decimals > 0) learn(value.decimals)
          const fresh = [...(value.reset ?? []), ...value.updates]
          if (value.reset && query.view !== 'live') forgetSpans(fresh[0]?.startMs ?? -Infinity)
          if (value.gaps) {
            gaps = learnSpans(value.gaps)
            if (loaded) drawGaps()
          }
          noteNewest(fresh)
          if (value.reset && query.view !== 'live') return moved(fresh)
          // A page under way may be older than what comes meanwhile.
          if (!loaded || reading) buffered.push(...fresh)
          // To a stretch of the past only corrections of it belong.
          const end = past ? lastPoint() : Infinity
          const mine = past ? fresh.filter((bar) => bar.startMs <= end) : fresh
          if (loaded && mine.length > 0) {
            mergeBars(bars, mine)
            chart.update(mine)
            stage()
          }
        },
        (failure) => onStage({ is: 'failed', failure }),
      )

  if (!query.ticks) {
    // A replay's stream begins with a reset, which reads the page; until then there is nothing to join it to.
    if (query.view === 'live') read()
    chart.setPages({ older, newer, newest: () => read(true), around, settled })
  } else chart.setPages(null)

  return {
    stop() {
      ended = true
      chart.setPages(null)
      unsubscribe()
    },
    cut(ms) {
      const last = bars[bars.length - 1]
      forgetSpans(ms)
      if (!loaded || last === undefined || last.startMs <= ms) return
      bars = bars.filter((bar) => bar.startMs <= ms)
      past = false
      drawGaps()
      show(true)
    },
  }
}
