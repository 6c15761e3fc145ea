/**
 * The loss tests: `node tests/loss/run.ts [NAME …]`. Names: gaps, crash, damage, hostile, disk, million; and team, which
 * is team-recorder, team-archive and team-cluster and runs only when named. Prints
 * what was seen; exits 1 when a promise was broken. `KILLS=N` kills N times instead of 36 and 100, `DAMAGES=N` damages each file
 * N times in each way instead of 1,000, `PHASE=importing` kills in that phase alone.
 */
import { inFolder } from '../../benchmarks/session.ts'
import { readTeamName } from '../../src/main/features/team/names.ts'
import { startNatsServer } from '../kit/nats-server.ts'
import { makePostgres, stopPostgres } from '../kit/postgres-process.ts'
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
import { killRecorder } from './team-recorder.ts'

/** Four in each of its nine phases, three minutes; `KILLS=108` is the full loop of ten. */
const GAP_KILLS = 36

const phases = PHASES.filter((phase) => phase === (process.env.PHASE ?? phase))

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

/** With real servers, twenty minutes: only when named, as by `npm run soak -- team`. */
const TEAM: typeof TESTS = {
  'team-recorder': async (folder, say) => {
    const server = await startNatsServer()
    return killRecorder({ home: folder, servers: server.url, kills: Number(process.env.KILLS ?? 100), say })
  },
  'team-archive': async (folder) => {
    const [nats, postgres] = await Promise.all([startNatsServer(), makePostgres(folder)])
    const team = readTeamName('loss')
    if (team === null) throw new TypeError('no team')
    const kills = Number(process.env.KILLS ?? 100)
    return killArchivers({ team, postgres, nats: nats.url, kills, postgresKills: Math.ceil(kills / 10) }).finally(
      stopPostgres,
    )
  },
  'team-cluster': (_, say) =>
    killCluster({
      messages: Number(process.env.MESSAGES ?? 1_000_000),
      kills: Number(process.env.KILLS ?? 20),
      say,
    }),
}

const machine = machineOf()
const asked = process.argv.slice(2)
const listed = { ...TESTS, ...(asked.length === 0 ? {} : TEAM) }
const waiting = Object.entries(listed).filter(
  ([name]) => asked.length === 0 || asked.includes(name) || (asked.includes('team') && name in TEAM),
)
let failed = 0

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
      failed++
      say(`FAILED: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    }
  }
}

await Promise.all([lane(), lane()])
console.log(failed === 0 ? 'every promise was kept' : `${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
