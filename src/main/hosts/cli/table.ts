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
  'base-url': { type: 'string', value: 'URL', help: 'The service (default: the account that the window stored)' },
  user: { type: 'string', value: 'NAME', help: 'The user at the service' },
  'log-level': { type: 'string', value: 'LEVEL', help: 'debug, info, warn or error (default: info)' },
  portable: { type: 'boolean', help: 'Keep everything in a folder beside the program, and no secret in the keychain' },
  home: { type: 'string', value: 'FOLDER', help: 'The same, in a folder of your choice', file: true },
  json: { type: 'boolean', help: 'Machine output on standard output, nothing else there' },
  help: { type: 'boolean', help: 'Show this' },
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
