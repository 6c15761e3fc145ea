/** The screeners of views, each open as long as a window, a call or a saved screen needs it. */
import type { ScreenPage } from '../../../shared/features/screener/rows.ts'
import { universeOf, type Screen } from '../../../shared/features/screener/screen.ts'
import type { Watchlist } from '../../../shared/core/settings/settings.ts'
import type { StreamSource } from '../../../shared/rpc/transport.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import type { View } from '../../core/views/views.ts'
import { recordedView, ViewSessions } from '../../core/views/view-sessions.ts'
import { FundamentalsReader, type SavedResponses } from './fundamentals-reader.ts'
import { storedInstruments, type Instruments } from './read-facts.ts'
import { ViewScreener } from './view-screener.ts'

/** The instruments of a source are read again after this time, real ms. */
const INSTRUMENTS_MS = 10_000

export interface OpenScreenersParts {
  readonly views: { get(name: string): View }
  readonly reader: StoreReader
  readonly research: SavedResponses
  readonly watchlists: () => readonly Watchlist[]
  /** Resolves when the live market has been read from the store. */
  readonly settled: () => Promise<void>
  /** Real time, ms. */
  readonly realMs: () => number
}

/** A screen that a window shows. */
interface ShownScreen {
  readonly view: string
  readonly screen: Screen
  readonly wake: () => void
  fresh: boolean
}

export class OpenScreeners {
  readonly #o: OpenScreenersParts
  readonly #sessions: ViewSessions
  readonly #shown = new Set<ShownScreen>()
  readonly #byView = new Map<string, ViewScreener>()
  /** Views whose screener a call is waiting for. */
  readonly #awaited: string[] = []
  readonly #instruments = new Map<string, { readonly atMs: number; readonly all: Promise<Instruments> }>()

  constructor(parts: OpenScreenersParts) {
    this.#o = parts
    this.#sessions = new ViewSessions(parts.reader)
  }

  /** The screener of a view, opened if there is none. */
  of(name: string): ViewScreener {
    const existing = this.#byView.get(name)
    if (existing !== undefined) return existing
    const { views, research, settled, watchlists, realMs } = this.#o
    const view = views.get(name)
    const fundamentals = new FundamentalsReader(research, name)
    const made = new ViewScreener({
      view,
      instruments: () => this.#instrumentsOf(view.source()),
      sessions: async (fromMs) => {
        if (view.live) await settled()
        return this.#sessions.since(recordedView(view), fromMs)
      },
      fundamentals: (stocks) => fundamentals.read(stocks),
      inUniverse: (universe) => universeOf(universe, watchlists()),
      realMs,
      changed: () => this.#tell(name),
    })
    this.#byView.set(name, made)
    return made
  }

  /** The page of a screen once everything it needs has been read. */
  async read(name: string, screen: Screen): Promise<ScreenPage> {
    const screener = this.of(name)
    this.#awaited.push(name)
    try {
      await screener.settle(screen)
      return screener.page(screen)
    } finally {
      this.#awaited.splice(this.#awaited.indexOf(name), 1)
    }
  }

  /** A screen as a window shows it: its page again after each change. */
  show(name: string, screen: Screen, offset: number, limit: number, wake: () => void): StreamSource<ScreenPage> {
    const screener = this.of(name)
    const shown: ShownScreen = { view: name, screen, wake, fresh: true }
    this.#shown.add(shown)
    screener.refresh([screen])
    const source: StreamSource<ScreenPage> = {
      take: () => {
        if (!shown.fresh) return undefined
        shown.fresh = false
        return this.of(name).page(screen, offset, limit)
      },
      close: () => void this.#shown.delete(shown),
    }
    return this.#o.views.get(name).hold(source, wake)
  }

  /** Reads what the screens shown and `watched`, which are live, need again, and closes screeners that nobody needs. */
  sweep(watched: readonly Screen[]): void {
    for (const name of new Set([...this.#shown].map(({ view }) => view))) {
      const screens = [...this.#shown].filter(({ view }) => view === name).map(({ screen }) => screen)
      try {
        this.of(name).refresh(name === 'live' ? [...screens, ...watched] : screens)
      } catch {
        // The view was closed: its streams end by themselves.
      }
      this.#tell(name)
    }
    if (!this.#isShown('live') && watched.length > 0) this.of('live').refresh(watched)
    for (const [name, one] of this.#byView) {
      const isNeeded = this.#awaited.includes(name) || this.#isShown(name) || (name === 'live' && watched.length > 0)
      if (isNeeded) continue
      one.close()
      this.#byView.delete(name)
    }
  }

  /** Forgets what was read of the live market, because its source changed. */
  forget(): void {
    this.#byView.get('live')?.forget()
  }

  close(): void {
    for (const one of this.#byView.values()) one.close()
  }

  #isShown(name: string): boolean {
    return [...this.#shown].some(({ view }) => view === name)
  }

  #tell(name: string): void {
    for (const one of this.#shown) {
      if (one.view !== name) continue
      one.fresh = true
      one.wake()
    }
  }

  #instrumentsOf(source: string): Promise<Instruments> {
    const last = this.#instruments.get(source)
    const nowMs = this.#o.realMs()
    if (last !== undefined && nowMs - last.atMs < INSTRUMENTS_MS) return last.all
    const all = storedInstruments(this.#o.reader, source)
    this.#instruments.set(source, { atMs: nowMs, all })
    // After a failure, the next call reads again.
    all.catch(() => this.#instruments.delete(source))
    return all
  }
}
