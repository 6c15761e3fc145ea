/** The settings of a window: it shows its own changes at once, and the terminal stores them. */
import {
  mergeSettings,
  parseSettings,
  withCoreSections,
  type Settings,
  type SettingsPatch,
  type SettingsSection,
} from '../../../shared/core/settings/settings.ts'
import type { Failure } from '../../../shared/base/errors.ts'
import type { Transport } from '../../../shared/transport.ts'
import { keepStream } from '../../rpc/follow-stream.ts'

export class SettingsState {
  now = $state.raw<Settings>(parseSettings(withCoreSections([]), {}))
  /** Whether the terminal's settings have arrived. */
  ready = $state(false)
  readonly #transport: Transport
  readonly #onProblem: (failure: Failure) => void
  readonly #close: () => void
  #sending = 0
  #sections = withCoreSections([])
  /** What the terminal last sent. */
  #stored = this.now

  constructor(transport: Transport, onProblem: (failure: Failure) => void) {
    this.#transport = transport
    this.#onProblem = onProblem
    this.#close = keepStream(transport, 'settings', {}, (settings) => this.#arrived(settings))
  }

  /** Adds the sections of features: their defaults count until the terminal's settings arrive. */
  register(sections: readonly SettingsSection[]): void {
    this.#sections = withCoreSections(sections)
    if (!this.ready) this.now = this.#stored = parseSettings(this.#sections, this.now)
  }

  #arrived(settings: Settings): void {
    this.ready = true
    // While a local change is being sent, settings that arrive may predate it.
    this.#stored = settings
    if (this.#sending === 0) this.now = settings
  }

  /** Applies a change at once. If the terminal rejects it, restores the stored settings and shows the reason. */
  set(patch: SettingsPatch): void {
    this.now = mergeSettings(this.#sections, this.now, patch)
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
