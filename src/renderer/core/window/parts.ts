/** Everything that features added to one window, in the order of `features.ts`. */
import type { PaneKind } from '../../../shared/features/workspace/kinds.ts'
import { CommandTable, type OwnKeys } from './command-table.ts'
import type { Contributions, Dialog, PaneType, SettingsItem, SettingsPage } from './feature.ts'

type Parts = NonNullable<Contributions['overlays']>

export class WindowParts {
  readonly commands: CommandTable
  readonly settingsPages: SettingsPage[] = []
  readonly settingsItems: SettingsItem[] = []
  readonly dialogs: Dialog[] = []
  readonly overlays: Parts[number][] = []
  readonly bars: Parts[number][] = []
  readonly topItems: Parts[number][] = []
  readonly statusItems: Parts[number][] = []
  readonly #panes = new Map<PaneKind, PaneType>()

  constructor(ownKeys: () => OwnKeys) {
    this.commands = new CommandTable(ownKeys)
  }

  /** The pane type of a kind; undefined if no feature of this window provides it. */
  pane(kind: PaneKind): PaneType | undefined {
    return this.#panes.get(kind)
  }

  add(added: Contributions): void {
    for (const pane of added.panes ?? []) this.#panes.set(pane.kind, pane)
    this.commands.add(added.commands ?? [])
    this.settingsPages.push(...(added.settingsPages ?? []))
    this.settingsItems.push(...(added.settingsItems ?? []))
    this.dialogs.push(...(added.dialogs ?? []))
    this.overlays.push(...(added.overlays ?? []))
    this.bars.push(...(added.bars ?? []))
    this.topItems.push(...(added.topItems ?? []))
    this.statusItems.push(...(added.statusItems ?? []))
  }
}
