/**
 * The loss tests: `node tests/loss/run.ts [NAME …]`. Names: gaps, crash, damage, hostile, disk, million; and team, which
 * is all that begin with team- and runs only when named. Prints what was seen; exits 1 when a promise was broken. `KILLS=N` kills N times instead of 36 and 100, `DAMAGES=N` damages each file
 * N times in each way instead of 1,000, `PHASE=importing` kills in that phase alone, `SECONDS=600` keeps a terminal asleep
 * and NATS away for so long instead of a minute each.
 */
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { inFolder } from '../../benchmarks/session.ts'
import { startNatsServer } from '../kit/nats-server.ts'
import { makePostgres } from '../kit/postgres-process.ts'
import { EU } from '../kit/team-recorder.ts'
import { machineOf } from '../../scripts/lib/report.mjs'
import { crashLoop } from './crash.ts'
import { damage } from './damage.ts'
import { fullDisk } from './disk.ts'
import { PHASES } from './gap-phases.ts'
import { gapLoop } from './gaps.ts'
import { hostile } from './hostile.ts'
import { million } from './million.ts'
import { killArchivers } from './team-archive.ts'
import { killCluster } from './team-cluster.ts'
import { breakTeam, flipIntoLog, type TeamServers } from './team-faults.ts'
import { failOver } from './team-failover.ts'
import { stopHolders } from './team-lease.ts'
import { killRecorder } from './team-recorder.ts'
import { disturbTerminals } from './team-terminal.ts'

/** Four in each of its nine phases, three minutes; `KILLS=108` is the full loop of ten. */
const GAP_KILLS = 36

const phases = PHASES.filter((phase) => phase === (process.env.PHASE ?? phase))

/** How often to kill, instead of each test's own number. */
const KILLS = process.env.KILLS === undefined ? null : Number(process.env.KILLS)

/** How long a terminal sleeps, and then NATS is away. */
const SECONDS = Number(process.env.SECONDS ?? 60)

type Say = (text: string) => void
const TESTS: Readonly<Record<string, (folder: string, say: Say) => Promise<string | undefined>>> = {
  // The longest first: two run at a time, mostly waiting for the processes that they start and kill.
  gaps: (folder, say) => gapLoop(folder, Number(process.env.KILLS ?? GAP_KILLS), say, phases),
  crash: (folder, say) => crashLoop(folder, Number(process.env.KILLS ?? 100), say),
  damage: (folder, say) => damage(folder, Number(process.env.DAMAGES ?? 1_000), say),
  hostile: (folder) => hostile(folder, 100_000),
  disk: (folder, say) => fullDisk(folder, say),
  million: (folder) => million(folder, 1_000_000),
}

/** With real servers, forty minutes: only when named, as by `npm run soak -- team`. */
const TEAM: typeof TESTS = {
  'team-recorder': (folder, say) =>
    withServers(folder, ({ nats, postgres }) =>
      killRecorder({ home: inside(folder, 'home'), servers: nats.url, kills: KILLS ?? 100, postgres, say }),
    ),
  'team-archive': (folder) =>
    withServers(folder, ({ nats, postgres }) => {
      const kills = KILLS ?? 100
      return killArchivers({ team: EU, postgres, nats: nats.url, kills, postgresKills: Math.ceil(kills / 10) })
    }),
  'team-cluster': (_, say) =>
    killCluster({ messages: Number(process.env.MESSAGES ?? 1_000_000), kills: KILLS ?? 20, say }),
  'team-log': (folder, say) =>
    withServers(folder, (servers) => breakTeam({ ...servers, faults: 'log', rounds: KILLS ?? 20, say })),
  'team-network': (folder, say) =>
    withServers(folder, (servers) => breakTeam({ ...servers, faults: 'network', rounds: KILLS ?? 10, say })),
  'team-flip': (folder) => withServers(folder, flipIntoLog),
  'team-terminal': async (folder, say) =>
    disturbTerminals({ folder, nats: await startNatsServer(), asleep: SECONDS, away: SECONDS, say }),
  'team-lease': async (folder, say) =>
    stopHolders({ folder, nats: await startNatsServer(), stops: KILLS ?? 3, seconds: 30, say }),
  'team-failover': async (folder, say) => failOver({ folder, nats: await startNatsServer(), rounds: KILLS ?? 2, say }),
}

/** An empty folder in a folder. */
function inside(folder: string, name: string): string {
  // The server of a database runs as another user.
  chmodSync(folder, 0o711)
  mkdirSync(join(folder, name))
  return join(folder, name)
}

/** Runs with a NATS server and a PostgreSQL of its own. */
async function withServers(folder: string, run: (servers: TeamServers) => Promise<string>): Promise<string> {
  const [nats, postgres] = await Promise.all([startNatsServer(), makePostgres(inside(folder, 'postgres'))])
  try {
    return await run({ nats, postgres })
  } finally {
    await nats.kill()
    await postgres.kill()
  }
}

const machine = machineOf()
const asked = process.argv.slice(2)
const listed = { ...TESTS, ...(asked.length === 0 ? {} : TEAM) }
const unknown = asked.filter((name) => name !== 'team' && !(name in listed))
if (unknown.length > 0) {
  console.error(`there is no loss test ${unknown.join(', ')}: choose of ${Object.keys(listed).join(', ')}`)
  process.exit(2)
}
const waiting = Object.entries(listed).filter(
  ([name]) => asked.length === 0 || asked.includes(name) || (asked.includes('team') && name in TEAM),
)
/** Said again at the end, where they are found. */
const failures: string[] = []

async function lane(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [name, test] = next
    const say: Say = (text) => console.log(`  ${name}: ${text}`)
    const from = performance.now()
    try {
      const seen = await inFolder((folder) => test(folder, say))
      if (seen !== undefined) say(`${seen}  (${((performance.now() - from) / 1_000).toFixed(0)} s)`)
      else if (machine.ci && !machine.unable.has(`loss-${name}`)) throw new Error('it could not run here')
    } catch (thrown) {
      const failure = `FAILED: ${thrown instanceof Error ? thrown.message : String(thrown)}`
      failures.push(`${name}: ${failure}`)
      say(failure)
    }
  }
}

await Promise.all([lane(), lane()])
for (const failure of failures) console.log(failure)
console.log(failures.length === 0 ? 'every promise was kept' : `${failures.length} failed`)
process.exit(failures.length === 0 ? 0 : 1)
