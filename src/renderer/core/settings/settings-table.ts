/** Every setting by name and place: for the palette and the help. The dialog marks its controls with the ids. */
import { say, sayIfThere, type PlainKey } from '../../text/catalogue.ts'
import type { WindowState } from '../window/window.svelte.ts'

export const SETTING_TABS = [
  'connection',
  'recording',
  'research',
  'appearance',
  'shortcuts',
  'zone',
  'numbers',
  'app',
] as const
export type SettingTab = (typeof SETTING_TABS)[number]

export interface SettingRow {
  readonly id: string
  readonly tab: SettingTab
  readonly title: string
  readonly words: readonly string[]
}

const row = (tab: SettingTab, id: string): SettingRow => ({
  id,
  tab,
  // every row's key is in the catalogue: a test holds it
  title: say(`setting.${id}` as PlainKey),
  // What else people call it, parted by commas.
  words: sayIfThere(`setting.${id}.words`, '')
    .split(', ')
    .filter((word) => word !== ''),
})

export const SETTINGS: readonly SettingRow[] = [
  row('connection', 'account'),
  row('connection', 'sharding'),
  row('recording', 'record'),
  row('recording', 'record-lists'),
  row('recording', 'store'),
  row('recording', 'keep'),
  row('research', 'calls'),
  row('research', 'signed'),
  row('research', 'history'),
  row('appearance', 'theme'),
  row('appearance', 'accent'),
  row('appearance', 'direction'),
  row('appearance', 'density'),
  row('appearance', 'scale'),
  row('appearance', 'motion'),
  row('shortcuts', 'shortcuts'),
  row('zone', 'zone'),
  row('numbers', 'numbers'),
  row('numbers', 'dates'),
  row('app', 'tray'),
  row('app', 'ask-quit'),
  row('app', 'login'),
  row('app', 'mark-key'),
  row('app', 'updates'),
  row('app', 'channel'),
  row('app', 'diagnostics'),
]

/** What some settings need of the copy that runs. */
interface Needs {
  readonly desktop: boolean
  readonly startAtLogin: boolean
  readonly updates: boolean
}
const NEEDED: Readonly<Partial<Record<string, keyof Needs>>> = {
  tray: 'desktop',
  'ask-quit': 'desktop',
  'mark-key': 'desktop',
  login: 'startAtLogin',
  channel: 'updates',
}

/** The settings that this window has: those of a desktop not in a browser, the channel only where updates come. */
export function settingsHere({ info, update }: Pick<WindowState, 'info' | 'update'>): readonly SettingRow[] {
  const desktop = info?.host === 'electron'
  const has: Needs = {
    desktop,
    startAtLogin: desktop && info.startsAtLogin === true,
    updates: update !== null && update.is !== 'off',
  }
  return SETTINGS.filter(({ id }) => {
    const needed = NEEDED[id]
    return needed === undefined || has[needed]
  })
}
