/**
 * Alerts against the market, record by record: pure, with every instant an argument. Live and a recording
 * that is tested run the same code over the same calls. A record costs only the alerts of its instrument,
 * and of those that wait for a price only the nearest.
 *
 * What is settled here:
 * - Time is that of receipt, made never to decrease: of windows, rests and expiry. The event time decides only
 *   whether a record is late: a late trade changes no price, a late quote nothing.
 * - A cross goes from strictly one side of a level to it or beyond, between two accepted records of a chain.
 *   While a feed is blind (stale, not connected, a gap of its symbol) its records count for nothing, and the
 *   first one after it begins a new chain: no cross is made of an old price. That the price stands on the other
 *   side then is told as `unseen`.
 * - Windows of moves and volumes begin anew after a blind stretch.
 * - What counts as "so much or more" (move, spread, volume) fires when that becomes true, also at the first
 *   record, and again only after it was not.
 */
import { midPrice, usable, type BarGrid } from '../bars.ts'
import { openTime } from '../drawings/open-time.ts'
import { priceAt } from '../drawings/price-at.ts'
import type { Drawing } from '../drawings/types.ts'
import type { Bar, BarSource, Interval } from '../market.ts'
import type { GapCause } from '../recording.ts'
import type { FeedState } from '../state.ts'
import { feedAsset, instrumentId, parseInstrument, type AssetClass, type FeedId, type InstrumentId } from '../units.ts'
import { place, type Places } from './places.ts'
import { Sight, type Blind } from './sight.ts'
import { feedOf, waitsFor, type TickFeeds } from './standing.ts'
import type { Alert, AlertDirection, AlertPrice, AlertState, BlindCause } from './types.ts'
import { KIND_RANK, Watch, type LevelItem, type PriceChain, type Run } from './watch.ts'

/** An alert fired. Instants UTC ms. */
export interface Fired {
  readonly alert: Alert
  /** Receipt of the record, or the instant itself where none was needed. */
  readonly atMs: number
  readonly eventMs: number | null
  readonly value: number
  readonly before: number | null
  /** Of what it fired, where it fires once for each (the day of a report). */
  readonly of: string | null
}

export interface EvaluatorListener {
  fired(fired: Fired): void
  /** The price was `before` when sight was lost, and on the other side of the level, at `value`, when it came back. */
  unseen(alert: Alert, atMs: number, value: number, before: number): void
  expired(alert: Alert, atMs: number): void
  /** Alerts lost sight (`toMs` null) or have it back; `blind` is the same object both times. */
  blind(blind: Blind, instruments: readonly InstrumentId[], alerts: number, toMs: number | null): void
  /** An indicator wants the bars before now: to be given to `seed`. */
  wantsBars(instrument: InstrumentId, of: BarSource, interval: Interval): void
  /** The state of alerts of an instrument is another one. */
  changed(watch: Watch): void
}

export interface EvaluatorOptions {
  readonly listener: EvaluatorListener
  readonly grid: (asset: AssetClass, interval: Interval) => BarGrid
  readonly isOpen: (asset: AssetClass, ms: number) => boolean
  /** Feeds that trades and quotes of an asset class come from. */
  readonly feeds: (asset: AssetClass) => TickFeeds
  /** Nothing was watched since then: see `Sight`. */
  readonly before?: { readonly cause: BlindCause; readonly fromMs: number } | null
}

const DAY_MS = 86_400_000
const TICK_MS = 1_000
const FEW = 10_000

export class Evaluator {
  readonly #o: EvaluatorOptions
  #sight: Sight
  readonly #watches = new Map<InstrumentId, Watch>()
  readonly #runs = new Map<string, Run>()
  /** By feed and spelling: so that a record of nobody's interest costs one look. */
  readonly #bySymbol: Partial<Record<FeedId, Map<string, Watch | null>>> = {}
  /** The last one that was looked for: busy symbols come in runs. */
  #found: { feed: FeedId | null; symbol: string; watch: Watch | null } = { feed: null, symbol: '', watch: null }
  readonly #drawings = new Map<InstrumentId, ReadonlyMap<string, Drawing>>()
  readonly #timed = new Set<Run>()
  readonly #reports = new Map<InstrumentId, readonly number[]>()
  #nowMs = -Infinity
  #nextTickMs = -Infinity
  #tickedMs = -Infinity
  #eventMs: number | null = null

  constructor(options: EvaluatorOptions) {
    this.#o = options
    const { grid, listener } = options
    const wantsBars: Places['wantsBars'] = (...bars) => listener.wantsBars(...bars)
    this.#places = { grid, wantsBars, backs: this.#backs }
    this.#sight = new Sight(options.before ?? null)
  }

  get size(): number {
    return this.#runs.size
  }
  instruments(): readonly InstrumentId[] {
    return [...this.#watches.keys()]
  }

  // -- alerts --

  /** Watches an alert, in place of one of the same id. It may fire from the next record on. */
  put(alert: Alert): void {
    this.remove(alert.id)
    const watch = this.#watchFor(alert.instrument)
    const run: Run = {
      alert,
      watch,
      restUntilMs: restOf(alert),
      away: false,
      firedOf: alert.firedOf,
      told: false,
      release: () => undefined,
    }
    run.release = place(run, this.#places)
    watch.runs.add(run)
    this.#runs.set(alert.id, run)
    if (alert.condition.is === 'stale' || alert.condition.is === 'earnings') this.#timed.add(run)
    if (alert.expiresMs !== null) this.#expiring = null
  }

  remove(id: string): void {
    const run = this.#runs.get(id)
    if (run === undefined) return
    run.release()
    this.#runs.delete(id)
    this.#timed.delete(run)
    if (run.alert.expiresMs !== null) this.#expiring = null
    run.watch.runs.delete(run)
    if (run.watch.runs.size > 0) return
    this.#watches.delete(run.watch.id)
    this.#forgetSymbols()
  }

  /** The drawings of an instrument as they are now. */
  setDrawings(instrument: InstrumentId, drawings: readonly Drawing[]): void {
    const before = this.#drawings.get(instrument)
    const now = new Map(drawings.map((one) => [one.id, one]))
    this.#drawings.set(instrument, now)
    const watch = this.#watches.get(instrument)
    if (watch === undefined) return
    for (const chain of Object.values(watch.chains)) {
      for (const one of chain.drawn) {
        const id = drawingOf(one.run.alert)
        // Where it was moved, it moved and not the price.
        if (before?.get(id) !== now.get(id)) one.apart = []
      }
    }
    this.#o.listener.changed(watch)
  }

  /** Days (00:00 UTC) on which an instrument reports, as the calendar that was fetched last says. */
  setReports(instrument: InstrumentId, days: readonly number[]): void {
    this.#reports.set(instrument, days)
  }

  /** The bars that `wantsBars` asked for, oldest first; none are right, too. */
  seed(instrument: InstrumentId, of: BarSource, interval: Interval, bars: readonly Bar[]): void {
    const watch = this.#watches.get(instrument)
    const lines = watch?.bars.find((one) => one.of === of && one.interval === interval)
    if (watch === undefined || lines === undefined || lines.seeded) return
    lines.seed(bars)
    this.#o.listener.changed(watch)
  }

  /** Where an alert that is watched stands; undefined: it is not. */
  state(id: string): AlertState | undefined {
    const run = this.#runs.get(id)
    if (run === undefined) return undefined
    const { alert, watch } = run
    const { condition } = alert
    if (condition.is === 'drawing' && this.#drawings.get(watch.id)?.has(condition.drawing) === false) {
      return { is: 'broken' }
    }
    if (condition.is === 'earnings') {
      if (!this.#reports.has(alert.instrument)) return { is: 'waiting', for: 'date' }
    } else if (condition.is !== 'stale') {
      const blind = watch.blind.get(feedOf(run, this.#o.feeds(watch.asset)))
      if (blind !== undefined) return { is: 'blind', sinceMs: blind.fromMs, cause: blind.cause }
      const waiting = waitsFor(run)
      if (waiting !== null) return { is: 'waiting', for: waiting }
    }
    if (run.away) return { is: 'resting', untilMs: null }
    return run.restUntilMs > this.#nowMs ? { is: 'resting', untilMs: run.restUntilMs } : { is: 'armed' }
  }

  // -- the market --

  /** What is watched under a spelling of a feed; null: nothing. */
  watchOf(feed: FeedId, symbol: string): Watch | null {
    const found = this.#found
    if (found.feed === feed && found.symbol === symbol) return found.watch
    let known = this.#bySymbol[feed]
    if (known === undefined || known.size > FEW) {
      known = new Map<string, Watch | null>()
      this.#bySymbol[feed] = known
    }
    let watch = known.get(symbol)
    if (watch === undefined) {
      watch = symbol === '' ? null : (this.#watches.get(instrumentId(feedAsset(feed), symbol)) ?? null)
      known.set(symbol, watch)
    }
    found.feed = feed
    found.symbol = symbol
    found.watch = watch
    return watch
  }

  #forgetSymbols(): void {
    for (const known of Object.values(this.#bySymbol)) known.clear()
    this.#found.feed = null
  }

  /** A trade. `size` and `eventMs` NaN: it carries none. */
  trade(watch: Watch, feed: FeedId, price: number, size: number, eventMs: number, recvMs: number): void {
    if (recvMs > this.#nowMs) this.advance(recvMs)
    if (!usable(price) || (watch.blind.size > 0 && watch.blind.has(feed))) return
    const atMs = Number.isNaN(eventMs) ? recvMs : eventMs
    this.#eventMs = atMs
    if (watch.volumes.length > 0 && size >= 0 && size < Infinity) this.#volume(watch, size)
    if (watch.bars.length > 0) this.#bars(watch, 'trade', atMs, price, size)
    if (watch.rank < KIND_RANK.trade) this.#rank(watch, KIND_RANK.trade)
    watch.lastFeed = feed
    if (atMs < watch.lastMs) return
    watch.lastMs = atMs
    this.#price(watch, 'last', price, atMs)
  }

  /** A quote. A side that is NaN is not told; one that is no price says that there is none. */
  quote(watch: Watch, feed: FeedId, bid: number, ask: number, eventMs: number, recvMs: number): void {
    if (recvMs > this.#nowMs) this.advance(recvMs)
    if (watch.blind.size > 0 && watch.blind.has(feed)) return
    const atMs = Number.isNaN(eventMs) ? recvMs : eventMs
    if (atMs < watch.quoteMs) return
    watch.quoteMs = atMs
    this.#eventMs = atMs
    const mid = midPrice(bid, ask)
    if (watch.bars.length > 0) {
      this.#bars(watch, 'bid', atMs, bid, NaN)
      this.#bars(watch, 'ask', atMs, ask, NaN)
      this.#bars(watch, 'mid', atMs, mid, NaN)
    }
    if (!Number.isNaN(bid)) watch.bid = bid > 0 ? bid : NaN
    if (!Number.isNaN(ask)) watch.ask = ask > 0 ? ask : NaN
    if (usable(bid)) this.#price(watch, 'bid', bid, atMs)
    if (usable(ask)) this.#price(watch, 'ask', ask, atMs)
    if (usable(mid)) {
      this.#price(watch, 'mid', mid, atMs)
      if (watch.rank <= KIND_RANK.mid) this.#asLast(watch, feed, KIND_RANK.mid, mid, atMs)
    }
    const apart = watch.ask - watch.bid
    if (Number.isNaN(apart)) return
    this.#value = apart
    watch.spread.price.step(apart, this.#crossed)
    this.#value = (apart / (watch.bid + apart / 2)) * 100
    watch.spread.percent.step(this.#value, this.#crossed)
  }

  /** A bar that the service sent: Last, where nothing better is. */
  bar(watch: Watch, feed: FeedId, close: number, eventMs: number, recvMs: number): void {
    if (recvMs > this.#nowMs) this.advance(recvMs)
    if (watch.rank > KIND_RANK.bar || !usable(close) || watch.blind.has(feed)) return
    const atMs = Number.isNaN(eventMs) ? recvMs : eventMs
    this.#eventMs = atMs
    this.#asLast(watch, feed, KIND_RANK.bar, close, atMs)
  }

  feedState(feed: FeedId, state: FeedState, nowMs: number): void {
    this.advance(nowMs)
    this.#sight.state(feed, state, this.#nowMs)
    this.#look(feed, this.#nowMs)
    this.#stale(feed)
  }

  gapOpened(feed: FeedId, cause: GapCause, symbols: readonly string[], fromMs: number): void {
    const all = symbols.length === 0
    const which = all ? null : new Set(symbols.map((symbol) => instrumentId(feedAsset(feed), symbol)))
    this.#sight.gapOpened(feed, cause, which, fromMs)
    this.#look(feed, this.#nowMs)
  }

  gapClosed(feed: FeedId, fromMs: number, toMs: number): void {
    this.#sight.gapClosed(feed, fromMs)
    this.#look(feed, toMs)
  }

  /** What follows is of another source or another place: nothing of what was seen counts any more. */
  forget(): void {
    const nowMs = this.#nowMs
    const open = new Set([...this.#watches.values()].flatMap(({ blind }) => [...blind.values()]))
    this.#sight = new Sight()
    for (const feed of new Set([...open].map((blind) => blind.feed))) this.#look(feed, nowMs)
    for (const watch of this.#watches.values()) {
      watch.forget()
      for (const run of watch.runs) run.told = false
    }
    this.#nowMs = this.#nextTickMs = this.#tickedMs = -Infinity
    for (const watch of this.#watches.values()) {
      for (const { of, interval } of watch.bars) this.#o.listener.wantsBars(watch.id, of, interval)
      this.#o.listener.changed(watch)
    }
  }

  /** The time moved on: what waits for time alone. Call about once a second. */
  advance(nowMs: number): void {
    if (nowMs <= this.#nowMs) return
    this.#nowMs = nowMs
    if (nowMs < this.#nextTickMs) return
    this.#nextTickMs = Math.floor(nowMs / TICK_MS) * TICK_MS + TICK_MS
    this.#expireDue()
    for (const run of [...this.#timed]) this.#timedRun(run)
    this.#tickedMs = nowMs
    for (const watch of this.#watches.values()) {
      for (const lines of watch.bars) lines.advance(nowMs, this.#linesCrossed)
    }
  }

  // -- conditions --

  /** Levels at which alerts that fired are armed again. */
  readonly #backs = new Map<Run, readonly LevelItem[]>()
  readonly #places: Places

  readonly #crossed = (item: LevelItem, up: boolean, before: number): void => {
    const { run, direction, role } = item
    if (role === 'back') {
      this.#armAgain(run)
      return
    }
    if (direction !== 'either' && (direction === 'up') !== up) return
    const known = run.alert.condition.is === 'price' ? before : null
    if (this.#fire(run, this.#value, known) && this.#runs.get(run.alert.id) === run) {
      this.#goAway(run, item, up)
    }
  }
  readonly #unseen = (item: LevelItem, up: boolean, lost: number): void => {
    const { run, direction, role } = item
    if (role === 'back') this.#armAgain(run)
    else if (direction === 'either' || (direction === 'up') === up) {
      this.#o.listener.unseen(run.alert, this.#nowMs, this.#value, lost)
    }
  }
  readonly #linesCrossed = (run: Run, _up: boolean, value: number, before: number): void => {
    this.#fire(run, value, before)
  }
  #value = NaN

  /** A price that must go back before it fires again leaves its level until then. */
  #goAway(run: Run, item: LevelItem, up: boolean): void {
    const { condition, repeat } = run.alert
    if (condition.is !== 'price' || repeat === null || repeat.backPercent === 0) return
    const { index } = run.watch.chains[condition.of]
    index.remove(item.level, item)
    const by = (item.level * repeat.backPercent) / 100
    const backs: LevelItem[] = []
    if (up || condition.direction === 'either') {
      backs.push({ run, role: 'back', level: item.level - by, direction: 'down' })
    }
    if (!up || condition.direction === 'either') {
      backs.push({ run, role: 'back', level: item.level + by, direction: 'up' })
    }
    for (const back of backs) index.add(back.level, back)
    this.#backs.set(run, backs)
    run.away = true
  }

  #armAgain(run: Run): void {
    const { condition } = run.alert
    if (condition.is !== 'price' || !run.away) return
    const { index } = run.watch.chains[condition.of]
    for (const back of this.#backs.get(run) ?? []) index.remove(back.level, back)
    this.#backs.delete(run)
    run.away = false
    run.release = place(run, this.#places)
    this.#o.listener.changed(run.watch)
  }

  /** Answers whether it fired: not when it rests or its time is over. */
  #fire(run: Run, value: number, before: number | null, of: string | null = null): boolean {
    const { alert, watch } = run
    const atMs = this.#nowMs
    if (alert.expiresMs !== null && atMs >= alert.expiresMs) {
      this.#expire(run)
      return false
    }
    if (atMs < run.restUntilMs) return false
    if (alert.repeat === null) this.remove(alert.id)
    else run.restUntilMs = atMs + alert.repeat.restMs
    run.firedOf = of
    this.#o.listener.fired({ alert, atMs, eventMs: this.#eventMs, value, before, of })
    this.#o.listener.changed(watch)
    return true
  }

  /** Those that expire, the next one last; taken anew when one came or went. */
  #expiring: Run[] | null = null
  #expireDue(): void {
    const expiry = (run: Run): number => run.alert.expiresMs ?? Infinity
    this.#expiring ??= [...this.#runs.values()]
      .filter((run) => run.alert.expiresMs !== null)
      .sort((a, b) => expiry(b) - expiry(a))
    const due: Run[] = []
    for (let at = this.#expiring.length - 1; at >= 0 && expiry(this.#expiring[at]) <= this.#nowMs; at -= 1) {
      due.push(this.#expiring[at])
    }
    for (const run of due) this.#expire(run)
  }

  #expire(run: Run): void {
    const { alert, watch } = run
    this.remove(alert.id)
    this.#o.listener.expired(alert, alert.expiresMs ?? this.#nowMs)
    this.#o.listener.changed(watch)
  }

  #price(watch: Watch, of: AlertPrice, price: number, atMs: number): void {
    const chain = watch.chains[of]
    this.#value = price
    chain.index.step(price, this.#crossed, this.#unseen)
    if (chain.moves.length > 0) this.#moves(chain, price)
    if (chain.drawn.length > 0) this.#drawn(watch, chain, price, atMs)
  }

  #moves(chain: PriceChain, price: number): void {
    for (const { window, up, down } of chain.moves) {
      window.step(price, this.#nowMs)
      this.#value = window.up
      up.step(window.up, this.#crossed)
      this.#value = -window.down
      down.step(window.down, this.#crossed)
    }
  }

  #drawn(watch: Watch, chain: PriceChain, price: number, atMs: number): void {
    for (const one of chain.drawn) {
      const drawing = this.#drawings.get(watch.id)?.get(drawingOf(one.run.alert))
      const { condition } = one.run.alert
      // Every one of these is about a drawing.
      if (condition.is !== 'drawing') continue
      const axis = condition.hours === 'open' ? openTime(watch.asset) : undefined
      const levels = drawing === undefined ? [] : priceAt(drawing, atMs, axis, condition.scale)
      const apart = levels.map((level) => price - level)
      const before = one.apart
      one.apart = apart
      if (before.length !== apart.length) continue
      const at = apart.findIndex((now, i) => crosses(before[i], now, one.direction))
      if (at >= 0) this.#fire(one.run, price, levels[at] + before[at])
    }
  }

  #asLast(watch: Watch, feed: FeedId, rank: number, price: number, atMs: number): void {
    if (watch.rank < rank) this.#rank(watch, rank)
    watch.lastFeed = feed
    if (atMs < watch.lastMs) return
    watch.lastMs = atMs
    this.#price(watch, 'last', price, atMs)
  }

  #rank(watch: Watch, rank: number): void {
    const first = watch.rank === KIND_RANK.none
    watch.rank = rank
    watch.lastMs = -Infinity
    if (!first) watch.cutPrice('last', true)
    this.#o.listener.changed(watch)
  }

  #volume(watch: Watch, size: number): void {
    for (const { window, index } of watch.volumes) {
      if (window.moveTo(this.#nowMs)) index.step(window.sum, this.#crossed)
      window.add(size)
      this.#value = window.sum
      index.step(window.sum, this.#crossed)
    }
  }

  #bars(watch: Watch, of: BarSource, atMs: number, price: number, size: number): void {
    for (const lines of watch.bars) if (lines.of === of) lines.record(atMs, price, size, this.#linesCrossed)
  }

  #timedRun(run: Run): void {
    const { alert } = run
    if (alert.condition.is === 'stale') this.#staleRun(run, alert.condition.afterMs)
    else if (alert.condition.is === 'earnings') this.#report(run, alert.condition.days)
  }

  #stale(feed: FeedId): void {
    for (const run of [...this.#timed]) {
      const { condition } = run.alert
      if (condition.is !== 'stale' || feedOf(run, this.#o.feeds(run.watch.asset)) !== feed) continue
      this.#staleRun(run, condition.afterMs)
    }
  }

  #staleRun(run: Run, afterMs: number): void {
    const { watch } = run
    const sinceMs = this.#sight.downSince(feedOf(run, this.#o.feeds(watch.asset)))
    if (Number.isNaN(sinceMs)) {
      run.told = false
      return
    }
    // Hours in which nothing trades are silent by their nature.
    if (run.told || this.#nowMs < sinceMs + afterMs || !this.#o.isOpen(watch.asset, this.#nowMs)) return
    run.told = true
    this.#eventMs = null
    // Where nothing moved the time meanwhile, as in a recording, it was due before now.
    const now = this.#nowMs
    this.#nowMs = Math.min(now, Math.max(sinceMs + afterMs, this.#tickedMs))
    this.#fire(run, this.#nowMs - sinceMs, null)
    this.#nowMs = now
  }

  #report(run: Run, days: number): void {
    const now = this.#nowMs
    const due = (this.#reports.get(run.alert.instrument) ?? []).filter(
      (day) => now >= day - days * DAY_MS && now < day + DAY_MS,
    )
    const [day] = due.toSorted((a, b) => a - b)
    if (day === undefined) return
    const of = new Date(day).toISOString().slice(0, 10)
    if (run.firedOf === of) return
    this.#eventMs = null
    this.#fire(run, day, null, of)
  }

  // -- sight --

  /** Looks anew at what is seen of a feed; what is back is so since `nowMs`. */
  #look(feed: FeedId, nowMs: number): void {
    const asset = feedAsset(feed)
    const lost = new Map<string, { readonly blind: Blind; readonly watches: Watch[] }>()
    const back = new Map<Blind, Watch[]>()
    for (const watch of this.#watches.values()) {
      if (watch.asset !== asset) continue
      const now = this.#sight.blind(feed, watch.id)
      const before = watch.blind.get(feed)
      if (now === null) {
        if (before === undefined) continue
        watch.blind.delete(feed)
        back.set(before, [...(back.get(before) ?? []), watch])
      } else if (before === undefined) {
        const key = `${now.cause} ${now.fromMs}`
        const group = lost.get(key) ?? { blind: { feed, cause: now.cause, fromMs: now.fromMs }, watches: [] }
        lost.set(key, group)
        group.watches.push(watch)
        watch.blind.set(feed, group.blind)
        this.#cut(watch, feed)
      } else if (before.cause === 'drop' && now.cause !== 'drop') {
        before.cause = now.cause
        before.fromMs = Math.min(before.fromMs, now.fromMs)
      } else continue
      this.#o.listener.changed(watch)
    }
    const tell = (blind: Blind, watches: readonly Watch[], toMs: number | null) =>
      this.#o.listener.blind(
        blind,
        watches.map(({ id }) => id),
        watches.reduce((sum, { runs }) => sum + runs.size, 0),
        toMs,
      )
    for (const { blind, watches } of lost.values()) tell(blind, watches, null)
    for (const [blind, watches] of back) tell(blind, watches, Math.max(nowMs, blind.fromMs))
  }

  /** What comes on a feed does not follow what came. */
  #cut(watch: Watch, feed: FeedId): void {
    const { trade, quote } = this.#o.feeds(watch.asset)
    if (feed === (watch.lastFeed ?? trade ?? quote)) {
      watch.cutPrice('last', false)
      watch.lastMs = -Infinity
    }
    if (feed === quote) {
      for (const side of ['bid', 'ask', 'mid'] as const) {
        watch.cutPrice(side, false)
        watch.cutBars(side)
      }
      watch.cutSpread()
      watch.quoteMs = -Infinity
    }
    if (feed !== trade) return
    watch.cutVolume()
    watch.cutBars('trade')
  }

  #watchFor(id: InstrumentId): Watch {
    const known = this.#watches.get(id)
    if (known !== undefined) return known
    const asset = parseInstrument(id)?.asset ?? 'stocks'
    const made = new Watch(id, asset)
    this.#watches.set(id, made)
    this.#forgetSymbols()
    const { trade, quote } = this.#o.feeds(asset)
    for (const feed of trade === null ? [quote] : [trade, quote]) {
      const now = this.#sight.blind(feed, id)
      if (now === null) continue
      // One stretch for all that share it, so that it is told once.
      const others = [...this.#watches.values()].flatMap((one) => one.blind.get(feed) ?? [])
      const same = others.find(({ cause, fromMs }) => cause === now.cause && fromMs === now.fromMs)
      made.blind.set(feed, same ?? { feed, cause: now.cause, fromMs: now.fromMs })
    }
    return made
  }
}

const crosses = (before: number, now: number, direction: AlertDirection): boolean =>
  (direction !== 'down' && before < 0 && now >= 0) || (direction !== 'up' && before > 0 && now <= 0)

const drawingOf = ({ condition }: Alert): string => (condition.is === 'drawing' ? condition.drawing : '')

/** The rest that an alert was in when it was kept. */
const restOf = ({ repeat, firedMs }: Alert): number =>
  repeat === null || firedMs === null ? -Infinity : firedMs + repeat.restMs
