/** What the palette offers beside symbols: rows of the tables that the rest of the window runs on. */
import type { EndpointInfo } from '../../../shared/features/research/research.ts'
import { PANE_KINDS, type PaneKind } from '../../../shared/features/workspace/kinds.ts'
import { t } from '../../../shared/base/text.ts'
import { settingLabel } from '../../core/settings/labels.ts'
import { paneRow } from '../../core/window/pane-table.ts'
import { settingsHere } from '../../core/settings/settings-table.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import { CODES } from './codes.ts'
import type { PaletteServices } from './context.ts'
import type { Candidate } from '../../text/fuzzy-rank.ts'

export type ItemKind = 'command' | 'pane' | 'code' | 'workspace' | 'list' | 'endpoint' | 'setting' | 'help'

export interface PaletteItem extends Candidate {
  readonly kind: ItemKind
  /** In dim text beside the title. */
  readonly detail?: string
  readonly keys?: readonly string[]
  readonly run: (app: WindowState) => void
}

/** Something that gives items, as they are now. */
export type PaletteSource = (app: WindowState, services: PaletteServices) => readonly PaletteItem[]

/** What people look for that a pane does, separated by commas. */
const PANE_WORDS: Partial<Record<PaneKind, string>> = {
  evidence: t('verify, coverage, gaps, agreement'),
  sessions: t('erase, delete, bin, rename, pin, compact'),
}

/** Where the answers of an endpoint are shown. */
const PANE_OF: Readonly<Record<string, PaneKind>> = {
  fundamentals: 'company',
  earnings: 'earnings',
  technical: 'technical',
  commodities: 'commodities',
  news: 'news',
}

const commands: PaletteSource = (app) =>
  app.commands
    .runnable(app.view !== 'live')
    .filter((one) => one.id !== 'symbol')
    .map((command) => ({
      id: `command:${command.id}`,
      kind: 'command',
      title: command.title,
      // Such as "linear" of "Price scale: linear".
      words: [command.id.replaceAll('-', ' '), ...command.title.split(': ').slice(1)],
      keys: app.commands.keysOf(command),
      bonus: 20,
      run: command.run,
    }))
const panes: PaletteSource = () =>
  PANE_KINDS.map((kind) => ({
    id: `pane:${kind}`,
    kind: 'pane',
    title: paneRow(kind).title,
    words: PANE_WORDS[kind]?.split(', ') ?? [],
    bonus: 30,
    run: (app) => app.layout.open(kind),
  }))
const codes: PaletteSource = (_app, services) =>
  CODES.map((row) => ({
    id: `code:${row.code}`,
    kind: 'code',
    title: row.code,
    detail: row.title,
    words: row.also,
    run: (app) => row.run(app, '', null, services),
  }))
const lists: PaletteSource = (app) =>
  app.settings.now.watchlists.map((list) => ({
    id: `list:${list.id}`,
    kind: 'list',
    title: list.name,
    run: () => app.setWorkspace({ activeWatchlist: list.id }),
  }))
const workspaces: PaletteSource = (_app, { workspace: dock }) =>
  dock.all.map((one) => ({
    id: `workspace:${one.id}`,
    kind: 'workspace',
    title: one.name,
    bonus: 20,
    run: () => dock.show(one.id),
  }))
const settings: PaletteSource = (app) =>
  settingsHere(app).map((row) => ({
    id: `setting:${row.id}`,
    kind: 'setting',
    title: row.title,
    detail: settingLabel(`settings.tab.${row.tab}`),
    words: row.words,
    run: () => app.openSettings(row.tab, row.id),
  }))

/** Endpoints as items; they are asked of the terminal once. */
export function endpointItems(endpoints: readonly EndpointInfo[]): readonly PaletteItem[] {
  return endpoints.map((one) => ({
    id: `endpoint:${one.id}`,
    kind: 'endpoint',
    title: t(one.title),
    detail: one.path,
    words: [one.path, one.id],
    bonus: -20,
    run: (app) => {
      const pane = PANE_OF[one.group]
      if (!pane) return
      app.askedEndpoint = { id: one.id, asked: (app.askedEndpoint?.asked ?? 0) + 1 }
      app.layout.open(pane)
    },
  }))
}

const SOURCES: readonly PaletteSource[] = [commands, panes, codes, workspaces, lists, settings]

/** All items but the endpoints'. */
export function paletteItems(app: WindowState, services: PaletteServices): readonly PaletteItem[] {
  return SOURCES.flatMap((source) => source(app, services))
}
