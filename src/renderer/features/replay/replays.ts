/** Replays of a window: opens recordings, alone or beside, and goes back to the live market. */
import type { Failure } from '../../../shared/base/errors.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import { replayHash } from '../../core/window/window-route.ts'
import { t } from '../../../shared/base/text.ts'
import { isOfSource, replayFrom } from './replay-from.ts'
import { Replay } from './replay.svelte.ts'

export class Replays {
  /** What moves the replay shown. Without one its methods do nothing. */
  readonly current: Replay
  readonly #app: WindowState

  constructor(app: WindowState) {
    this.#app = app
    this.current = new Replay(app, (failure) => this.#failed(failure))
  }

  #failed(failure: Failure): void {
    // "There is no further gap" is an answer, no failure.
    if (failure.code === 'not-found' && this.current.state) this.#app.toasts.show(failure.message)
    else if (failure.code === 'store-damaged') this.#tellDamaged(failure)
    else this.#app.tell(failure)
  }

  /** Shows recordings of one source, from an instant (UTC ms) or from their start, instead of the live market. */
  async open(sessions: readonly string[], atMs: number | null): Promise<void> {
    if (await this.current.open(sessions, atMs))
      this.#app.toasts.say(t('Replaying recorded data. Select “Back to live” to end.'))
  }
  /** Opens the newest recording that has ended, or the one that is being written. */
  async openLatest(): Promise<void> {
    const result = await this.#app.transport.invoke('sessions.list', {})
    if (!result.ok) return this.#app.tell(result.error)
    const rows = result.value.filter((row) => row.messages > 0).toSorted((a, b) => b.startedMs - a.startedMs)
    const row = rows.find((one) => !one.live) ?? rows[0]
    if (row) return this.open([row.session], null)
    this.#app.toasts.show(t('No recorded session to replay yet.'))
  }
  /**
   * Goes back to an instant of what is shown, UTC ms: in the replay that holds it, else in the session that was
   * recorded then.
   */
  async openAt(ms: number): Promise<void> {
    const { state } = this.current
    if (state && state.fromMs <= ms && ms <= state.toMs) return this.current.seek({ at: 'ms', ms })
    const result = await this.#app.transport.invoke('sessions.list', {})
    if (!result.ok) return this.#app.tell(result.error)
    const { status } = this.#app
    const source = state?.source
    const rows = result.value.filter((row) =>
      source === undefined ? status !== undefined && isOfSource(row, status) : row.source === source,
    )
    const route = replayFrom(rows, ms, this.#app.wallMs)
    if (route) return this.open(route.sessions, route.atMs)
    this.#app.toasts.show(t('No recorded session from this source to replay yet. Sessions in the bin don’t count.'))
  }
  /** Shows recordings in a window of their own, so that this one can stay as it is. False when it was blocked. */
  openWindow(sessions: readonly string[], atMs: number | null): boolean {
    return this.#app.openBeside(replayHash({ sessions, atMs }), 'popup,width=1280,height=800')
  }
  /** Moves the replay of this window into one of its own; this one goes back to live. */
  popOut(): void {
    const { state } = this.current
    if (!state) return
    const sessions = state.sessions.map((one) => one.session)
    if (this.openWindow(sessions, state.nowMs)) this.backToLive()
  }
  backToLive(): void {
    if (!this.current.state) return
    this.current.close()
    this.#app.toasts.say(t('Live again.'))
  }

  /** A replay came to what cannot be read: what it means goes first, and the way on beside it. */
  #tellDamaged({ message }: Failure): void {
    const action = { label: t('Open Evidence'), run: () => this.#app.layout.open('evidence') }
    this.#app.toasts.show(t('The replay can’t continue past this point. {message}', { message }), {
      tone: 'bad',
      action,
    })
  }
}
