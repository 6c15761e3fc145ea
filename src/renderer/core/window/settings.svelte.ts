/** Settings as this window holds them: changed here at once, stored by the terminal. */
import {
  DEFAULT_SETTINGS,
  mergeSettings,
  type Settings,
  type SettingsPatch,
} from '../../../shared/core/settings/settings.ts'
import type { Failure } from '../../../shared/base/errors.ts'
import type { Transport } from '../../../shared/rpc/transport.ts'
import { keepStream } from '../../rpc/follow-stream.ts'

export class SettingsState {
  now = $state.raw<Settings>(DEFAULT_SETTINGS)
  /** Whether the terminal's own settings came. */
  ready = $state(false)
  readonly #transport: Transport
  readonly #onProblem: (failure: Failure) => void
  readonly #close: () => void
  #sending = 0
  /** What the terminal holds, as far as it told. */
  #stored: Settings = DEFAULT_SETTINGS

  constructor(transport: Transport, onProblem: (failure: Failure) => void) {
    this.#transport = transport
    this.#onProblem = onProblem
    this.#close = keepStream(transport, 'settings', {}, (settings) => this.#arrived(settings))
  }

  #arrived(settings: Settings): void {
    this.ready = true
    // While a change of ours is on its way, what arrives may be from before it.
    this.#stored = settings
    if (this.#sending === 0) this.now = settings
  }

  /** Shows the change at once; a refusal shows the stored settings again and tells why. */
  set(patch: SettingsPatch): void {
    this.now = mergeSettings(this.now, patch)
    this.#sending++
    void this.#transport.invoke('settings.set', { patch }).then((result) => {
      this.#sending--
      if (!result.ok) this.#onProblem(result.error)
      else this.#stored = result.value
      if (this.#sending === 0) this.now = this.#stored
    })
  }

  close(): void {
    this.#close()
  }
}
