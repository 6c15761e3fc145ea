/** What features add to a window, in the order of `features.ts`. Their commands are in `WindowState.commands`. */
import { createContext, type Component } from 'svelte'
import type { PaneKind } from '../../../shared/features/workspace/kinds.ts'
import type { Command } from './command.ts'
import type { PaneContext } from './pane-context.ts'
import type { DialogName, WindowState } from './window.svelte.ts'

type Part = Component<{ app: WindowState }>

/** What the window opens for a kind of pane. */
export interface PaneType {
  readonly kind: PaneKind
  readonly component: Component<{ app: WindowState; pane: PaneContext }>
  /** Its styles use container queries on its own width, as in panes with text and tables. */
  readonly sized?: true
  /** Dropping a symbol anywhere on it makes it show that symbol. */
  readonly takesSymbol?: true
}
/** A page of the settings dialog, by the id of its tab. */
export interface SettingsPage {
  readonly tab: string
  readonly component: Part
}
/** A single setting on a page owned by another part of the window. `id` is its id in the table of settings. */
export interface SettingsItem {
  readonly tab: string
  readonly id: string
  readonly component: Part
}
export interface Dialog {
  readonly name: DialogName
  readonly component: Component<{ app: WindowState; onclose: () => void }>
  /** Open only while a replay is shown. */
  readonly when?: 'replay'
}

/** What a feature adds to the window. Lists are in the order of `features.ts`. */
export interface Contributions {
  readonly panes?: readonly PaneType[]
  readonly commands?: readonly Command[]
  readonly settingsPages?: readonly SettingsPage[]
  readonly settingsItems?: readonly SettingsItem[]
  readonly dialogs?: readonly Dialog[]
  /** Above the panes and always mounted; each decides itself when to show something. */
  readonly overlays?: readonly Part[]
  /** Bars between the panes and the status bar. */
  readonly bars?: readonly Part[]
  /** In the top bar, after the source. */
  readonly topItems?: readonly Part[]
  /** In the status bar, after the jobs. */
  readonly statusItems?: readonly Part[]
}

export class WindowParts {
  readonly settingsPages: SettingsPage[] = []
  readonly settingsItems: SettingsItem[] = []
  readonly dialogs: Dialog[] = []
  readonly overlays: Part[] = []
  readonly bars: Part[] = []
  readonly topItems: Part[] = []
  readonly statusItems: Part[] = []
  readonly #panes = new Map<PaneKind, PaneType>()

  /** The pane type of a kind; undefined if no feature of this window provides it. */
  pane(kind: PaneKind): PaneType | undefined {
    return this.#panes.get(kind)
  }

  add(added: Contributions): void {
    for (const pane of added.panes ?? []) this.#panes.set(pane.kind, pane)
    this.settingsPages.push(...(added.settingsPages ?? []))
    this.settingsItems.push(...(added.settingsItems ?? []))
    this.dialogs.push(...(added.dialogs ?? []))
    this.overlays.push(...(added.overlays ?? []))
    this.bars.push(...(added.bars ?? []))
    this.topItems.push(...(added.topItems ?? []))
    this.statusItems.push(...(added.statusItems ?? []))
  }
}

export const [useParts, provideParts] = createContext<WindowParts>()
