/** `tapedeck serve`: runs the browser host. */
import { jsonLine } from '../../base/json-schema.ts'
import { CodedError, toFailure } from '../../../shared/base/errors.ts'
import { sourceKey } from '../../../shared/core/recording/session.ts'
import { openInBrowser } from '../browser/open.ts'
import { startBrowserHost } from '../browser/host.ts'
import { openTerminal } from '../open-terminal.ts'
import { accountOptions } from '../../core/account/cli.ts'
import { sourceText } from '../../command-line/source-text.ts'
import { defineCommand, UsageError, wholeNumber, type Context, type Values } from '../../command-line/command.ts'
import { exitWhenStopped } from '../../command-line/exit.ts'
import { logLevel } from '../../command-line/log-level.ts'
import { waitUntil } from '../../base/clock.ts'
import { apiFile } from '../../features/api/api-file.ts'
import { api } from '../../features/api/feature.ts'
import { team } from '../../features/team/feature.ts'
import { METRICS_OPTION, readMetricsAddress, withMetrics } from '../../command-line/metrics/serve.ts'
import { findServiceManager } from '../../command-line/service-manager.ts'
import { createServiceLog } from '../../command-line/service-log.ts'
import { createMonitor } from '../../core/monitor/monitor.ts'
import { createTeamMetrics } from '../../features/team/metrics/metrics.ts'
import { reportTerminal, type ReportedSessions } from '../../features/team/metrics/report.ts'
import { HISTORY_OPTION, readHistoryTarget } from '../../features/team/history/target.ts'
import { readTrust, TRUST_OPTION } from '../../features/team/sign/trust.ts'
import { readTeamAddress, TEAM_OPTIONS, UPSTREAM_OPTION, type TeamAddress } from '../../features/team/nats/options.ts'
import type { HostOptions } from '../../terminal/host.ts'
import { startHeartbeat } from './heartbeat.ts'

export const serve = defineCommand({
  logs: true,
  examples: [
    ['The demo market in the default browser', '--demo --open'],
    ['With the local API for other programs', '--demo --api'],
    ['What the recorders of team eu receive', '--team eu --upstream nats://nats.example.com'],
    ['Follow only what trusted recorders signed', '--team eu --upstream nats://nats.example.com --trust recorders.txt'],
  ],
  options: {
    port: { type: 'string', value: 'N', help: 'Port to listen on (default: any free port)' },
    'safe-mode': {
      type: 'boolean',
      help: 'Start with the default panes and theme, without sounds; your saved ones stay unchanged',
    },
    'no-sample': { type: 'boolean', help: 'Don’t add the sample session of the demo market at the first start' },
    demo: { type: 'boolean', help: 'Show the demo market even if an account is saved' },
    open: { type: 'boolean', help: 'Open the address in the default browser' },
    api: {
      type: 'boolean',
      help: 'Also serve the local API; its address and token are in api.json in the app’s folder',
    },
    'api-port': { type: 'string', value: 'N', help: 'Port of the local API (default: 8018)' },
    upstream: UPSTREAM_OPTION,
    ...TEAM_OPTIONS,
    history: HISTORY_OPTION,
    trust: { ...TRUST_OPTION, help: `Follow only what is signed with this key. ${TRUST_OPTION.help}` },
    metrics: METRICS_OPTION,
  },
  async run(values, context) {
    const port = wholeNumber(values, 'port', 0, 65_535) ?? 0
    const apiPort = wholeNumber(values, 'api-port', 0, 65_535) ?? API_PORT
    if (values.text('api-port') !== undefined && !values.on('api')) throw new UsageError('--api-port needs --api')
    const metricsAt = readMetricsAddress(values)
    const log = context.log ?? createServiceLog(values, context)
    const manager = findServiceManager(context)
    context.signal.addEventListener('abort', () => manager.stopping())
    const startedMs = context.clock.wallMs()
    const followed = teamOptions(values, context)
    if (followed.team !== undefined) await checkTeam(readTeamAddress(values, context.env), context)
    const terminal = await openTerminal({
      dataDir: context.dataDir,
      host: 'browser',
      version: context.version,
      storeFile: values.text('store'),
      workers: context.workers,
      demoData: context.demoData,
      clock: context.clock,
      logLevel: logLevel(values),
      onLog: (entry, facts) => log.entry(entry, facts),
      safe: values.on('safe-mode'),
      portable: context.portable,
      sample: !values.on('no-sample'),
      ...accountOptions(values, context),
      ...followed,
    })
    try {
      const host = await startBrowserHost(terminal.handlers, {
        port,
        rendererDir: context.rendererDir,
        log: (level, text) => terminal.log(level, 'browser', text),
        onReuse: () => context.err(REUSED),
      }).catch((cause: unknown) => {
        throw hostFailure(cause, port)
      })
      const served = values.on('api') ? await terminal.service(api).start(apiPort) : null
      const status = terminal.status()
      const user = status.source === 'team' ? '*' : terminal.account().user
      const source = sourceKey({ kind: status.source, origin: status.origin, user })
      const more = served === null ? {} : { api: served.baseUrl }
      const tell = (url: string) =>
        context.out(values.on('json') ? jsonLine('serve', { url, source, ...more }) : `${url}\n`)
      tell(host.url)
      const watching = `Watching ${sourceText(status)}.`
      manager.ready(watching)
      if (!values.on('json') || log.format !== 'screen')
        log.add('info', watching, { event: 'started', source, store: status.store.path, version: context.version })
      if (served !== null && !values.on('json')) {
        context.err(`The API is at ${served.baseUrl}. Its token is in ${apiFile(context.dataDir)}.\n`)
      }
      if (!values.on('json')) {
        context.err(
          'Open this address in a browser on this computer. It works once. Press Enter for another, Ctrl+C to stop.\n',
        )
      }
      const stopLines = context.lines?.(() => tell(host.newUrl()))
      const page = values.on('open') ? await openInBrowser(host.url, context.dataDir) : null
      if (page?.opened === false) context.err('Couldn’t open a browser here. Open the address yourself.\n')
      const metrics =
        followed.team === undefined ? null : createTeamMetrics({ team: followed.team.name, role: 'terminal' })
      const inMetrics: ReportedSessions = new Set()
      metrics?.beforeRead(() => reportTerminal(metrics, terminal.service(team).state(), inMetrics))
      const monitor = createMonitor({
        version: context.version,
        startedMs,
        standsBy: false,
        more: () => metrics?.text() ?? '',
      })
      monitor.watch(
        () => terminal.status(),
        () => null,
      )
      const stopHeartbeat = startHeartbeat(context.clock, () => terminal.status(), log, manager)
      await withMetrics(
        metricsAt,
        monitor,
        (text) => context.err(text),
        () => waitUntil(context.clock, context.signal, null),
      )
      stopHeartbeat()
      stopLines?.()
      await terminal.desktop.lastSave()
      await host.close()
      await page?.remove()
    } finally {
      await terminal.close()
    }
    return exitWhenStopped(context.signal)
  },
})

/** Empty without `--upstream` and `--team`. Throws UsageError. */
function teamOptions(values: Values, { env }: Pick<Context, 'env'>): Pick<HostOptions, 'source' | 'team'> {
  const [upstream, history] = [values.text('upstream'), values.text('history')]
  if (upstream === undefined && values.text('team') === undefined) {
    if (history !== undefined) throw new UsageError('--history needs --team and --upstream')
    if (values.texts('trust').length > 0) throw new UsageError('--trust needs --team and --upstream')
    return {}
  }
  if (values.on('demo') || values.text('base-url') !== undefined || values.text('user') !== undefined)
    throw new UsageError('--upstream can’t be combined with --demo, --base-url or --user')
  const { team: name, target, allowOld } = readTeamAddress(values, env)
  if (history !== undefined) readHistoryTarget(history)
  return {
    source: 'team',
    team: { name, target, history, allowOld, trusted: readTrust(values) },
  }
}

/** Rejects if the team's servers refuse this terminal. Servers that can't be reached are tried again later. */
async function checkTeam(address: TeamAddress, { err }: Pick<Context, 'err'>): Promise<void> {
  const { connectTeam } = await import('../../features/team/nats/connect.ts')
  try {
    const log = await connectTeam({ ...address, name: 'tapedeck serve' })
    await log.close()
  } catch (thrown) {
    const { code, message } = toFailure(thrown)
    if (code !== 'offline' && code !== 'timeout') throw thrown
    err(`${message} Tapedeck keeps trying.\n`)
  }
}

/** The default port of the API. Clients find another one in `api.json`. */
const API_PORT = 8018

const REUSED =
  'Someone opened an address that was already used, and was refused. If that wasn’t you, press Ctrl+C and start again.\n'

function hostFailure(cause: unknown, port: number): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'EADDRINUSE') {
    return new CodedError('not-allowed', `Port ${port} is already in use.`, {
      hint: 'Choose another port, or leave out --port.',
      cause,
    })
  }
  if (code === 'ENOENT') {
    return new CodedError('not-found', 'The window hasn’t been built.', { hint: 'Run `npm run build` first.', cause })
  }
  return cause
}
