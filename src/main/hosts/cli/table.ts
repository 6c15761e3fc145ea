/** Every command and every shared option: the one list that parsing, help and docs derive from. */
import { alertsCommand } from '../../features/alerts/cli.ts'
import type { Command, Option } from '../../command-line/command.ts'
import { backup } from '../../features/backup/cli.ts'
import { exportCommand } from '../../features/export/cli.ts'
import { fetchCommand } from '../../features/research/cli.ts'
import { completionCommand } from './completion.ts'
import { importCommand } from '../../features/import/cli.ts'
import { move } from '../../features/move-store/cli.ts'
import { record } from './record.ts'
import { replay } from '../../features/replay/cli.ts'
import { serve } from './serve.ts'
import { sessions } from '../../features/sessions/cli.ts'
import { simulate } from './simulate.ts'
import { verify } from '../../features/evidence/cli.ts'

export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  store: { type: 'string', value: 'FILE', help: 'The store to use (default: the app’s own)' },
  'base-url': { type: 'string', value: 'URL', help: 'The service (default: the account saved in the window)' },
  user: { type: 'string', value: 'NAME', help: 'The user name at the service' },
  'log-level': { type: 'string', value: 'LEVEL', help: 'debug, info, warn or error (default: info)' },
  portable: { type: 'boolean', help: 'Keep all data in a folder next to the program, and no secrets in the keychain' },
  home: { type: 'string', value: 'FOLDER', help: 'Like --portable, in a folder of your choice', file: true },
  json: { type: 'boolean', help: 'Print JSON, and nothing else, to standard output' },
  help: { type: 'boolean', help: 'Show this help' },
}

export const COMMANDS: readonly Command[] = [
  simulate,
  record,
  serve,
  sessions,
  replay,
  verify,
  exportCommand,
  importCommand,
  fetchCommand,
  alertsCommand,
  backup,
  move,
  completionCommand(() => COMMANDS, COMMON_OPTIONS),
]
