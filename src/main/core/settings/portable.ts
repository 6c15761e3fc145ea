/** Portable mode: everything of the user's in one folder that is carried along, and nothing in the system's own. */
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Surroundings } from './paths.ts'
import { appHome } from './paths.ts'

/** The options of both roots: which folder, as `tapedeck` and the app take them. */
export const HOME_OPTIONS = {
  portable: { type: 'boolean' },
  home: { type: 'string' },
} as const

export interface Home {
  readonly folder: string
  /** Asked for by `--portable` or `--home`: no secret goes to the keychain of the machine at hand. */
  readonly portable: boolean
}

/** Where a program lies, and how it was packed. */
export interface Program extends Surroundings {
  /** The program's own file. */
  readonly path: string
}

/** The folder beside the program: beside the `.app` on macOS, beside the AppImage where it runs out of one. */
export function besideProgram({ path, platform, env }: Program): string {
  const file = env.APPIMAGE || path
  const bundle = platform === 'darwin' ? /^(.*?)\/[^/]+\.app\//.exec(file) : null
  return join(bundle ? bundle[1] || '/' : dirname(file), 'Tapedeck-data')
}

/** The app's folder as the words of its command line say; without them `appHome`. */
export function homeOf(words: readonly string[], program: Program): Home {
  const { values } = parseArgs({ args: [...words], strict: false, allowPositionals: true, options: HOME_OPTIONS })
  if (typeof values.home === 'string' && values.home !== '') return { folder: resolve(values.home), portable: true }
  if (values.portable === true) return { folder: besideProgram(program), portable: true }
  return { folder: appHome(program), portable: false }
}
