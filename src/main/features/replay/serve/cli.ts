/** `tapedeck replay --serve`: runs the replay server until Ctrl+C or SIGTERM. */
import { jsonLine } from '../../../base/json-schema.ts'
import type { ReplaySpeed } from '../../../../shared/features/replay/replay.ts'
import { UsageError, wholeNumber, type Context, type Values } from '../../../command-line/command.ts'
import { exitWhenStopped } from '../../../command-line/exit.ts'
import { findSession } from '../../../command-line/sessions.ts'
import { instant } from '../../../command-line/times.ts'
import { waitUntil } from '../../../base/clock.ts'
import { withReader } from '../../../core/store/with-reader.ts'
import { GAP_MODES, STARTS } from './options.ts'
import { previous } from '../../../core/playback/load-merge.ts'
import type { Served } from './recorded.ts'
import { startReplayServer, type ReplayServer } from './replay-server.ts'

interface ServeOptions {
  readonly values: Values
  readonly context: Context
  readonly sessions: readonly string[]
  /** Instead of sessions: of a team. */
  readonly source: string | undefined
  readonly speed: ReplaySpeed
}

/** Returns the exit code. Throws `UsageError` and the failures of `startReplayServer`. */
export async function serveReplay({ values, context, sessions, source, speed }: ServeOptions): Promise<number> {
  const { env, clock, signal } = context
  if (values.on('digest')) throw new UsageError('--digest can’t be combined with --serve')
  const port = wholeNumber(values, 'serve', 0, 65_535) ?? 0
  const start = oneOf(values, 'start', STARTS)
  const gaps = oneOf(values, 'gaps', GAP_MODES)
  const [fromMs, toMs] = [instant(values, 'from', clock), instant(values, 'to', clock)]
  if (fromMs !== undefined && toMs !== undefined && toMs <= fromMs) throw new UsageError('--to must be after --from')
  return withReader(values, context, async (reader) => {
    const rows = await reader.sessions()
    const served: Served =
      source === undefined
        ? { sessions: sessions.map((name) => findSession(rows, name).session) }
        : { source, fromMs: fromMs ?? -Infinity, endMs: toMs === undefined ? Infinity : previous(toMs) }
    const server = await startReplayServer({
      reader,
      clock,
      served,
      port,
      speed,
      loop: values.on('loop'),
      range: { fromMs, toMs },
      ...(start === undefined ? {} : { start }),
      gapsDisconnect: gaps === 'disconnect',
      account: {
        username: values.text('user') ?? 'replay',
        password: env.TAPEDECK_PASSWORD || undefined,
        apiKey: env.TAPEDECK_API_KEY || undefined,
      },
    })
    try {
      tell(server, values, context)
      await Promise.race([waitUntil(clock, signal, null), server.played.then(() => waitUntil(clock, signal, null))])
    } finally {
      await server.close()
    }
    return exitWhenStopped(signal)
  })
}

/** Prints how to connect. A secret from the environment isn't repeated. */
function tell({ baseUrl, username, password, apiKey }: ReplayServer, values: Values, context: Context): void {
  const { env } = context
  const secrets = {
    ...(env.TAPEDECK_PASSWORD ? {} : { password }),
    ...(env.TAPEDECK_API_KEY ? {} : { api_key: apiKey }),
  }
  if (values.on('json')) {
    context.out(jsonLine('replay-server', { base_url: baseUrl, username, ...secrets }))
    return
  }
  context.out(
    `base URL  ${baseUrl}\nuser      ${username}\npassword  ${secrets.password ?? 'from TAPEDECK_PASSWORD'}\n` +
      `API key   ${secrets.api_key ?? 'from TAPEDECK_API_KEY'}\n`,
  )
  context.err('The recording is served as the service would. Press Ctrl+C to stop.\n')
}

function oneOf<const T extends string>(values: Values, name: string, choices: readonly T[]): T | undefined {
  const text = values.text(name)
  const chosen = choices.find((one) => one === text)
  if (text !== undefined && chosen === undefined) {
    throw new UsageError(`--${name} takes ${choices.join(' or ')}, not "${text}"`)
  }
  return chosen
}
