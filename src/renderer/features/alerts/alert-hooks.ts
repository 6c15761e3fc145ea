/** What alerts use of their window: names, number formats, sounds, and notifications that the page shows itself. */
import type { Failure } from '../../../shared/base/errors.ts'
import type { AppInfo } from '../../../shared/core/status/status.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import type { NumberText } from '../../text/format.ts'
import { leadership } from '../../base/leader.ts'
import { playSound } from '../../base/sounds.ts'
import { timeText } from '../../text/zone-time.ts'
import type { AlertHooks } from './alerts.svelte.ts'
import { snoozeEntries } from './snooze.ts'
import type { Quotes } from '../../core/market/quotes.svelte.ts'
import type { SettingsState } from '../../core/window/settings.svelte.ts'

/** The part of the window that the hooks read. */
export interface AlertWindow {
  readonly info: AppInfo | undefined
  readonly quotes: Pick<Quotes, 'peek'>
  readonly settings: Pick<SettingsState, 'now'>
  readonly numbers: NumberText
  readonly zone: string
  select(instrument: InstrumentId): void
  tell(failure: Failure): void
}

/** In Electron the terminal shows notifications; in a browser the page does, with permission. */
const pageNotifies = (app: AlertWindow): boolean => app.info?.host !== 'electron' && typeof Notification !== 'undefined'

/** Call `release` when the window closes, so that another window takes over sounds and notifications. */
export function alertHooks(app: AlertWindow): AlertHooks & { readonly release: () => void } {
  const lead = leadership('tapedeck-alerts')
  return {
    release: () => lead.release(),
    symbolOf(instrument) {
      const known = app.quotes.peek(instrument)?.symbol
      if (known !== undefined) return known
      const [asset, key] = [instrument.slice(0, instrument.indexOf(':')), instrument.slice(instrument.indexOf(':') + 1)]
      const listed = app.settings.now.watchlists
        .flatMap((list) => list.symbols)
        .find((one) => one.asset === asset && one.symbol.replace(/[-/_]/g, '').toUpperCase() === key)
      return listed?.symbol ?? key
    },
    numbersOf(instrument) {
      const decimals = app.quotes.peek(instrument)?.decimals
      return {
        plain: (value) => app.numbers.plain(value),
        price: (value) => (decimals === undefined ? app.numbers.plain(value) : app.numbers.fixed(value, decimals)),
      }
    },
    show: (instrument) => app.select(instrument),
    lastOf: (instrument) => app.quotes.peek(instrument)?.last ?? null,
    sound(name) {
      // Safe mode is silent; alerts that fire are still shown.
      if (lead.leads() && app.info?.safe !== true) playSound(name)
    },
    notify(title, body, tag) {
      if (!lead.leads() || !pageNotifies(app) || Notification.permission !== 'granted') return
      const shown = new Notification(title, { body, tag })
      shown.onclick = () => {
        window.focus()
        shown.close()
      }
    },
    askToNotify() {
      if (pageNotifies(app) && Notification.permission === 'default') {
        void Notification.requestPermission().catch(() => undefined)
      }
    },
    nowMs: () => Date.now(),
    timeOf: (ms) => timeText(ms, app.zone, 'minute'),
    snoozes: (run) => snoozeEntries(Date.now(), app.zone, run),
    failed: (failure) => app.tell(failure),
  }
}
