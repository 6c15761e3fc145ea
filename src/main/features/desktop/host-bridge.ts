/** Connects the host's desktop (menu, links, shortcuts) with the windows. */
import type { Ask, MenuRow, NumberedAsk } from '../../../shared/features/desktop/requests.ts'
import type { AppInfo } from '../../../shared/core/status/status.ts'
import type { StreamSource } from '../../../shared/rpc/transport.ts'

/** Facts about the host's desktop that windows show. */
export type HostFacts = Pick<AppInfo, 'startsAtLogin' | 'shortcutFault'>

export interface HostBridge {
  /** Sends a request to the window that has listened longest, as soon as there is one. */
  ask(ask: Ask): void
  /** Sets the menu that a window reports. */
  setMenu(rows: readonly MenuRow[]): void
  /** Calls back with every reported menu. */
  onMenu(listener: (rows: readonly MenuRow[]) => void): void
  streams(wake: () => void): StreamSource<readonly NumberedAsk[]>
  /** The system's accent color, `#rrggbb`; null if unknown. */
  readonly accent: string | null
  setAccent(accent: string | null): void
  readonly facts: HostFacts
  setFacts(facts: HostFacts): void
  /** Calls back on every change of accent or facts. */
  onSystem(listener: () => void): void
}

/** Most requests saved while no window is open. */
const KEPT = 20

export function createHostBridge(): HostBridge {
  let waiting: NumberedAsk[] = []
  let next = 1
  let accent: string | null = null
  let facts: HostFacts = {}
  const followers = new Set<() => void>()
  const menus = new Set<(rows: readonly MenuRow[]) => void>()
  const windows: { readonly wake: () => void; inbox: readonly NumberedAsk[]; fresh: boolean }[] = []
  const give = (): void => {
    const first = windows.at(0)
    if (!first || waiting.length === 0) return
    first.inbox = [...first.inbox, ...waiting].slice(-KEPT)
    first.fresh = true
    waiting = []
    first.wake()
  }
  return {
    ask(ask) {
      waiting = [...waiting, { id: next++, ask }].slice(-KEPT)
      give()
    },
    setMenu(rows) {
      for (const listener of menus) listener(rows)
    },
    onMenu(listener) {
      menus.add(listener)
    },
    get accent() {
      return accent
    },
    setAccent(next) {
      if (next === accent) return
      accent = next
      for (const listener of followers) listener()
    },
    get facts() {
      return facts
    },
    setFacts(next) {
      facts = next
      for (const listener of followers) listener()
    },
    onSystem(listener) {
      followers.add(listener)
    },
    streams(wake) {
      const window = { wake, inbox: [] as readonly NumberedAsk[], fresh: true }
      windows.push(window)
      give()
      return {
        take() {
          if (!window.fresh) return undefined
          const taken = window.inbox
          window.inbox = []
          window.fresh = false
          return taken
        },
        close() {
          const at = windows.indexOf(window)
          if (at < 0) return
          windows.splice(at, 1)
          // Requests that the window didn't take go to the next one.
          waiting = [...window.inbox, ...waiting]
          give()
        },
      }
    },
  }
}
