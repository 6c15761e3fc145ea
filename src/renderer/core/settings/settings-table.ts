/** All settings with their names and tabs, for the palette and the help. Controls in the dialog carry the ids. */
import { t } from '../../../shared/base/text.ts'
import type { WindowState } from '../window/window.svelte.ts'

export const SETTING_TABS = [
  'connection',
  'team',
  'recording',
  'research',
  'alerts',
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
  /** A description of one or two sentences; may be empty. */
  readonly about: string
  readonly words: readonly string[]
}

/** `alsoCalled`: other words people search for, separated by commas. */
const row = (tab: SettingTab, id: string, title: string, alsoCalled: string, about = ''): SettingRow => ({
  id,
  tab,
  title,
  about,
  words: alsoCalled.split(', '),
})

export const SETTINGS: readonly SettingRow[] = [
  row('connection', 'account', t('Account'), t('sign in, login, password, api key, token, base url, plan')),
  row(
    'connection',
    'sharding',
    t('Open more connections when a feed needs more than 50 symbols'),
    t('fifty, 50 symbols, second connection'),
    t('Some plans allow only one connection per feed.'),
  ),
  row(
    'team',
    'team',
    t('Team'),
    t('upstream, nats, jetstream, recorders, shared'),
    t('Shows what the recorders of a team receive, and keeps a verified copy of it.'),
  ),
  row(
    'team',
    'team-history',
    t('Team history'),
    t('postgres, postgresql, archive'),
    t('Where sessions are read that the team’s servers no longer keep.'),
  ),
  row(
    'team',
    'team-trust',
    t('Trusted keys'),
    t('signature, signed, public key, nkey, recorders'),
    t('Follow only sessions that these recorders signed. Leave empty to follow any.'),
  ),
  row(
    'recording',
    'record',
    t('Record everything received'),
    t('save messages'),
    t('Every message, byte for byte, with its receive time.'),
  ),
  row(
    'recording',
    'record-lists',
    t('Record the symbols of every watchlist'),
    t('background'),
    t('Including lists that no pane shows.'),
  ),
  row(
    'recording',
    'store',
    t('Store folder'),
    t('move store, folder, disk, path'),
    t(
      'Moving copies the store, verifies the copy and only then deletes the original. Recording pauses at the end and resumes in a new session; the interruption is marked as a gap.',
    ),
  ),
  row('recording', 'keep', t('Session retention'), t('retention, delete, erase, bin, days, gigabytes')),
  row(
    'research',
    'calls',
    t('Daily request limit'),
    t('budget, quota, limit, calls'),
    t(
      'From 00:00 to 24:00 UTC, including retries. The service’s documentation only mentions “10,000+”; check your plan.',
    ),
  ),
  row(
    'research',
    'signed',
    t('Sign requests with'),
    t('authorization, bearer, key'),
    t(
      'The documentation requires an API key and doesn’t say whether that is the access token. Choose the token only if your service says so.',
    ),
  ),
  row(
    'research',
    'history',
    t('Saved research data'),
    t('answers, responses, clear, cache'),
    t(
      'Every response is saved with its time, so panes open instantly, work offline, and show in a replay what was known then.',
    ),
  ),
  row(
    'alerts',
    'alert-actions',
    t('Alert actions'),
    t('webhook, ntfy, command, phone, push, script'),
    t(
      'What an alert can do outside of Tapedeck when it fires. All of it is off until you set it up here and choose it in an alert.',
    ),
  ),
  row('appearance', 'theme', t('Theme'), t('dark, light, high contrast, colors')),
  row(
    'appearance',
    'accent',
    t('Accent color'),
    t('highlight, color, system'),
    t(
      'The color of selected and active items. Your system’s color is lightened or darkened where needed for contrast.',
    ),
  ),
  row('appearance', 'direction', t('Up/down colors'), t('up, down, green, red, blue, orange, color blind, monochrome')),
  row('appearance', 'density', t('Row density'), t('rows, compact, comfortable')),
  row('appearance', 'scale', t('Text size'), t('font size, zoom, larger, smaller, text')),
  row(
    'appearance',
    'motion',
    t('Animations'),
    t('animation, reduced motion, flash'),
    t('A price flashes once when it changes. Nothing else is animated.'),
  ),
  row('shortcuts', 'shortcuts', t('Shortcuts'), t('keys, chords, keyboard, hotkeys')),
  row('zone', 'zone', t('Time zone'), t('utc, clock, local time')),
  row(
    'numbers',
    'numbers',
    t('Number format'),
    t('locale, decimals, comma, point, thousands'),
    t('For the screen only. Exports always use plain numbers with a decimal point.'),
  ),
  row('numbers', 'dates', t('Date format'), t('locale, day, month, iso')),
  row(
    'app',
    'tray',
    t('Keep recording when the window is closed'),
    t('background, close, window'),
    t('Tapedeck stays in the tray while it records your service. The demo market stops with its window.'),
  ),
  row(
    'app',
    'ask-quit',
    t('Ask before quitting while recording'),
    t('exit, close'),
    t('Tapedeck can’t receive anything while it is closed.'),
  ),
  row(
    'app',
    'login',
    t('Start at login'),
    t('autostart, boot'),
    t('Starts in the tray and records immediately. Available in the installed app only, not in the portable one.'),
  ),
  row(
    'app',
    'mark-key',
    t('Global shortcut: add bookmark'),
    t('bookmark, global shortcut, hotkey'),
    t('For example Ctrl+Alt+M. Adds a bookmark to the session from any app. Leave empty for none.'),
  ),
  row(
    'app',
    'updates',
    t('Check for updates'),
    t('version, upgrade, new'),
    t(
      'Downloads are checked against the release list (SHA-512); on macOS and in signed Windows packages, the signature is checked too. Updates are installed when you quit, never during a recording or replay.',
    ),
  ),
  row(
    'app',
    'channel',
    t('Update channel'),
    t('beta, stable, preview'),
    t('You can leave the beta channel at any time. The next stable version replaces the beta.'),
  ),
  row(
    'app',
    'diagnostics',
    t('Diagnostic report'),
    t('report, support, crash, bug, help'),
    t(
      'Versions, states, settings, the log, and crashes. It contains no password, key, user name, service, or folder. You review it first; Tapedeck sends nothing.',
    ),
  ),
]

/** The description of a setting, used in the dialog and the guide. */
export const aboutSetting = (id: string): string => SETTINGS.find((one) => one.id === id)?.about ?? ''

/** What a setting requires of the running app. */
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

/** The settings available in this window: desktop settings only in Electron, the channel only with updates. */
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
