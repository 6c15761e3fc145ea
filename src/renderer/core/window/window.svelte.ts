/** The state of one window: its connection, clock and view, its settings, and what is open in it. */
import * as v from 'valibot'
import { chartSettingsSchema, type ChartSettings } from '../../../shared/features/chart/chart-settings.ts'
import type { SettingsPatch, Watchlist } from '../../../shared/core/settings/settings.ts'
import type { DrawingMarket } from '../../../shared/features/drawings/types.ts'
import type { Failure } from '../../../shared/base/errors.ts'
import type { Interval } from '../../../shared/core/market/market.ts'
import type { ReplayState } from '../../../shared/features/replay/replay.ts'
import type { AccountState, AppInfo, StatusState } from '../../../shared/core/status/status.ts'
import type { Transport } from '../../../shared/transport.ts'
import type { UpdateState } from '../../../shared/features/updates/updates.ts'
import { parseInstrument, type AssetClass, type FeedId, type InstrumentId } from '../../../shared/base/units.ts'
import type { ChartMarker } from '../../charts/model/markers.ts'
import { t } from '../../../shared/base/text.ts'
import { NumberText } from '../../text/format.ts'
import type { LatencyPercentiles } from '../../base/latency.ts'
import { Toasts } from '../../ui/toasts.svelte.ts'
import { Exchange, type ExportPrefill } from './transfers.svelte.ts'
import { keepStream } from '../../rpc/follow-stream.ts'
import { CommandTable } from './command-table.ts'
import { NO_PANES, type PaneLayout } from './pane-layout.ts'
import { takeSystemLook } from './system-theme.svelte.ts'
import { Log } from './log.svelte.ts'
import { Quotes, type QuotesClocks } from '../market/quotes.svelte.ts'
import type { Subject } from './subject.ts'
import { SettingsState } from './settings.svelte.ts'
import { rowHeightOf } from '../../styles/row-height.ts'
import { instrumentOf } from '../market/watchlist-edit.ts'
import { Watchlists } from '../market/watchlists.ts'
import { parseDockRoute, type DockRoute } from './window-route.ts'
import { zonedText } from '../../text/zone-time.ts'
import { zoneOf } from '../../text/zones.ts'

export type DialogName =
  | 'export'
  | 'import'
  | 'import-list'
  | 'settings'
  | 'connect'
  | 'shortcuts'
  | 'help'
  | 'jump'
  | 'bookmark'
  | 'note'
/** A marker on the chart of an instrument. */
export interface ShownEvent {
  readonly instrument: InstrumentId
  readonly marker: ChartMarker
}
/** What follows the window's page. */
interface Lifetime {
  save(): void
  leave(): void
  close(): void
}
const TICK_MS = 250
/** The address of the built page in Electron. */
const APP_PAGE = 'app://tapedeck/'

export class WindowState implements Subject {
  readonly transport: Transport
  readonly settings: SettingsState
  readonly quotes: Quotes
  readonly log: Log
  readonly exchange: Exchange
  readonly toasts = new Toasts()
  readonly lists: Watchlists
  /** The panes of this window. The workspace feature sets it. */
  layout = $state.raw<PaneLayout>(NO_PANES)
  /** The part of a workspace that this window shows, as its address says. */
  readonly route: DockRoute = parseDockRoute(location.hash)
  readonly commands = new CommandTable<WindowState>(() => this.settings.now.shortcuts.keys)

  info = $state.raw<AppInfo | undefined>()
  /** The status of the live terminal, also while a replay is shown: recording continues meanwhile. */
  status = $state.raw<StatusState | undefined>()
  /** The status of the replay as of its clock; undefined while the live market is shown. */
  replayStatus = $state.raw<StatusState | undefined>()
  /** The replay that this window shows; null: the live market. */
  replaying = $state.raw<ReplayState | null>(null)
  account = $state.raw<AccountState | undefined>()
  /** Null until the terminal has sent it. */
  update = $state.raw<UpdateState | null>(null)
  linkUp = $state(true)
  /** Why the terminal refused this window for good, if it did. */
  refused = $state.raw<Failure | undefined>()
  /** Grows when the link returns, the view changes or a replay jumps: the values that follow don't flash. */
  epoch = $state(0)
  /** Grows when the live market changes to another source. */
  markets = $state(0)
  /** The current time of the view, UTC ms: that of the wall clock or of the replay. Updated four times a second. */
  nowMs = $state(Date.now())
  /** The wall clock, UTC ms, also while a replay is shown. Updated four times a second. */
  wallMs = $state(Date.now())
  paint = $state.raw<LatencyPercentiles | undefined>()
  dialog = $state<DialogName | null>(null)
  /** The chart marker whose details the user asked for; the pane that shows them clears it. */
  event = $state.raw<ShownEvent | null>(null)
  /** Changes whenever the design tokens do (theme, direction palette). */
  themeKey = $state('')
  settingsTab = $state('connection')
  /** The setting that the dialog should scroll to, by its id in the table of settings. */
  settingsFocus = $state<string | null>(null)
  /** What the help searches for when it opens. */
  helpQuery = $state('')
  /** The current step of the tour; null if it isn't running. */
  tour = $state<number | null>(null)
  /** The endpoint chosen in the palette or the help, until its pane shows it; `asked` grows with each choice. */
  askedEndpoint = $state.raw<{ readonly id: string; readonly asked: number } | null>(null)
  /** `asked` grows when the symbol box should take the focus; `typed` is what the user has typed so far. */
  symbolBox = $state.raw<{ readonly asked: number; readonly typed: string }>({ asked: 0, typed: '' })
  /** Digits typed so far for a new interval. */
  intervalTyped = $state('')

  /** The view that calls and streams of the market name: `live`, or a replay's id. */
  readonly view = $derived.by<string>(() => this.replaying?.id ?? 'live')
  /** The current time of the view, UTC ms, up to date in each frame: for clocks and the latest values. */
  readonly clockMs = $derived.by(() => {
    const state = this.replaying
    if (!state) return this.nowMs
    // Trades and the state arrive on separate streams: if a trade arrives first, the replay has reached its time.
    return state.playing ? Math.min(Math.max(state.nowMs, this.latestMs()), state.toMs) : state.nowMs
  })
  /** The market shown; null until known. A replay of the demo market counts as demo, even if a user is signed in. */
  readonly market = $derived.by<DrawingMarket | null>(() => {
    const source = (this.replaying ?? this.status)?.source
    return source === undefined ? null : source === 'demo' ? 'demo' : 'service'
  })
  /** Whether a replay is at the end of what it has. More may follow while its session is still being recorded. */
  readonly atEnd = $derived.by(() => this.replaying !== null && this.replaying.nowMs >= this.replaying.toMs)
  /** Whether a replay is at its end, and nothing follows. */
  readonly isOver = $derived.by(() => this.atEnd && this.replaying?.growing === false)
  readonly shownStatus = $derived.by(() => (this.view === 'live' ? this.status : this.replayStatus))
  readonly numbers = $derived.by(() => new NumberText(this.settings.now.numbers))
  /** The instrument of the pane in front. */
  readonly instrument = $derived.by<InstrumentId>(() => this.layout.instrument)
  readonly asset = $derived.by<AssetClass>(() => parseInstrument(this.instrument)?.asset ?? 'crypto')
  readonly zone = $derived.by(() => zoneOf(this.settings.now.zone, this.asset))
  /** The settings of the chart that keys apply to. */
  readonly chart = $derived.by<ChartSettings>(() => v.parse(chartSettingsSchema, this.layout.chart?.settings ?? {}))
  readonly list = $derived.by(() => this.#listOf())
  /** Whether the user's settings and panes have arrived. Until then, defaults are shown, and nothing is subscribed. */
  readonly ready = $derived.by(() => this.settings.ready && this.layout.ready)
  /** Text size as a multiple of the default. */
  readonly scale = $derived.by(() => this.settings.now.appearance.scale / 100)
  /** Row height in px, as the design token `--row`. */
  readonly rowHeight = $derived.by(() => rowHeightOf(this.settings.now.appearance))

  /** When the newest trade shown was received, UTC ms: a playing replay has reached that time. */
  latestMs = (): number => -Infinity
  /** The clocks that this window redraws by. */
  readonly clocks: QuotesClocks
  #features: Lifetime | undefined
  readonly #viewed: ((view: string) => void)[] = []
  readonly #ticked: ((wallMs: number) => void)[] = []
  readonly #rewound: ((nowMs: number) => void)[] = []
  readonly #quoted: (() => readonly InstrumentId[])[] = []
  readonly #undo: (() => void)[] = []

  constructor(transport: Transport, clocks: QuotesClocks = {}) {
    this.transport = transport
    this.clocks = clocks
    this.settings = new SettingsState(transport, (failure) => this.tell(failure))
    this.lists = new Watchlists({
      all: () => this.settings.now.watchlists,
      list: () => this.list,
      set: (patch) => this.set(patch),
      toasts: this.toasts,
    })
    this.quotes = new Quotes(transport, clocks)
    this.log = new Log(transport, clocks.frame)
    this.exchange = new Exchange(transport, this.toasts)
    this.#undo.push(
      transport.onLink((up, refused) => {
        this.refused = refused
        if (up && !this.linkUp) this.epoch++
        if (up !== this.linkUp)
          this.toasts.say(up ? t('Connected to Tapedeck again.') : t('This window lost its connection to Tapedeck.'))
        this.linkUp = up
      }),
      keepStream(transport, 'status', { view: 'live' }, (value) => this.#takeStatus(value)),
      keepStream(transport, 'account', {}, (value) => (this.account = value)),
      keepStream(transport, 'updates', {}, (value) => (this.update = value)),
    )
    const timer = setInterval(() => {
      this.wallMs = Date.now()
      this.nowMs = this.replaying?.nowMs ?? this.wallMs
      for (const run of this.#ticked) run(this.wallMs)
      this.paint = this.quotes.latency()
    }, TICK_MS)
    this.#undo.push(() => clearInterval(timer))
    const ended = new AbortController()
    const { signal } = ended
    this.#undo.push(() => ended.abort())
    window.addEventListener('online', () => void transport.invoke('app.networkChanged', {}), { signal })
    // A port may not carry what is sent while the page unloads.
    const saving = () => this.#features?.save()
    window.addEventListener('beforeunload', saving, { signal })
    const leaving = () => {
      saving()
      this.#features?.leave()
    }
    window.addEventListener('pagehide', leaving, { signal })
    this.#undo.push(keepStream(transport, 'desktop.info', {}, (info) => this.#takeInfo(info)))
  }

  #takeInfo(info: AppInfo): void {
    const before = this.info
    this.info = info
    if (info.closing === true) {
      this.#features?.save()
      void this.transport.invoke('desktop.saved', {})
      return
    }
    if (this.route.window === undefined)
      for (const notice of info.notices?.slice(before?.notices?.length ?? 0) ?? [])
        this.toasts.show(notice, { tone: 'bad', action: { label: t('Show log'), run: () => this.layout.open('log') } })
    if (before === undefined) this.#undo.push(takeSystemLook(this))
    else if ((before.safe === true) !== (info.safe === true)) this.layout.reload()
  }

  /** Runs when the window shows another view: `live`, or the id of a replay. */
  onView(run: (view: string) => void): void {
    this.#viewed.push(run)
  }
  /** Runs four times a second, with the wall clock in UTC ms. */
  onTick(run: (wallMs: number) => void): void {
    this.#ticked.push(run)
  }
  /** Runs when the replay shown went back, with its clock in UTC ms. */
  onRewind(run: (nowMs: number) => void): void {
    this.#rewound.push(run)
  }
  /** Adds instruments whose quotes this window follows. `wanted` is reactive. */
  wantQuotes(wanted: () => readonly InstrumentId[]): void {
    this.#quoted.push(wanted)
  }

  #listOf(): Watchlist {
    const { watchlists, workspace } = this.settings.now
    const found = watchlists.find((list) => list.id === workspace.activeWatchlist) ?? watchlists[0]
    return found ?? { id: '', name: '', symbols: [], sort: null }
  }

  #takeStatus(value: StatusState): void {
    const before = this.status
    this.status = value
    if (before && before.historyChanges !== value.historyChanges) this.markets++
    if (before && before.message !== value.message && value.message !== '') this.toasts.say(value.message)
    const { recovered } = value
    // However short the interruption was, the user learns what was lost.
    if (before && recovered !== undefined && recovered.atMs !== before.recovered?.atMs) {
      if (recovered.lost === 0) this.toasts.show(t('Recording was interrupted and has resumed. Nothing was lost.'))
      else
        this.toasts.show(
          t(
            {
              one: 'Recording was interrupted and has resumed. {count} message was lost; the chart shows a gap.',
              other: 'Recording was interrupted and has resumed. {count} messages were lost; the chart shows a gap.',
            },
            { count: recovered.lost },
          ),
          { tone: 'bad' },
        )
    }
  }

  /** The clock of the replay when it last changed, UTC ms. */
  #replayMs = -Infinity
  #unfollowStatus: (() => void) | undefined
  /** Shows a replay in its new state, or the live market if null. */
  showReplay(state: ReplayState | null): void {
    const { view } = this
    this.replaying = state
    if (this.view !== view) this.#changeView(this.view)
    if (!state) return
    const isBack = state.nowMs < this.#replayMs
    if (isBack) {
      if (this.replayStatus && this.replayStatus.nowMs > state.nowMs) this.replayStatus = undefined
      this.quotes.rewind()
      for (const run of this.#rewound) run(state.nowMs)
    }
    this.#replayMs = state.nowMs
    // While it plays the clock moves at its own pace; a step back or one while paused shows at once.
    if (isBack || !state.playing) this.nowMs = state.nowMs
  }
  #changeView(view: string): void {
    this.epoch++
    this.#unfollowStatus?.()
    for (const run of this.#viewed) run(view)
    this.replayStatus = undefined
    if (view === 'live') {
      this.#unfollowStatus = undefined
      this.nowMs = Date.now()
    } else this.#unfollowStatus = keepStream(this.transport, 'status', { view }, (value) => (this.replayStatus = value))
  }

  /** Opens another window of the app at a fragment of its address. Returns false if it was blocked. */
  openBeside(hash: string, features: string): boolean {
    // In Electron the page has the app's own address, unless it is served over HTTP.
    const page = this.info?.host === 'electron' && location.protocol !== 'http:' ? APP_PAGE : location.pathname
    const opened = window.open(`${page}${hash}`, '_blank', features)
    // Electron creates the window itself, so `open` returns null.
    if (opened || this.info?.host === 'electron') return true
    this.toasts.show(t('The browser blocked the new window. Allow pop-ups for this address, then try again.'), {
      tone: 'bad',
    })
    return false
  }

  /** Scales a length in px by the text size, rounded. */
  px(length: number): number {
    return Math.round(length * this.scale)
  }

  /** Shows a failure as a toast: what happened and what to do. */
  tell(failure: Failure): void {
    // The banner says it already, and everything else fails because of it.
    if (this.refused !== undefined) return
    const message = zonedText(failure.message, this.zone)
    this.toasts.show(failure.hint ? `${message} ${failure.hint}` : message, { tone: 'bad' })
  }

  set(patch: SettingsPatch): void {
    this.settings.set(patch)
  }
  setWorkspace(part: SettingsPatch['workspace']): void {
    this.settings.set({ workspace: part ?? {} })
  }

  /** Subscribes to quotes of the active watchlist, of the visible panes and of what features want. */
  followQuotes(): void {
    if (!this.ready) return
    this.quotes.follow(this.view, [
      ...this.list.symbols.map(instrumentOf),
      ...this.layout.instruments,
      ...this.#quoted.flatMap((wanted) => wanted()),
    ])
  }

  select(instrument: InstrumentId): void {
    this.layout.select(instrument)
  }
  setInterval(interval: Interval | 'ticks'): void {
    this.layout.setInterval(interval)
    this.toasts.say(interval === 'ticks' ? t('Ticks') : t('Interval {interval}', { interval }))
  }
  /** Shows the details of a chart marker in the pane of its kind. */
  showEvent(event: ShownEvent): void {
    this.event = event
    this.layout.open(event.marker.kind === 'note' ? 'journal' : event.marker.kind)
  }
  openSymbolBox(typed = ''): void {
    this.symbolBox = { asked: this.symbolBox.asked + 1, typed }
  }
  openExport(prefill: ExportPrefill = {}): void {
    this.exchange.begin(prefill)
    this.dialog = 'export'
  }
  /** Opens the import dialog; with null it asks for the file. */
  openImport(file: File | null = null): void {
    this.exchange.file = file
    this.dialog = 'import'
  }
  /** `setting`: the one to scroll to, by its id in the table of settings. */
  openSettings(tab: string, setting: string | null = null): void {
    this.settingsTab = tab
    this.settingsFocus = setting
    this.dialog = 'settings'
  }
  openHelp(query = ''): void {
    this.helpQuery = query
    this.dialog = 'help'
  }
  startTour(): void {
    this.dialog = null
    this.tour = 0
  }
  /** Ends the tour and saves that it was seen, so it isn't offered again. */
  endTour(): void {
    this.tour = null
    if (!this.settings.now.help.tourSeen) this.set({ help: { tourSeen: true } })
  }

  // Feeds and recording

  async retry(feed: FeedId): Promise<void> {
    const result = await this.transport.invoke('feeds.retry', { feed })
    if (!result.ok) this.tell(result.error)
  }
  async setRecording(on: boolean): Promise<void> {
    const result = await this.transport.invoke('recording.set', { on })
    if (!result.ok) this.tell(result.error)
  }
  /** Runs a command by its id; does nothing if this window doesn't have it. */
  run(command: string): void {
    this.commands.find(command)?.run(this)
  }
  /** Features leave and close with this window. */
  attach(features: Lifetime): void {
    this.#features = features
  }

  close(): void {
    for (const undo of this.#undo) undo()
    this.#unfollowStatus?.()
    this.#features?.close()
    this.settings.close()
    this.quotes.close()
    this.log.close()
    this.exchange.close()
  }
}
