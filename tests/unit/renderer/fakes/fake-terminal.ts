/**
 * A terminal made up for component tests and screenshots: a deterministic market behind the two
 * functions of a transport, stepped by hand, with faults on demand. It is never part of the app.
 */
import type {
  CallArgs,
  CallName,
  CallValue,
  StreamArgs,
  StreamName,
  StreamValue,
} from '../../../../src/shared/contracts.ts'
import type { Failure, Result } from '../../../../src/shared/base/errors.ts'
import type { Bar, Print } from '../../../../src/shared/core/market/market.ts'
import { INTERVALS } from '../../../../src/shared/core/market/market.ts'
import type { JobState } from '../../../../src/shared/core/jobs/jobs.ts'
import { UNLABELLED, type SessionRow } from '../../../../src/shared/core/recording/recording.ts'
import type { Settings } from '../../../../src/shared/core/settings/settings.ts'
import { DEFAULT_SETTINGS, mergeSettings } from '../../../kit/settings.ts'
import type {
  AccountState,
  AppInfo,
  ConnectionStep,
  FeedState,
  FeedStatus,
  Freshness,
  LogEntry,
  QuoteRow,
  RecorderState,
  StatusState,
  SymbolHit,
} from '../../../../src/shared/core/status/status.ts'
import type { Workspaces } from '../../../../src/main/features/workspace/port.ts'
import { createWorkspaces } from '../../../../src/main/features/workspace/workspaces.ts'
import { overviewOf } from '../../../../src/shared/features/workspace/migrate.ts'
import type { Transport } from '../../../../src/shared/rpc/transport.ts'
import { FEED_IDS, instrumentId, parseInstrument, recordingId, unixMs } from '../../../../src/shared/base/units.ts'
import type { AssetClass, FeedId, InstrumentId } from '../../../../src/shared/base/units.ts'
import { FakeReplay } from './fake-replay.ts'
import { fakeEvidence } from './fake-evidence.ts'
import { FakeExchange } from './fake-exchange.ts'
import { emptyRow, randomOf, SEEDS, type Seed } from './fake-market.ts'

/** What goes wrong, or how things stand. */
export interface FakeFaults {
  /** Feeds in another state than open. */
  readonly feeds?: Readonly<Partial<Record<FeedId, FeedState>>>
  readonly freshness?: Readonly<Partial<Record<AssetClass, Freshness>>>
  readonly recorder?: RecorderState
  /** No symbol, no print, no session. */
  readonly empty?: boolean
  readonly source?: 'demo' | 'service'
  readonly message?: string
  /** Calls that fail, and how. */
  readonly failing?: Readonly<Partial<Record<CallName, Failure>>>
}

interface Opened {
  readonly name: StreamName
  readonly args: unknown
  readonly give: (value: unknown) => void
  readonly end: ((failure: Failure) => void) | undefined
}

export class FakeTerminal implements Transport {
  nowMs: number
  settings: Settings
  faults: FakeFaults
  /** Long work as windows see it; told by `setJobs`. */
  jobs: readonly JobState[] = []
  /** Every call made, for assertions. */
  readonly calls: { name: CallName; args: unknown }[] = []
  readonly #random: () => number
  readonly #rows = new Map<InstrumentId, QuoteRow>()
  readonly #prints = new Map<InstrumentId, Print[]>()
  readonly #open = new Set<Opened>()
  readonly #links = new Set<(up: boolean) => void>()
  readonly #log: LogEntry[] = []
  /** The one replay that may be open. */
  readonly replay = new FakeReplay((state) => {
    for (const one of [...this.#open]) if (one.name === 'replay') this.#give<'replay'>(one, state)
  })
  /** Exports, imports and their jobs. */
  readonly exchange = new FakeExchange((jobs) => {
    for (const one of [...this.#open]) if (one.name === 'jobs') this.#give<'jobs'>(one, jobs)
  })
  /** The user's workspaces, for as long as this terminal lives. */
  readonly workspaces: Workspaces
  #up = true
  #seq = 0
  #received = 0

  constructor(options: { seed?: number; nowMs?: number; settings?: Settings; faults?: FakeFaults } = {}) {
    this.#random = randomOf(options.seed ?? 7)
    this.nowMs = options.nowMs ?? Date.UTC(2026, 10, 4, 14, 3, 22)
    this.settings = options.settings ?? DEFAULT_SETTINGS
    this.faults = options.faults ?? {}
    this.workspaces = createWorkspaces({
      file: { load: () => null, save: () => undefined, setAside: () => '' },
      nowMs: () => this.nowMs,
      overview: () => overviewOf(this.settings.workspace),
      problem: () => undefined,
    })
    this.workspaces.onChange(() => {
      for (const one of this.#open)
        if (one.name === 'workspaces') this.#give<'workspaces'>(one, this.workspaces.state())
    })
    for (const seed of this.faults.empty ? [] : SEEDS) this.#add(seed)
    const texts: [LogEntry['level'], string, string, string | null][] = [
      ['info', 'store', 'Opened the store, 412 MB, schema 1.', null],
      ['info', 'feeds', 'crypto/XT open; 4 symbols acknowledged.', null],
      ['debug', 'feeds', 'forex/C: pong after 3 ms.', null],
      ['warn', 'feeds', 'crypto/XQ dropped; next try in 0.8 s.', 'close code 1006'],
      ['info', 'feeds', 'Reconnected to crypto/XQ after 4.2 s; the gap is marked on its charts.', null],
      ['error', 'codec', 'stocks/Q: a message could not be read; its raw text is kept.', '{"ev":"Q","sym":'],
    ]
    for (const [i, [level, from, text, detail]] of texts.entries())
      this.#log.push({ id: i + 1, atMs: unixMs(this.nowMs - 60_000 + i * 7_310), level, from, text, detail })
  }

  #add(seed: Seed): void {
    const instrument = instrumentId(seed.asset, seed.symbol)
    const half = (seed.pip ?? 10 ** -seed.decimals) * (seed.pip ? 0.35 : 5)
    const reference = seed.price / (1 + seed.change)
    const spark: number[] = []
    let walk = reference
    for (let i = 0; i < 60; i++) {
      walk += (seed.price - walk) / (60 - i) + (this.#random() - 0.5) * seed.price * 0.0015
      spark.push(walk)
    }
    const closed = seed.asset === 'stocks'
    this.#rows.set(instrument, {
      instrument,
      asset: seed.asset,
      symbol: seed.symbol,
      name: seed.name,
      last: seed.price,
      lastOf: seed.asset === 'forex' ? 'mid' : 'trade',
      lastEventMs: unixMs(this.nowMs - 120),
      lastRecvMs: unixMs(this.nowMs - (closed ? 14_000 : Math.floor(this.#random() * 1200))),
      tick: null,
      flash: 0,
      bid: seed.price - half,
      ask: seed.price + half,
      bidSize: seed.asset === 'forex' ? null : 1.2,
      askSize: seed.asset === 'forex' ? null : 0.8,
      open: reference,
      high: Math.max(seed.price, reference) * 1.006,
      low: Math.min(seed.price, reference) * 0.991,
      volume: seed.asset === 'forex' ? null : Math.round(18_204.51 * (64_123 / seed.price) * 100) / 100,
      rangeOf: 'open',
      reference,
      referenceOf: seed.asset === 'stocks' ? 'previous close' : 'session open',
      decimals: seed.decimals,
      pip: seed.pip ?? null,
      freshness: this.faults.freshness?.[seed.asset] ?? (closed ? 'closed' : 'live'),
      spark,
      mapping: seed.asset === 'stocks' ? 'likely T' : null,
    })
    const prints: Print[] = []
    let price = seed.price * 0.9998
    for (let i = 0; i < 400; i++) {
      const before = price
      price = price + (seed.price - price) / (400 - i) + (this.#random() - 0.5) * seed.price * 0.00012
      prints.push(this.#print(price, before, this.nowMs - (400 - i) * 640 + Math.floor(this.#random() * 500)))
    }
    if (seed.asset !== 'forex') this.#prints.set(instrument, prints)
  }

  #print(price: number, before: number, atMs: number): Print {
    return {
      seq: ++this.#seq,
      eventMs: unixMs(atMs),
      recvMs: unixMs(atMs + 40),
      price,
      size: Math.round(this.#random() ** 3 * 30_000) / 10_000,
      direction: price > before ? 1 : price < before ? -1 : 0,
    }
  }

  /** A print of an instrument now. */
  trade(instrument: InstrumentId, price: number, size = 1): void {
    const row = this.#rows.get(instrument)
    if (!row) return
    const tick = row.last === null ? null : price > row.last ? 1 : price < row.last ? -1 : 0
    const half = row.bid !== null && row.ask !== null ? (row.ask - row.bid) / 2 : 0
    const next: QuoteRow = {
      ...row,
      last: price,
      bid: price - half,
      ask: price + half,
      tick,
      flash: row.flash + 1,
      lastEventMs: unixMs(this.nowMs),
      lastRecvMs: unixMs(this.nowMs),
      high: Math.max(row.high ?? price, price),
      low: Math.min(row.low ?? price, price),
      volume: row.volume === null ? null : row.volume + size,
    }
    this.#received++
    this.put(next)
    if (row.asset === 'forex') return
    const print: Print = { ...this.#print(price, row.last ?? price, this.nowMs), size, recvMs: unixMs(this.nowMs) }
    const prints = this.#prints.get(instrument) ?? []
    prints.push(print)
    if (prints.length > 2_000) prints.splice(0, 500)
    this.#prints.set(instrument, prints)
    for (const one of this.#open) {
      if (one.name === 'tape' && (one.args as StreamArgs<'tape'>).instrument === instrument)
        this.#give<'tape'>(one, { reset: null, prints: [print], skipped: 0, decimals: row.decimals })
      if (one.name === 'bars' && (one.args as StreamArgs<'bars'>).instrument === instrument)
        this.#give<'bars'>(one, {
          reset: null,
          updates: [this.#formingBar(one.args as StreamArgs<'bars'>, price)],
          gaps: null,
          decimals: row.decimals,
        })
    }
  }

  /** Sets a row as a stream would send it. */
  put(row: QuoteRow): void {
    this.#rows.set(row.instrument, row)
    for (const one of this.#open) {
      // Streams are stored with the arguments that they were opened with.
      if (one.name === 'quotes' && (one.args as StreamArgs<'quotes'>).instruments.includes(row.instrument))
        this.#give<'quotes'>(one, { rows: [row] })
    }
  }

  row(instrument: InstrumentId): QuoteRow | undefined {
    return this.#rows.get(instrument)
  }

  /** Moves the clock and trades up to `trades` random prints. */
  step(ms: number, trades: number): void {
    this.nowMs += ms
    const live = [...this.#rows.values()].filter((row) => row.freshness === 'live')
    for (let i = 0; i < trades && live.length > 0; i++) {
      const picked = live[Math.floor(this.#random() ** 2 * live.length)]
      const row = picked && this.#rows.get(picked.instrument)
      if (!row?.last) continue
      const unit = 10 ** -row.decimals
      const moved = row.last + Math.round(((this.#random() - 0.5) * row.last * 0.0002) / unit) * unit
      this.trade(row.instrument, Math.max(unit, moved), Math.round(this.#random() ** 3 * 30_000) / 10_000)
    }
  }

  /** Sends the status to whoever follows it. */
  sendStatus(): void {
    for (const one of this.#open) if (one.name === 'status') this.#give<'status'>(one, this.status())
  }

  status(): StatusState {
    const feeds = FEED_IDS.map((feed): FeedStatus => {
      const asset = feed.slice(0, feed.indexOf('/'))
      const wanted = feed === 'crypto/XT' || feed === 'crypto/XQ' || feed === 'forex/C' || feed === 'stocks/T'
      const state: FeedState =
        this.faults.feeds?.[feed] ??
        (wanted && !this.faults.empty ? { is: 'open', sinceMs: unixMs(this.nowMs - 753_000) } : { is: 'idle' })
      const symbols = state.is === 'idle' ? [] : SEEDS.filter((seed) => seed.asset === asset).map((seed) => seed.symbol)
      const open = state.is === 'open' || state.is === 'stale'
      return {
        feed,
        state,
        connections: open ? 1 : 0,
        acknowledged: open ? symbols : [],
        missing: open ? [] : symbols,
        overBudget: [],
        budget: 50,
        perSecond: open ? (feed === 'crypto/XQ' ? 812 : 157) : 0,
        received: open ? 918_233 : 0,
        undecodable: 0,
        unasked: 0,
        lastMessageMs: open ? unixMs(this.nowMs - 80) : null,
        mappings: feed === 'stocks/T' ? [{ name: 'likely T', messages: 41_213 }] : [],
      }
    })
    return {
      nowMs: unixMs(this.nowMs),
      source: this.faults.source ?? 'demo',
      origin: this.faults.source === 'service' ? 'https://data.example.com' : 'demo',
      historyChanges: 0,
      feeds,
      recorder: this.faults.recorder ?? {
        is: 'recording',
        session: '01jbq8w4recording',
        sinceMs: unixMs(this.nowMs - 753_000),
        paused: false,
      },
      received: 918_233 + this.#received,
      stored: 918_233 + this.#received,
      perSecond: this.faults.empty ? 0 : 1284,
      backlogBytes: 4_096,
      receiveToStored: { p50: 4.1, p99: 9.6, max: 21 },
      store: { path: '/home/you/.local/share/Tapedeck/store', bytes: 412e6, freeBytes: 23.1e9, bytesPerHour: 14e6 },
      skewMs: 12,
      gapsToday: 1,
      message: this.faults.message ?? 'Reconnected to crypto/XQ after 4.2 s; the gap is marked on its charts.',
    }
  }

  account(): AccountState {
    const service = this.faults.source === 'service'
    return {
      source: service ? 'service' : 'demo',
      baseUrl: service ? 'https://data.example.com' : '',
      user: service ? 'you@example.com' : '',
      plan: service ? 'Premium' : '',
      hasPassword: service,
      hasApiKey: false,
      keychain: 'os',
      token: service ? 'valid' : 'none',
      tokenExpiresMs: service ? unixMs(this.nowMs + 3_000_000) : null,
      problem: null,
      userField: 'username',
      passwordField: 'password',
    }
  }

  #formingBar(args: StreamArgs<'bars'>, price: number): Bar {
    const length = INTERVALS[args.interval]
    const start = Math.floor(this.nowMs / length) * length
    const width = price * 0.0003
    return {
      startMs: unixMs(start),
      endMs: unixMs(start + length),
      open: price - width / 2,
      high: price + width,
      low: price - width,
      close: price,
      volume: 12.4,
      count: 40,
      complete: true,
    }
  }

  /** Bars of a random walk that ends at the last price, oldest first. */
  bars(instrument: InstrumentId, interval: keyof typeof INTERVALS, count: number, beforeMs: number): Bar[] {
    const row = this.#rows.get(instrument)
    if (!row?.last) return []
    const length = INTERVALS[interval]
    const random = randomOf(Math.floor(beforeMs / length) ^ instrument.length)
    const out: Bar[] = []
    let price = row.last
    for (let i = 1; i <= count; i++) {
      const start = Math.floor(beforeMs / length) * length - i * length
      const open = price * (1 + (random() - 0.5) * 0.0012)
      const high = Math.max(open, price) * (1 + random() * 0.0005)
      const low = Math.min(open, price) * (1 - random() * 0.0005)
      out.push({
        startMs: unixMs(start),
        endMs: unixMs(start + length),
        open,
        high,
        low,
        close: price,
        volume: row.volume === null ? null : random() * 40,
        count: Math.ceil(random() * 200),
        complete: true,
      })
      price = open
    }
    return out.reverse()
  }

  /** What the host is and knows of its system; told to whoever listens. */
  info: AppInfo = {
    host: 'test',
    version: '0.1.0',
    platform: 'test',
    storePath: '/home/you/.local/share/Tapedeck/store',
  }
  tellInfo(info: Partial<AppInfo>): void {
    this.info = { ...this.info, ...info }
    for (const one of this.#open) if (one.name === 'desktop.info') this.#give<'desktop.info'>(one, this.info)
  }

  /** Takes the carrier away, or gives it back; streams end as a lost carrier ends them. */
  link(up: boolean): void {
    this.#up = up
    if (!up) {
      for (const one of [...this.#open]) {
        this.#open.delete(one)
        one.end?.({ code: 'offline', message: 'The link to the terminal was lost.' })
      }
    }
    for (const listener of this.#links) listener(up)
  }

  #give<K extends StreamName>(one: Opened, value: StreamValue<K>): void {
    one.give(value)
  }

  async invoke<K extends CallName>(name: K, args: CallArgs<K>): Promise<Result<CallValue<K>>> {
    this.calls.push({ name, args })
    const failure = this.#up ? this.faults.failing?.[name] : { code: 'offline' as const, message: 'No link.' }
    if (failure) return { ok: false, error: failure }
    // The switch below answers each name with its own type; the compiler cannot follow K through it.
    return { ok: true, value: this.#answer(name, args) as CallValue<K> }
  }

  #answer(name: CallName, args: unknown): unknown {
    switch (name) {
      case 'workspaces.put': {
        const { text, replaces } = args as CallArgs<'workspaces.put'>
        this.workspaces.put(text, replaces ?? false)
        return null
      }
      case 'workspaces.show':
        this.workspaces.show((args as CallArgs<'workspaces.show'>).id)
        return null
      case 'workspaces.remove':
        this.workspaces.remove((args as CallArgs<'workspaces.remove'>).id)
        return null
      case 'workspaces.snapshot': {
        const { id, atMs } = args as CallArgs<'workspaces.snapshot'>
        return this.workspaces.snapshot(id, atMs)
      }
      case 'app.info':
        return this.info
      case 'settings.get':
        return this.settings
      case 'settings.set': {
        this.settings = mergeSettings(this.settings, (args as CallArgs<'settings.set'>).patch)
        for (const one of this.#open) if (one.name === 'settings') this.#give<'settings'>(one, this.settings)
        return this.settings
      }
      case 'account.get':
      case 'account.disconnect':
        return this.account()
      case 'account.connect':
        this.faults = { ...this.faults, source: 'service' }
        for (const one of this.#open) if (one.name === 'account') this.#give<'account'>(one, this.account())
        return this.account()
      case 'account.test':
        return this.#testSteps()
      case 'symbols.search': {
        const { query, limit } = args as CallArgs<'symbols.search'>
        return this.#search(query, limit ?? 50)
      }
      case 'bars.history': {
        const ask = args as CallArgs<'bars.history'>
        // Its history has no newer end: every chart shows the newest bars.
        if (ask.afterMs !== undefined) return { bars: [], gaps: [], decimals: 2, more: false }
        const bars = this.bars(ask.instrument, ask.interval, ask.limit, ask.beforeMs ?? this.nowMs)
        return { bars, gaps: [], decimals: this.#rows.get(ask.instrument)?.decimals ?? 2, more: bars.length > 0 }
      }
      case 'tape.history':
        return { prints: [], older: null }
      case 'sessions.list':
        return this.faults.empty ? [] : this.#sessions()
      case 'sessions.verify':
        return { sessions: 1, messages: 918_233, ok: true, problems: [] }
      case 'replay.open':
      case 'replay.close':
      case 'replay.play':
      case 'replay.speed':
      case 'replay.step':
      case 'replay.seek':
      case 'replay.options':
      case 'replay.timeline':
      case 'bookmarks.list':
      case 'bookmarks.add':
      case 'bookmarks.remove':
        return this.replay.answer(name, args, this.#sessions())
      case 'evidence.verify':
      case 'evidence.coverage':
      case 'evidence.agreement':
      case 'evidence.agree':
      case 'evidence.seconds':
      case 'evidence.messages':
        return fakeEvidence(name, args, this.nowMs)
      case 'export.defaults':
      case 'export.choose':
      case 'export.estimate':
      case 'export.start':
      case 'files.begin':
      case 'files.chunk':
      case 'files.end':
      case 'files.drop':
      case 'import.preview':
      case 'import.start':
        return this.exchange.answer(name, args)
      case 'feeds.retry':
      case 'recording.set':
      case 'app.networkChanged':
      case 'app.openExternal':
      case 'research.endpoints':
      case 'research.versions':
      case 'research.asked':
        return []
      case 'research.get':
        return { answer: null, failure: null, stale: true, fresh: false }
      case 'alerts.history':
        return { events: [], more: false }
      case 'research.cancel':
      case 'research.version':
      case 'research.clear':
      case 'jobs.cancel':
      case 'jobs.dismiss':
        return null
      default:
        return undefined
    }
  }

  #testSteps(): ConnectionStep[] {
    return [
      { step: 'reach', ok: true, tookMs: 41, text: 'data.example.com answers over TLS 1.3.', code: null },
      {
        step: 'token',
        ok: false,
        tookMs: 112,
        text: 'The service refused this user and password. Check both, then test again.',
        code: 'wrong-password',
      },
    ]
  }

  #search(query: string, limit: number): SymbolHit[] {
    const wanted = query.toUpperCase().replace(/[^A-Z0-9]/g, '')
    if (this.faults.empty) return []
    return SEEDS.filter(
      (seed) => seed.symbol.replace('-', '').includes(wanted) || seed.name.toUpperCase().includes(query.toUpperCase()),
    )
      .slice(0, limit)
      .map((seed) => ({
        instrument: instrumentId(seed.asset, seed.symbol),
        symbol: seed.symbol,
        asset: seed.asset,
        name: seed.name,
        watched: true,
      }))
  }

  #sessions(): SessionRow[] {
    const row = (id: string, from: number, to: number | null, clean: boolean): SessionRow => ({
      session: recordingId(id),
      source: 'demo',
      startedMs: unixMs(this.nowMs - from),
      endedMs: to === null ? null : unixMs(this.nowMs - to),
      clean,
      live: to === null,
      ...UNLABELLED,
      gapCount: 0,
      edges: 0,
      imported: false,
      feeds: [
        {
          feed: 'crypto/XT',
          received: 500_000,
          decoded: 499_990,
          control: 10,
          undecodable: 0,
          unasked: 0,
          stored: 500_000,
        },
      ],
      symbols: 12,
      messages: to === null ? 918_233 + this.#received : 4_210_332,
      bytes: to === null ? 3.1e6 : 14.2e6,
      gaps: [
        {
          recording: recordingId(id),
          feed: 'crypto/XQ',
          symbols: [],
          cause: clean ? 'drop' : 'crash',
          fromMs: unixMs(this.nowMs - from + 60_000),
          toMs: unixMs(this.nowMs - from + 64_200),
          fromSeq: 1000,
          toSeq: 1010,
        },
      ],
    })
    return [
      row('01jbq8w4recording', 753_000, null, true),
      row('01jbq1a2recording', 4_000_000, 900_000, true),
      row('01jbp0zzrecording', 90_000_000, 86_000_000, false),
    ]
  }

  subscribe<K extends StreamName>(
    name: K,
    args: StreamArgs<K>,
    onValue: (value: StreamValue<K>) => void,
    onEnd?: (failure: Failure) => void,
  ): () => void {
    if (!this.#up) {
      onEnd?.({ code: 'offline', message: 'The link to the terminal was lost.' })
      return () => undefined
    }
    // Every value given to `give` is of this stream's own name.
    const one: Opened = { name, args, give: onValue as (value: unknown) => void, end: onEnd }
    this.#open.add(one)
    this.#first(one)
    return () => void this.#open.delete(one)
  }

  #first(one: Opened): void {
    switch (one.name) {
      case 'quotes': {
        const { instruments } = one.args as StreamArgs<'quotes'>
        const rows = instruments.flatMap((id) => this.#rows.get(id) ?? this.#unknownRow(id) ?? [])
        return this.#give<'quotes'>(one, { rows })
      }
      case 'bars': {
        const args = one.args as StreamArgs<'bars'>
        const reset = this.bars(args.instrument, args.interval, 300, this.nowMs)
        const decimals = this.#rows.get(args.instrument)?.decimals ?? 2
        return this.#give<'bars'>(one, { reset, updates: [], gaps: [], decimals })
      }
      case 'tape': {
        const { instrument } = one.args as StreamArgs<'tape'>
        const decimals = this.#rows.get(instrument)?.decimals ?? 2
        return this.#give<'tape'>(one, { reset: this.#prints.get(instrument) ?? [], prints: [], skipped: 0, decimals })
      }
      case 'status':
        return this.#give<'status'>(one, this.status())
      case 'updates':
        return this.#give<'updates'>(one, { is: 'off', why: 'This copy runs from a checkout.' })
      case 'desktop.asks':
        return this.#give<'desktop.asks'>(one, [])
      case 'desktop.info':
        return this.#give<'desktop.info'>(one, this.info)
      case 'log':
        return this.#give<'log'>(one, { entries: this.faults.empty ? [] : this.#log, dropped: 0 })
      case 'account':
        return this.#give<'account'>(one, this.account())
      case 'research':
        return this.#give<'research'>(one, {
          used: 0,
          limit: 10_000,
          resetsMs: unixMs(this.nowMs),
          running: 0,
          waiting: 0,
        })
      case 'jobs':
        return this.#give<'jobs'>(one, this.jobs)
      case 'settings':
        return this.#give<'settings'>(one, this.settings)
      case 'workspaces':
        return this.#give<'workspaces'>(one, this.workspaces.state())
      case 'drawings': {
        const { instrument } = one.args as StreamArgs<'drawings'>
        return this.#give<'drawings'>(one, { instrument, revision: 0, drawings: [] })
      }
      case 'alerts':
        return this.#give<'alerts'>(one, { reset: true, alerts: [], removed: [], events: [] })
      case 'replay':
        return this.replay.state === null ? undefined : this.#give<'replay'>(one, this.replay.state)
      default:
        return undefined
    }
  }

  #unknownRow(instrument: InstrumentId): QuoteRow | undefined {
    const parsed = parseInstrument(instrument)
    return parsed && emptyRow(instrument, parsed.asset, parsed.key)
  }

  /** Ends the open streams of a name, as a terminal does that knows them no more. */
  endStream(name: StreamName, failure: Failure): void {
    for (const one of [...this.#open])
      if (one.name === name) {
        this.#open.delete(one)
        one.end?.(failure)
      }
  }
  /** Every tape as it is before the first print. */
  resetTape(): void {
    for (const one of this.#open)
      if (one.name === 'tape') this.#give<'tape'>(one, { reset: [], prints: [], skipped: 0, decimals: 2 })
  }
  /** Arguments of the open streams of a name. */
  argsOf<K extends StreamName>(name: K): StreamArgs<K>[] {
    // Streams are stored with the arguments that they were opened with.
    return [...this.#open].filter((one) => one.name === name).map((one) => one.args as StreamArgs<K>)
  }
  setJobs(jobs: readonly JobState[]): void {
    this.jobs = jobs
    for (const one of [...this.#open]) if (one.name === 'jobs') this.#give<'jobs'>(one, jobs)
  }
  /** How many streams are open, by name. */
  openStreams(name: StreamName): number {
    return [...this.#open].filter((one) => one.name === name).length
  }

  onLink(listener: (up: boolean) => void): () => void {
    this.#links.add(listener)
    return () => void this.#links.delete(listener)
  }
}
