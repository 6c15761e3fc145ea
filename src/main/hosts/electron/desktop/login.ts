/** Start at login: a login item on Windows and macOS, an autostart entry on Linux. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../../base/make-folder.ts'

export interface LoginHost {
  readonly platform: NodeJS.Platform
  /** Installed, not a checkout or portable: only those have a stable path to start. */
  readonly installed: boolean
  /** The program, or the AppImage that contains it. */
  readonly program: string
  /** The folder of the user's desktop settings on Linux: `XDG_CONFIG_HOME`. */
  readonly config: string
  /** Electron's `app.setLoginItemSettings`. */
  readonly setItem: (item: { openAtLogin: boolean; args: string[] }) => void
}

/** The argument of a start at login: record without a window. */
export const HIDDEN = '--hidden'
/** Distinguishes our entry from one the user wrote. */
const OURS = 'X-Tapedeck-Login=true'

/** Whether this copy can start at login. */
export function canStartAtLogin({ platform, installed }: Pick<LoginHost, 'platform' | 'installed'>): boolean {
  return installed && (platform === 'linux' || platform === 'darwin' || platform === 'win32')
}

/** An argument of the entry's command, quoted as an argument and as a string of the file. */
function quoted(word: string): string {
  const argument = word.replace(/["`$\\]/g, '\\$&').replaceAll('%', '%%')
  return `"${argument.replaceAll('\\', '\\\\')}"`
}

/** The autostart entry of a program (freedesktop's autostart specification). */
export function autostartEntry(program: string): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Tapedeck',
    'Comment=Record the market from login',
    `Exec=${quoted(program)} ${HIDDEN}`,
    'Icon=tapedeck',
    'Terminal=false',
    OURS,
    '',
  ].join('\n')
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null // there is none
  }
}

/** Turns start at login on or off. Throws if the user's folder isn't writable. */
export function setStartAtLogin(host: LoginHost, on: boolean): void {
  if (!canStartAtLogin(host)) return
  if (host.platform !== 'linux') return host.setItem({ openAtLogin: on, args: [HIDDEN] })
  const file = join(host.config, 'autostart', 'tapedeck.desktop')
  const there = read(file)
  if (on) {
    const entry = autostartEntry(host.program)
    if (there === entry) return
    makeFolder(dirname(file))
    writeFileSync(file, entry)
  } else if (there?.includes(OURS) === true) rmSync(file, { force: true })
}
