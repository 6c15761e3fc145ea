/** `node tests/loss/kill-loop.ts [COUNT]`: kills a burst so many times into one store, and checks it each time. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStoreReader, openStoreWriter } from '../../src/main/store/open.ts'
import { unixMs } from '../../src/shared/units.ts'
import { kept, killBurst } from './kill.ts'

const count = Number(process.argv[2] ?? 100)
const folder = mkdtempSync(join(tmpdir(), 'tapedeck-kill-'))
const file = join(folder, 'tapedeck.db')
let failed = 0
let worst = 0
let oldest = 0
for (let i = 1; i <= count; i++) {
  const killed = await killBurst(file, 20 + ((i * 37) % 400))
  const seqs = await kept(file, killed.recording)
  const gapless = seqs.every((seq, at) => seq === at + 1)
  const stored = seqs.at(-1) ?? 0
  worst = Math.max(worst, (killed.received.at(-1)?.n ?? 0) - stored)
  // How long before death the oldest frame came in that is not stored: a flush and the disk's own time.
  const firstLost = killed.received.find(({ n }) => n > stored)
  if (firstLost !== undefined) oldest = Math.max(oldest, killed.killedMs - firstLost.atMs)
  if (!gapless || stored < killed.committed) {
    failed++
    console.error(`kill ${i}: ${stored} stored, ${killed.committed} committed, gapless ${gapless}`)
  }
}
const writer = await openStoreWriter({ file })
await writer.begin({ kind: 'demo', origin: 'demo', user: '' }, unixMs(Date.now()))
await writer.close()
const reader = await openStoreReader({ file })
const report = await reader.verify(null)
const crashes = (await reader.gaps({})).filter((gap) => gap.cause === 'crash').length
await reader.close()
rmSync(folder, { recursive: true })
const ok = failed === 0 && report.ok && crashes === 2 * count
console.log(
  `${count} kills, ${failed} failed, ${report.messages} messages kept, ${crashes} crash gaps, at most ${worst} received and not stored, the oldest ${oldest} ms before, verify ${report.ok ? 'ok' : JSON.stringify(report.problems.slice(0, 5))}`,
)
process.exit(ok ? 0 : 1)
