/** Opens replays in this window or in a new one, and goes back to the live market. */
import type { Failure } from '../../../shared/base/errors.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import { isOfSource } from '../../core/market/of-source.ts'
import { replayHash } from '../../core/window/window-route.ts'
import { matchesSource } from '../../../shared/core/recording/session.ts'
import { t } from '../../../shared/base/text.ts'
import { zonedText } from '../../text/zone-time.ts'
import { replayFrom } from './replay-from.ts'
import { Replay } from './replay.svelte.ts'

export class Replays {
  /** Controls the replay shown. Its methods do nothing without one. */
  readonly current: Replay
  readonly #app: WindowState

  constructor(app: WindowState) {
    this.#app = app
    this.current = new Replay(app, (failure, opening) => this.#failed(failure, opening))
  }

  #failed(failure: Failure, opening?: true): void {
    // A result such as "no further gap" isn't an error.
    if (failure.code === 'not-found' && this.current.state) this.#app.toasts.show(failure.message)
    else if (failure.code === 'store-damaged') this.#tellDamaged(failure, opening === true)
    else this.#app.tell(failure)
  }

  /**
   * Replays sessions of one source in this window, from `atMs` (UTC ms) or, if null, from their start. Those of a team
   * are replayed with all others of it at that time, unless `alone`.
   */
  async open(sessions: readonly string[], atMs: number | null, alone = false): Promise<void> {
    if (await this.current.open(sessions, atMs, alone))
      this.#app.toasts.say(t('Replaying recorded data. Select “Back to live” to end.'))
  }
  /** Replays the newest session that has ended, else the one being recorded. */
  async openLatest(): Promise<void> {
    const result = await this.#app.transport.invoke('sessions.list', {})
    if (!result.ok) return this.#app.tell(result.error)
    const rows = result.value.filter((row) => row.messages > 0).toSorted((a, b) => b.startedMs - a.startedMs)
    const row = rows.find((one) => !one.live) ?? rows[0]
    if (row) return this.open([row.session], null)
    this.#app.toasts.show(t('No recorded session to replay yet.'))
  }
  /**
   * Goes back to an instant (UTC ms): within the current replay if it covers the instant, else in the session
   * recorded at that time from the same source.
   */
  async openAt(ms: number): Promise<void> {
    const { state } = this.current
    if (state && state.fromMs <= ms && ms <= state.toMs) return this.current.seek({ at: 'ms', ms })
    const result = await this.#app.transport.invoke('sessions.list', {})
    if (!result.ok) return this.#app.tell(result.error)
    const { status } = this.#app
    const source = state?.source
    const rows = result.value.filter((row) =>
      source === undefined ? status !== undefined && isOfSource(row, status) : matchesSource(row.source, source),
    )
    const route = replayFrom(rows, ms, this.#app.wallMs)
    if (route) return this.open(route.sessions, route.atMs)
    this.#app.toasts.show(t('No recorded session from this source to replay yet. Sessions in the bin don’t count.'))
  }
  /** Replays sessions in a new window. False if the browser blocked it. */
  openWindow(sessions: readonly string[], atMs: number | null, alone = false): boolean {
    return this.#app.openBeside(replayHash({ sessions, atMs, alone }), 'popup,width=1280,height=800')
  }
  /** Moves this window's replay into a new window and goes back to live here. */
  popOut(): void {
    const { state } = this.current
    if (!state) return
    if (this.openWindow(state.opened, state.nowMs, !state.team)) this.backToLive()
  }
  backToLive(): void {
    if (!this.current.state) return
    this.current.close()
    this.#app.toasts.say(t('Live again.'))
  }

  /** Reports that the replay begins with or reached corrupt data, with a button that opens Evidence. */
  #tellDamaged(failure: Failure, opening: boolean): void {
    const message = zonedText(failure.message, this.#app.zone)
    const action = { label: t('Open Evidence'), run: () => this.#app.layout.open('evidence') }
    const text = opening
      ? t('The replay couldn’t be opened. {message}', { message })
      : t('The replay can’t continue past this point. {message}', { message })
    this.#app.toasts.show(text, { tone: 'bad', action })
  }
}
