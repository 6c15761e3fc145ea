/**
 * An archiver in a process of its own, for tests that kill it:
 * `node team-archiver.ts POSTGRES NATS TEAM [before-commit|before-ack COUNT]` kills itself at that point, the
 * COUNT-th time it gets there.
 */
import { systemClock } from '../../src/main/base/clock.ts'
import { Archive } from '../../src/main/features/team/history/archive.ts'
import { runArchiver } from '../../src/main/features/team/history/archiver.ts'
import { connectDatabase } from '../../src/main/features/team/history/database.ts'
import { readHistoryTarget } from '../../src/main/features/team/history/target.ts'
import { createTeamMetrics } from '../../src/main/features/team/metrics/metrics.ts'
import { connectTeam } from '../../src/main/features/team/nats/connect.ts'
import { readNatsTarget } from '../../src/main/features/team/nats/target.ts'
import { readTeamName } from '../../src/main/features/team/names.ts'

const [postgres = '', nats = '', name = '', point = '', count = '1'] = process.argv.slice(2)
const team = readTeamName(name)
if (team === null) throw new Error('no team')
let times = Number(count)
/** Never resolves once it is time: the signal ends the process in the middle of what called this. */
const at = (here: string) => async (): Promise<void> => {
  if (here !== point || --times > 0) return
  process.kill(process.pid, 'SIGKILL')
  await new Promise(() => undefined)
}

const log = await connectTeam({ target: readNatsTarget(nats, {}, {}), team, name: 'archiver', allowOld: true })
const db = await connectDatabase(readHistoryTarget(postgres), team)
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
const stopped = await runArchiver({
  log,
  db,
  archive: new Archive(db, { beforeCommit: at('before-commit') }),
  clock: systemClock,
  signal: stop.signal,
  report: (level, text) => process.stderr.write(`${level}: ${text}\n`),
  metrics: createTeamMetrics({ team, role: 'archiver' }),
  sealBytes: 20_000,
  beforeAck: at('before-ack'),
})
await log.close()
await db.close()
process.exitCode = stopped.length === 0 ? 0 : 1
