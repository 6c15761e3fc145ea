/** What can be wrong with NATS servers that work: read from their monitoring port, the only place that says it. */
import * as v from 'valibot'
import { UsageError } from '../../../command-line/command.ts'

/** A server's clock may differ by this much, ms: times in the log are the server's. */
const MAX_SKEW_MS = 2_000
const REPLY_WITHIN_MS = 3_000
const KNOWS_SYNC = [2, 10] as const

const VARZ = v.object({ server_name: v.string(), version: v.string(), now: v.string() })
const JSZ = v.object({ config: v.optional(v.object({ sync_always: v.optional(v.boolean()) })) })

/** A server as its monitoring port describes it. */
export interface ServerReport {
  readonly name: string
  /** Whether it syncs a message to disk before it acknowledges it; null: it doesn't say. */
  readonly syncsAlways: boolean | null
  /** Its clock, UTC ms. */
  readonly nowMs: number
}

/** Reads `http://HOST:8222`, comma-separated. Throws `UsageError`. */
export function readMonitors(text: string | undefined): readonly string[] {
  if (text === undefined) return []
  return text.split(',').map((one) => {
    const url = URL.parse(one.trim())
    if (url === null || !['http:', 'https:'].includes(url.protocol))
      throw new UsageError(`--nats-monitor takes http://HOST:8222, not "${one}"`)
    return url.origin
  })
}

/** Asks a server. Rejects if it doesn't reply in time, or replies something else. */
export async function askServer(monitor: string): Promise<ServerReport> {
  const get = async (path: string): Promise<unknown> => {
    const reply = await fetch(`${monitor}${path}`, { signal: AbortSignal.timeout(REPLY_WITHIN_MS) })
    return reply.json()
  }
  const { server_name: name, version, now } = v.parse(VARZ, await get('/varz'))
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const says = major > KNOWS_SYNC[0] || (major === KNOWS_SYNC[0] && minor >= KNOWS_SYNC[1])
  const { config } = v.parse(JSZ, await get('/jsz?config=true'))
  return { name, syncsAlways: says ? config?.sync_always === true : null, nowMs: Date.parse(now) }
}

/** What to tell the user about a server, a sentence each. */
export function findFaults({ name, syncsAlways, nowMs: theirs }: ServerReport, nowMs: number): string[] {
  const faults: string[] = []
  if (syncsAlways === false)
    faults.push(
      `The NATS server ${name} acknowledges messages before they are on its disk. Set \`sync_interval: always\` in its jetstream block, or a power failure of all servers can lose messages that the recorders have to publish again.`,
    )
  const skewMs = theirs - nowMs
  if (Math.abs(skewMs) > MAX_SKEW_MS)
    faults.push(
      `The clock of the NATS server ${name} is ${(Math.abs(skewMs) / 1_000).toFixed(0)} s ${skewMs > 0 ? 'ahead of' : 'behind'} this computer’s. Synchronize both with NTP.`,
    )
  return faults
}

/** Asks every server, and reports what is wrong, what couldn't be asked, and that nothing could. Never rejects. */
export async function examineServers(
  monitors: readonly string[],
  wallMs: () => number,
  report: (text: string) => void,
): Promise<void> {
  if (monitors.length === 0)
    report(
      'Whether the NATS servers sync messages before they acknowledge them couldn’t be checked. Name their monitoring ports with --nats-monitor http://HOST:8222.',
    )
  for (const monitor of monitors) {
    const server = await askServer(monitor).catch(() => null)
    if (server === null) report(`The NATS server’s monitoring port at ${monitor} didn’t answer as expected.`)
    else for (const fault of findFaults(server, wallMs())) report(fault)
  }
}
