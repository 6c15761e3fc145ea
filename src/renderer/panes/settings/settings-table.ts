/** Every setting by name and place: for the palette and the help. The dialog marks its controls with the ids. */
import { say, type PlainKey } from '../../messages/catalogue.ts'

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

const row = (tab: SettingTab, id: string, words = ''): SettingRow => ({
  id,
  tab,
  // every row's key is in the catalogue: a test holds it
  title: say(`setting.${id}` as PlainKey),
  words: words === '' ? [] : words.split(', '),
})

export const SETTINGS: readonly SettingRow[] = [
  row('connection', 'account', 'sign in, login, password, api key, token, base url, plan'),
  row('connection', 'sharding', 'fifty, 50 symbols, second connection'),
  row('recording', 'record', 'keep messages'),
  row('recording', 'record-lists', 'background'),
  row('recording', 'store', 'folder, disk, path'),
  row('recording', 'keep', 'retention, delete, bin, days, gigabytes'),
  row('research', 'calls', 'budget, quota, limit'),
  row('research', 'signed', 'authorization, bearer, key'),
  row('research', 'history', 'answers, clear, cache'),
  row('appearance', 'theme', 'dark, light, high contrast, colours'),
  row('appearance', 'accent', 'highlight, colour, system'),
  row('appearance', 'direction', 'up, down, green, red, blue, orange, colour blind, monochrome'),
  row('appearance', 'density', 'rows, compact, comfortable'),
  row('appearance', 'scale', 'font size, zoom, larger, smaller, text'),
  row('appearance', 'motion', 'animation, reduced motion, flash'),
  row('shortcuts', 'shortcuts', 'keys, chords, keyboard, hotkeys'),
  row('zone', 'zone', 'utc, clock, local time'),
  row('numbers', 'numbers', 'locale, decimals, comma, point, thousands'),
  row('numbers', 'dates', 'locale, day, month, iso'),
  row('app', 'tray', 'background, close, window'),
  row('app', 'ask-quit', 'exit, close'),
  row('app', 'login', 'autostart, boot'),
  row('app', 'mark-key', 'bookmark, global shortcut, hotkey'),
  row('app', 'updates', 'version, upgrade, new'),
  row('app', 'channel', 'beta, stable, preview'),
  row('app', 'diagnostics', 'report, support, crash, bug, help'),
]
