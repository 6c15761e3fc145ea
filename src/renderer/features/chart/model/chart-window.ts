/** What a chart uses of its window besides bars and settings. */
import type { ChartTemplate } from '../../../../shared/features/chart/chart-settings.ts'
import type { DrawingMarket } from '../../../../shared/features/drawings/types.ts'
import type { InstrumentId } from '../../../../shared/base/units.ts'
import { shownFreshness } from '../../../core/market/freshness.ts'
import { symbolOf } from '../../../core/symbols/symbol-of.ts'
import { noRoomFor, type NoRoom } from '../../../core/market/no-room.ts'
import { sourcePill } from '../../../core/account/source-labels.ts'
import type { Replay } from '../../replay/replay.svelte.ts'
import type { WindowState } from '../../../core/window/window.svelte.ts'
import { entryKeys } from '../../../core/window/entry-keys.ts'

/** Getters are reactive. */
export interface ChartWindow {
  readonly templates: readonly ChartTemplate[]
  setTemplates(templates: readonly ChartTemplate[]): void
  /** Best bid and ask of the chart's instrument. */
  readonly quote: { readonly bid: number | null; readonly ask: number | null } | null
  /** The window's time zone, used if the chart has none of its own. */
  readonly zoneSetting: string
  /** The current time of the view, UTC ms. */
  now(): number
  /** Why the live market sends nothing, as a sentence; null if it does send, or if a replay is shown. */
  readonly away: string | null
  /** The market whose drawings are shown; null until known. */
  readonly market: DrawingMarket | null
  /** No data is received for this instrument: it is disconnected or not subscribed. */
  readonly offline: boolean
  /** Set if a feed has no room for this instrument, with what the user can do; null otherwise. */
  readonly noRoom: NoRoom | null
  openSettings(): void
  /** Opens the import of older data; null in a replay, to which nothing can be added. */
  readonly openImport: (() => void) | null
  /** A session that charts will have is being added. */
  readonly isHistoryComing: boolean
  /** Opens the pane that lists what is corrupt. */
  openEvidence(): void
  /** Opens the pane that lists what is recorded. */
  openScreener(): void
  /** Whether a replay is at the end of what it has. */
  readonly atEnd: boolean
  /** Whether it is at its end, and nothing follows. */
  readonly isOver: boolean
  /** Whether nothing of this instrument is in the replay shown, and nothing will be. */
  isAbsent(): Promise<boolean>
  /** Starts playback of the replay shown; null if there is none, it is playing or at its end. */
  readonly play: (() => void) | null
  /** Shows a notification. */
  tell(text: string): void
  /** The current shortcut of a command; empty if it has none. */
  keys(id: string): string
  /** An instrument's symbol as the service writes it. */
  symbolOf(instrument: InstrumentId): string
}

/** An instrument's symbol; its key if the chart has no window to ask. */
export const symbolIn = (window: Pick<ChartWindow, 'symbolOf'> | null | undefined, instrument: InstrumentId): string =>
  window?.symbolOf(instrument) ?? instrument.slice(instrument.indexOf(':') + 1)

/** The `ChartWindow` of one chart. */
export function chartWindow(app: WindowState, replay: Replay, instrument: () => InstrumentId): ChartWindow {
  const noRoom = (): NoRoom | null => (app.view === 'live' && app.status ? noRoomFor(app.status, instrument()) : null)
  return {
    get templates() {
      return app.settings.now.charts.templates
    },
    setTemplates: (templates) => app.set({ charts: { templates: [...templates] } }),
    get quote() {
      const row = app.quotes.row(instrument())
      return row === undefined ? null : { bid: row.bid, ask: row.ask }
    },
    get zoneSetting() {
      return app.settings.now.zone
    },
    get away() {
      const pill = sourcePill(app.status, app.linkUp)
      return app.view === 'live' && pill.tone === 'bad' ? pill.sentence : null
    },
    get market() {
      return app.market
    },
    get offline() {
      const row = app.quotes.row(instrument())
      const freshness = shownFreshness(row, app.linkUp, app.isOver)
      const stopped = freshness === 'disconnected' || freshness === 'ended'
      return (row !== undefined && stopped) || (freshness !== 'live' && noRoom() !== null)
    },
    get noRoom() {
      return noRoom()
    },
    get isHistoryComing() {
      return app.view === 'live' && app.status?.historyComing === true
    },
    openSettings: () => app.openSettings('connection'),
    get openImport() {
      return app.view === 'live' ? () => app.openImport() : null
    },
    openEvidence: () => app.layout.open('evidence'),
    openScreener: () => app.layout.open('screener'),
    get atEnd() {
      return app.atEnd
    },
    get isOver() {
      return app.isOver
    },
    isAbsent: () => replay.lacks(instrument()),
    get play() {
      return replay.state && !replay.state.playing && !app.atEnd ? () => replay.play(true) : null
    },
    // Live time advances between the ticks of the window's clock.
    now: () => (app.view === 'live' ? Date.now() : app.clockMs),
    tell: (text) => app.toasts.show(text),
    keys: (id) => entryKeys(app, id).keys ?? '',
    symbolOf: (instrument) => symbolOf(app, instrument),
  }
}
