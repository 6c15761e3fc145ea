/** The commands and the options that all of them take: the list that parsing, help and the guide are made from. */
import type { ListedCommand, Option } from '../../command-line/command.ts'
import { LOG_FORMATS } from '../../command-line/service-log.ts'

export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  store: { type: 'string', value: 'FILE', help: 'The store to use (default: the app’s own)' },
  'base-url': { type: 'string', value: 'URL', help: 'The service (default: the saved account)' },
  user: { type: 'string', value: 'NAME', help: 'The user name at the service' },
  'log-level': { type: 'string', value: 'LEVEL', help: 'debug, info, warn or error (default: info)' },
  'log-format': {
    type: 'string',
    value: 'FORMAT',
    help: 'Log of record, serve and archive on standard error: json, text, or auto: json unless it is a terminal',
    words: LOG_FORMATS,
  },
  portable: { type: 'boolean', help: 'Keep all data in a folder next to the program, and no secrets in the keychain' },
  home: { type: 'string', value: 'FOLDER', help: 'Like --portable, in a folder of your choice', file: true },
  json: { type: 'boolean', help: 'Print JSON, and nothing else, to standard output' },
  quiet: { type: 'boolean', help: 'Print no progress and no notices to standard error, only warnings and errors' },
  help: { type: 'boolean', help: 'Show this help' },
  version: { type: 'boolean', help: 'Show the version' },
}

export const COMMANDS: readonly ListedCommand[] = [
  {
    name: 'simulate',
    summary: 'Run the demo market on loopback, with every feed and REST endpoint, until Ctrl+C or SIGTERM.',
    load: async () => (await import('./simulate.ts')).simulate,
  },
  {
    name: 'record',
    summary: 'Record feeds until the duration ends, Ctrl+C, or SIGTERM.',
    load: async () => (await import('./record.ts')).record,
  },
  {
    name: 'tail',
    summary: 'Print decoded messages as they are received or recorded, or those of a session.',
    load: async () => (await import('../../features/tail/cli.ts')).tail,
  },
  {
    name: 'serve',
    summary: 'Open the window in your browser: print a one-time loopback address and serve until Ctrl+C or SIGTERM.',
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'login',
    summary: 'Sign in to the service, and save the account for record, serve and fetch, without a window.',
    load: async () => (await import('./login.ts')).login,
  },
  {
    name: 'logout',
    summary: 'Forget the saved account and its secrets.',
    load: async () => (await import('./login.ts')).logout,
  },
  {
    name: 'sessions',
    summary: 'List recorded sessions, newest last; label one, or save one as a file.',
    load: async () => (await import('../../features/sessions/cli.ts')).sessions,
  },
  {
    name: 'journal',
    summary: 'Review a session as Markdown: largest moves, gaps, alerts and the notes of the journal.',
    load: async () => (await import('./journal.ts')).journal,
  },
  {
    name: 'symbols',
    summary: 'List stored symbols, with their messages and times.',
    load: async () => (await import('../../features/inventory/cli.ts')).symbols,
  },
  {
    name: 'feeds',
    summary: 'List the feeds of the service, and how much of each is stored.',
    load: async () => (await import('../../features/inventory/cli.ts')).feeds,
  },
  {
    name: 'stats',
    summary: 'Count what is stored: messages, bytes and gaps of each feed.',
    load: async () => (await import('../../features/inventory/cli.ts')).stats,
  },
  {
    name: 'replay',
    summary: 'Play a session and compare its state with the live state, minute by minute.',
    load: async () => (await import('../../features/replay/cli.ts')).replay,
  },
  {
    name: 'verify',
    summary: 'Check stored sessions against their ledger and list every difference.',
    load: async () => {
      const { verifiableHistory } = await import('../../features/team/history/verifiable-history.ts')
      return (await import('../../features/evidence/cli.ts')).verifyCommand(verifiableHistory)
    },
  },
  {
    name: 'export',
    summary: 'Export ticks or bars to a file with a manifest; a failed export leaves no partial file.',
    load: async () => (await import('../../features/export/cli.ts')).exportCommand,
  },
  {
    name: 'sync',
    summary: 'Write what is stored as a partitioned Parquet dataset, and later what is new.',
    load: async () => (await import('../../features/export/sync/cli.ts')).sync,
  },
  {
    name: 'import',
    summary: 'Import sessions from another machine, Tapedeck exports, or tables of ticks.',
    load: async () => (await import('../../features/import/cli.ts')).importCommand,
  },
  {
    name: 'fetch',
    summary: 'Make one REST request within the daily budget, save the response to the history, and print it.',
    load: async () => (await import('../../features/research/cli.ts')).fetchCommand,
  },
  {
    name: 'alerts',
    summary: 'List the alerts, or run them over a recorded session: when each would have fired.',
    load: async () => (await import('../../features/alerts/cli.ts')).alertsCommand,
  },
  {
    name: 'backup',
    summary:
      'Back up the store, settings, workspaces, drawings and notes to a folder, even while recording; or restore a backup.',
    load: async () => (await import('../../features/backup/cli.ts')).backup,
  },
  {
    name: 'move',
    summary:
      'Move the store to another folder: copy it, read it back, then remove the original. Nothing may be recording.',
    load: async () => (await import('../../features/move-store/cli.ts')).move,
  },
  {
    name: 'plan',
    summary: 'Assign the symbols of a team to its shards, and write the plan for its recorders.',
    load: async () => (await import('../../features/team/plan/cli.ts')).planCommand,
  },
  {
    name: 'team',
    summary: 'Show the recorders of a team, their leases and sessions, and how far the history is.',
    load: async () => (await import('../../features/team/status/cli.ts')).teamCommand,
  },
  {
    name: 'archive',
    summary: 'Store what a team’s recorders publish in its history, a PostgreSQL database, until Ctrl+C or SIGTERM.',
    load: async () => (await import('../../features/team/history/cli.ts')).archiveCommand,
  },
  {
    name: 'fetch-session',
    summary: 'Copy a session from a team’s history into the store and verify it.',
    load: async () => (await import('../../features/team/history/cli.ts')).fetchSession,
  },
  {
    name: 'config',
    summary: 'Show settings, or change one while no Tapedeck is running.',
    load: async () => (await import('./config.ts')).config,
  },
  {
    name: 'doctor',
    summary: 'Check what recording here depends on, and say what to do.',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    name: 'completion',
    summary: 'Print a script that completes commands and options in bash, zsh or fish.',
    load: async () => (await import('./completion.ts')).completionCommand(COMMANDS, COMMON_OPTIONS),
  },
]
