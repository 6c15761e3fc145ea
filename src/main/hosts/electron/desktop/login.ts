/** Start at login: by the system's own list on Windows and macOS, by an entry of the desktop's on Linux. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface LoginHost {
  readonly platform: NodeJS.Platform
  /** Installed: neither a checkout nor carried along. Others have no place that the system could start. */
  readonly installed: boolean
  /** The program, or the AppImage that it came out of. */
  readonly program: string
  /** The folder of the user's desktop settings on Linux: `XDG_CONFIG_HOME`. */
  readonly config: string
  /** Electron's `app.setLoginItemSettings`. */
  readonly setItem: (item: { openAtLogin: boolean; args: string[] }) => void
}

/** How the system starts it: no window, it records. */
export const HIDDEN = '--hidden'
/** Tells our entry from one that the user wrote. */
const OURS = 'X-Tapedeck-Login=true'

/** Whether the setting does anything here. */
export function canStartAtLogin({ platform, installed }: Pick<LoginHost, 'platform' | 'installed'>): boolean {
  return installed && (platform === 'linux' || platform === 'darwin' || platform === 'win32')
}

/** A word of an entry's command, quoted twice: as an argument, and as a string of the file. */
function quoted(word: string): string {
  const argument = word.replace(/["`$\\]/g, '\\$&').replaceAll('%', '%%')
  return `"${argument.replaceAll('\\', '\\\\')}"`
}

/** The entry of a desktop that starts a program at login (freedesktop's autostart specification). */
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

/** Makes the system start the app at login, or no longer. Throws where the user's folder cannot be written. */
export function setStartAtLogin(host: LoginHost, on: boolean): void {
  if (!canStartAtLogin(host)) return
  if (host.platform !== 'linux') return host.setItem({ openAtLogin: on, args: [HIDDEN] })
  const file = join(host.config, 'autostart', 'tapedeck.desktop')
  const there = read(file)
  if (on) {
    const entry = autostartEntry(host.program)
    if (there === entry) return
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, entry)
  } else if (there?.includes(OURS) === true) rmSync(file, { force: true })
}
