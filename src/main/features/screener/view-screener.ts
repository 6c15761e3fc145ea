/**
 * The screener of one view. It reads bars, gaps and fundamentals at intervals, and takes prices from the view's hub at
 * each evaluation. It drops what it read at a later time than the view's clock, so a replay never looks ahead.
 */
import { unixMs, parseInstrument, type InstrumentId } from '../../../shared/base/units.ts'
import type { MetricValues } from '../../../shared/features/screener/metrics.ts'
import {
  isUndecided,
  rowOf,
  screenRows,
  trendOf,
  type InstrumentFacts,
  type ScreenPage,
  type ScreenRow,
} from '../../../shared/features/screener/rows.ts'
import {
  needsReference,
  needsResearch,
  type Screen,
  type ScreenSpan,
} from '../../../shared/features/screener/screen.ts'
import type { CoveredSession } from '../../../shared/features/evidence/session-spans.ts'
import type { Hub } from '../../core/market/hub-types.ts'
import type { View } from '../../core/views/views.ts'
import { ClockedReading, type Pass } from './clocked-reading.ts'
import { SpanReader, spanStart, type Instruments, type StoredFacts } from './read-facts.ts'

export interface ViewScreenerParts {
  readonly view: Pick<View, 'live' | 'wallMs' | 'history'> & {
    readonly hub: Pick<Hub, 'cells' | 'find' | 'row' | 'onReset'>
  }
  /** The instruments of the view's source. */
  readonly instruments: () => Promise<Instruments>
  /** The sessions that touch the time from `fromMs` (UTC ms) to the view's clock. */
  readonly sessions: (fromMs: number) => Promise<readonly CoveredSession[]>
  /** Figures of companies from saved responses, as of the view's clock. Never sends a request. */
  readonly fundamentals: (stocks: Instruments) => Promise<ReadonlyMap<InstrumentId, MetricValues>>
  /** Whether an instrument is in a universe. */
  readonly inUniverse: (universe: string) => (id: InstrumentId) => boolean
  /** Real time, ms. */
  readonly realMs: () => number
  /** Called when something was read. */
  readonly changed: () => void
}

/** How many instruments are read at once, and how many between two calls of `changed`. */
const AT_ONCE = 4
const TOLD_EVERY = 50
const NOTHING_READ: StoredFacts['coverage'] = { gaps: 0, missingMs: 0, covered: null }

type Facts = ReadonlyMap<InstrumentId, StoredFacts>

export class ViewScreener {
  readonly #o: ViewScreenerParts
  readonly #spans = new Map<ScreenSpan, ClockedReading<Facts>>()
  readonly #fundamentals: ClockedReading<ReadonlyMap<InstrumentId, MetricValues>>
  readonly #offReset: () => void

  constructor(parts: ViewScreenerParts) {
    this.#o = parts
    const { view, realMs, changed } = parts
    this.#fundamentals = new ClockedReading({ view, realMs, changed, read: (pass) => this.#readFundamentals(pass) })
    // A replay may have gone back and forth within a single read.
    this.#offReset = view.hub.onReset(() => {
      if (view.live) return
      for (const one of this.#all()) one.interrupt()
      changed()
    })
  }

  close(): void {
    this.#offReset()
    for (const one of this.#all()) one.close()
  }

  /** Drops what was read and what is being read, because the source changed. */
  forget(): void {
    for (const one of this.#all()) one.forget()
  }

  /** Reads the store again for those of these screens that are due. */
  refresh(screens: readonly Screen[]): void {
    for (const one of new Set(screens.flatMap((screen) => this.#needed(screen)))) one.refresh()
  }

  /** Reads what a screen needs. Rejects if it can't be read. */
  async settle(screen: Screen): Promise<void> {
    for (const one of this.#needed(screen)) await one.settle()
  }

  /**
   * The members of a screen, and the undecided instruments: those that may belong, but whose current figures or
   * fundamentals aren't known. Null while something that the screen needs wasn't read or can't be read.
   */
  members(screen: Screen): { readonly rows: readonly ScreenRow[]; readonly undecided: ReadonlySet<string> } | null {
    const isSettled = this.#needed(screen).every(({ current, problem }) => current !== undefined && problem === '')
    if (!isSettled) return null
    const { all, rows } = this.#result(screen)
    const undecided = all.filter(({ values }) => isUndecided(values, screen.filters))
    return { rows, undecided: new Set(undecided.map(({ instrument }) => instrument)) }
  }

  /** Why what a screen needs couldn't be read; '' if it could. */
  problemOf(screen: Screen): string {
    return this.#needed(screen).find(({ problem }) => problem !== '')?.problem ?? ''
  }

  #all() {
    return [...this.#spans.values(), this.#fundamentals]
  }
  #needed(screen: Screen) {
    return needsResearch(screen) ? [this.#span(screen.span), this.#fundamentals] : [this.#span(screen.span)]
  }
  #span(span: ScreenSpan): ClockedReading<Facts> {
    const known = this.#spans.get(span)
    if (known !== undefined) return known
    const { view, realMs, changed } = this.#o
    const made = new ClockedReading({ view, realMs, changed, read: (pass) => this.#read(span, pass) })
    this.#spans.set(span, made)
    return made
  }

  async #read(span: ScreenSpan, pass: Pass): Promise<Facts> {
    const { view, changed, instruments, sessions } = this.#o
    const facts = new Map<InstrumentId, StoredFacts>()
    const queue = [...(await pass.part(instruments))]
    if (queue.length === 0) return facts
    pass.progress.total = queue.length
    const touching = await pass.part(() => sessions(spanStart(span, pass.atMs)))
    const reader = new SpanReader(view, span, pass.atMs, touching)
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined && !pass.isOver(); next = queue.shift()) {
        const [instrument, symbol] = next
        facts.set(instrument, { symbol, ...(await pass.part(() => reader.read(instrument))) })
        pass.progress.done += 1
        if (pass.progress.done % TOLD_EVERY === 0) changed()
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return facts
  }

  async #readFundamentals(pass: Pass): Promise<ReadonlyMap<InstrumentId, MetricValues>> {
    const { instruments, fundamentals } = this.#o
    const all = await pass.part(instruments)
    const stocks = new Map([...all].filter(([id]) => parseInstrument(id)?.asset === 'stocks'))
    return pass.part(() => fundamentals(stocks))
  }

  /** What is known of the instruments of a universe at the view's clock. */
  #facts(span: ScreenSpan, universe: string): readonly InstrumentFacts[] {
    const { view, inUniverse } = this.#o
    const stored = this.#span(span).current?.value
    const figures = this.#fundamentals.current?.value
    const isIn = inUniverse(universe)
    const ids = new Set([...(stored?.keys() ?? []), ...[...view.hub.cells()].map(({ id }) => id)])
    const nowMs = view.wallMs()
    const all: InstrumentFacts[] = []
    for (const id of ids) {
      const parsed = parseInstrument(id)
      if (parsed === undefined || !isIn(id)) continue
      const cell = view.hub.find(id)
      const row = cell === undefined ? undefined : view.hub.row(cell, nowMs)
      const { symbol, stats = null, coverage = NOTHING_READ } = stored?.get(id) ?? {}
      // Leave out instruments that a replay hasn't reached yet.
      if (stats === null && (row?.lastRecvMs ?? null) === null) continue
      all.push({
        instrument: id,
        symbol: row?.symbol ?? symbol ?? parsed.key,
        asset: parsed.asset,
        decimals: row?.decimals ?? 2,
        last: row?.last ?? null,
        bid: row?.bid ?? null,
        ask: row?.ask ?? null,
        lastRecvMs: row?.lastRecvMs ?? null,
        stats,
        coverage,
        fundamentals: figures?.get(id) ?? {},
      })
    }
    return all
  }

  #result(screen: Screen) {
    const facts = this.#facts(screen.span, screen.universe)
    const stored = this.#span(screen.span).current?.value
    // The keys of the map are instruments; a text that isn't one finds nothing.
    const reference = needsReference(screen) ? stored?.get(screen.reference as InstrumentId)?.stats?.returns : undefined
    const nowMs = this.#o.view.wallMs()
    const all = facts.map((one) => rowOf(one, nowMs, reference ?? null))
    return { facts, all, rows: screenRows(all, screen) }
  }

  /** A page of the result; without a range, all of it. */
  page(screen: Screen, offset = 0, limit = Infinity): ScreenPage {
    const { facts, rows: all } = this.#result(screen)
    const factsOf = new Map(facts.map((one) => [one.instrument, one]))
    const rows = all.slice(offset, offset + limit).map((row) => {
      const known = screen.trend ? factsOf.get(row.instrument) : undefined
      return known === undefined ? row : { ...row, trend: trendOf(known) }
    })
    const { current, progress } = this.#span(screen.span)
    const shares = facts.flatMap(({ coverage: { covered } }) => (covered === null ? [] : [covered]))
    return {
      offset,
      rows,
      matched: all.length,
      known: facts.length,
      nowMs: unixMs(this.#o.view.wallMs()),
      readMs: current === undefined ? null : unixMs(current.atMs),
      reading: progress,
      covered: shares.length === 0 ? null : shares.reduce((sum, one) => sum + one, 0) / shares.length,
      withoutBars: facts.filter(({ stats }) => stats === null).length,
      problem: this.problemOf(screen),
    }
  }
}
