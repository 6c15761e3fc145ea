/** The diagnostic report and crash reports. */
import { keepCrash, readCrashes, type Crash } from './crashes.ts'
import { diagnosticsText } from './report.ts'
import type { Settings } from '../../../shared/core/settings/settings.ts'
import type { AppInfo, StatusState } from '../../../shared/core/status/status.ts'
import { blot, type Log } from '../../core/log/log.ts'
import { userHome } from '../../base/user-home.ts'

export interface DiagnosingParts {
  readonly dataDir: string
  readonly wallMs: () => number
  readonly info: () => AppInfo
  readonly settings: () => Settings
  readonly status: () => StatusState
  readonly log: Log
  /** Secrets to redact from every report. */
  readonly known: () => readonly string[]
}

export interface Diagnosing {
  /** A report for support, without secrets and names; includes symbols only if `symbols` is true. */
  diagnostics(symbols: boolean): string
  /** Saves a crash report; returns its file, or null if it couldn't be written. */
  crashed(what: Crash['what'], text: string): string | null
}

export function createDiagnosing(parts: DiagnosingParts): Diagnosing {
  const { dataDir, wallMs, info, settings, status, log, known } = parts
  const { node, electron, chrome } = process.versions
  const hidden = (text: string): string => known().reduce((safe, secret) => safe.replaceAll(secret, '***'), text)
  return {
    diagnostics: (symbols) =>
      diagnosticsText(
        {
          info: info(),
          versions: { node, electron, chrome },
          nowMs: wallMs(),
          settings: settings(),
          status: status(),
          log: log.entries,
          crashes: readCrashes(dataDir),
          home: userHome(),
        },
        symbols,
      ),
    crashed: (what, text) =>
      keepCrash(dataDir, {
        atMs: wallMs(),
        version: info().version,
        what,
        // Redact the whole text first: a secret may contain a line break.
        text: hidden(text)
          .split('\n')
          .map((line) => blot(line))
          .join('\n'),
      }),
  }
}
