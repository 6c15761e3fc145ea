/**
 * A process that records a service until it is killed in the middle of something: `node gap-recorder.ts FILE BASE_URL
 * PHASE AHEAD_MS`. Now and then it stands still, so that frames wait in its sockets. Prints `id ID` once it records and
 * `r` once it has received; from then on it does what the phase says. An import says its stages, `s STAGE`, and a backup its
 * beginning and end: `b N SEQ`, `B N`.
 */
import { writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSession } from '../../benchmarks/session.ts'
import { makeBackup } from '../../src/main/features/backup/backup.ts'
import { restoreBackup } from '../../src/main/features/backup/restore.ts'
import { systemClock, type Clock } from '../../src/main/base/clock.ts'
import { importPackage } from '../../src/main/features/sessions/unpack.ts'
import { copyPass } from '../../src/main/features/move-store/copy.ts'
import { lockStore } from '../../src/main/core/store/schema/lock.ts'
import { unixMs } from '../../src/shared/base/units.ts'
import { GAP_WANTS, IMPORT_FILE, type ImportStage, type Phase } from './gap-phases.ts'

const [file, baseUrl, phase, ahead] = process.argv.slice(2) as [string, string, Phase, string] // as the loop gives them
const clock: Clock = { ...systemClock, wallMs: () => unixMs(systemClock.wallMs() + Number(ahead)) }
let received = 0
let committedSeq = 0
const session = await startSession({
  file,
  baseUrl,
  clock,
  wants: GAP_WANTS,
  seen: () => {
    if (++received === 200) begin()
  },
})
session.writer.onEvent((event) => {
  if (event.is === 'committed') committedSeq = event.seq
})
writeSync(1, `id ${session.session}\n`)
flushCompileCache()

/** Frames of this long wait in the sockets. */
const still = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

function begin(): void {
  writeSync(1, '\nr 1\n')
  setInterval(() => still(60 + Math.floor(Math.random() * 240)), 250)
  work().catch((thrown: unknown) => console.error(thrown))
}

const tell = (stage: ImportStage): void => void writeSync(1, `s ${stage}\n`)

async function work(): Promise<void> {
  const { writer, recorder } = session
  switch (phase) {
    case 'recording':
    case 'sealing':
    case 'rolling':
      return
    case 'closing':
      await (Math.random() < 0.5 ? session.close() : recorder.stop())
      return
    case 'importing':
      for (let i = 0; ; i++) {
        tell('importing')
        // Half of the recorders are killed here, in the middle of their second import, on fast machines, too.
        const onProgress = (_done: number, stored: number): void => {
          if (i === 0 || stored === 0) return
          tell('held')
          still(600_000)
        }
        const { session: other } = await importPackage(join(dirname(file), IMPORT_FILE), writer.library, { onProgress })
        tell('imported')
        await sleep(Math.random() * 200)
        tell('erasing')
        await writer.library.erase([other])
        tell('erased')
      }
    case 'compacting':
      for (;;) await writer.library.compact()
    case 'backing up':
      for (let i = 0; ; i++) {
        const dataDir = dirname(file)
        const out = join(dataDir, `backup-${i}`)
        writeSync(1, `b ${i} ${committedSeq}\n`)
        // The loop kills half of the recorders in this one, on fast machines, too.
        const onPart = (): void => still(i === 3 ? 60 : 0)
        await makeBackup({ store: file, dataDir, out, nowMs: i, version: '1', lock: lockStore, onPart })
        writeSync(1, `B ${i}\n`)
        // Whatever was stored meanwhile is in the next one.
        await sleep(50)
      }
    case 'restoring': {
      await session.close()
      const dataDir = dirname(file)
      const out = join(dataDir, 'backup')
      await makeBackup({ store: file, dataDir, out, nowMs: 0, version: '1', lock: lockStore })
      for (let nowMs = 0; ; nowMs++)
        await restoreBackup({ from: out, store: file, dataDir, storePath: file, nowMs, lock: lockStore })
    }
    case 'moving': {
      const from = await open(file)
      const { signal } = new AbortController()
      for (let i = 0; ; i++) {
        const to = join(dirname(file), `copy-${i % 3}.db`)
        await copyPass({ from, to, before: null, onBytes: () => undefined, signal })
      }
    }
  }
}
