/**
 * The diagnostic report: a text for support that the user reads first. It has no secrets, no names of users or
 * services, and no symbols unless the user allows them.
 */
import { dirname } from 'node:path'
import type { Settings } from '../../../shared/core/settings/settings.ts'
import type { AppInfo, LogEntry, StatusState } from '../../../shared/core/status/status.ts'

export interface DiagnosticFacts {
  readonly info: AppInfo
  /** Versions of the runtimes, by name. */
  readonly versions: Readonly<Record<string, string | undefined>>
  readonly nowMs: number
  readonly settings: Settings
  readonly status: StatusState
  readonly log: readonly LogEntry[]
  readonly crashes: readonly string[]
  /** Path of the user's home folder, which contains the user's name. */
  readonly home: string
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Every symbol in the settings or feeds, longest first, so that replacing a short one can't split a longer one. */
function symbolsOf({ settings, status }: DiagnosticFacts): readonly string[] {
  const named = [
    ...settings.watchlists.flatMap(({ symbols }) => symbols.map(({ symbol }) => symbol)),
    ...status.feeds.flatMap(({ acknowledged, missing, overBudget }) => [...acknowledged, ...missing, ...overBudget]),
  ]
  const names = named.flatMap((symbol) => [symbol, symbol.replace(/[-/_]/g, '')])
  return [...new Set(names)].filter((symbol) => symbol.length > 1).sort((a, b) => b.length - a.length)
}

/** The text of the report; `symbols`: the user allows symbols in it. */
export function diagnosticsText(facts: DiagnosticFacts, symbols: boolean): string {
  const { info, versions, nowMs, settings, status, log, crashes, home } = facts
  const { account, watchlists, workspace, recording, ...others } = settings
  // Saved screens name symbols.
  const looks = Object.fromEntries(Object.entries(others).filter(([name]) => symbols || name !== 'screener'))
  const hidden: [RegExp, string][] = []
  const hide = (text: string, by: string): void => {
    if (text.length > 1) hidden.push([new RegExp(escaped(text), 'gi'), by])
  }
  // The path of a store elsewhere may contain a name, too.
  if (!info.storePath.startsWith(home)) hide(dirname(info.storePath), '(folder)')
  if (info.portable !== undefined) hide(info.portable, '(folder)')
  hide(home, '~')
  hide(account.user, '(user)')
  if (URL.canParse(account.baseUrl)) hide(new URL(account.baseUrl).host, '(service)')
  if (status.source === 'service' && URL.canParse(status.origin)) hide(new URL(status.origin).host, '(service)')
  // Numbered, so that lines about the same symbol can be matched.
  if (!symbols) symbolsOf(facts).forEach((symbol, i) => hide(symbol, `(symbol ${i + 1})`))

  const { store, feeds, ...rest } = status
  const lines = [
    `Tapedeck ${info.version}, ${info.host}, ${info.platform}`,
    `made ${new Date(nowMs).toISOString()}`,
    ...Object.entries(versions).map(([name, version]) => `${name} ${version ?? '-'}`),
    '',
    '== status',
    JSON.stringify({ ...rest, store: { ...store, path: info.storePath } }, null, 2),
    '',
    '== feeds',
    ...feeds.map((feed) =>
      JSON.stringify({
        ...feed,
        acknowledged: feed.acknowledged.length,
        missing: feed.missing.length,
        overBudget: feed.overBudget.length,
      }),
    ),
    '',
    '== settings',
    JSON.stringify(
      {
        account: { source: account.source, allowSharding: account.allowSharding, plan: account.plan },
        recording: { ...recording, storePath: recording.storePath === '' ? '' : '(set)' },
        watchlists: watchlists.map(({ symbols: { length } }) => length),
        workspace: symbols ? workspace : { ...workspace, instrument: '(hidden)' },
        ...looks,
      },
      null,
      2,
    ),
    '',
    `== crashes (${crashes.length})`,
    ...crashes,
    '',
    `== log (${log.length})`,
    ...log.map(({ atMs, level, from, text, detail }) =>
      [new Date(atMs).toISOString(), level, from, text, detail ?? ''].join(' ').trimEnd(),
    ),
    '',
  ]
  return hidden.reduce((text, [pattern, by]) => text.replace(pattern, by), lines.join('\n'))
}
