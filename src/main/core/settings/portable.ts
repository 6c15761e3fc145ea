/** Portable mode: all user data in one folder that can be carried along, and nothing in the system's folders. */
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Surroundings } from './paths.ts'
import { appHome } from './paths.ts'

/** The options for the folder, shared by the command line and the app. */
export const HOME_OPTIONS = {
  portable: { type: 'boolean' },
  home: { type: 'string' },
} as const

export interface Home {
  readonly folder: string
  /** Set by `--portable` or `--home`: secrets are not stored in this machine's keychain. */
  readonly portable: boolean
  /** Set by `--portable` alone: the folder goes to computers whose users it doesn't know. */
  readonly travels: boolean
}

/** Where the program is and how it was packaged. */
export interface Program extends Surroundings {
  /** The program's file. */
  readonly path: string
}

/** The folder next to the program: next to the `.app` on macOS, or next to the AppImage. */
export function besideProgram({ path, platform, env }: Program): string {
  const file = env.APPIMAGE || path
  const bundle = platform === 'darwin' ? /^(.*?)\/[^/]+\.app\//.exec(file) : null
  return join(bundle ? bundle[1] || '/' : dirname(file), 'Tapedeck-data')
}

/** The app's folder from its command-line arguments; default `appHome`. */
export function homeOf(words: readonly string[], program: Program): Home {
  const { values } = parseArgs({ args: [...words], strict: false, allowPositionals: true, options: HOME_OPTIONS })
  if (typeof values.home === 'string' && values.home !== '')
    return { folder: resolve(values.home), portable: true, travels: false }
  if (values.portable === true) return { folder: besideProgram(program), portable: true, travels: true }
  return { folder: appHome(program), portable: false, travels: false }
}
