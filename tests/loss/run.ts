/**
 * The loss tests: `node tests/loss/run.ts [NAME …]`. Names: hostile, damage, disk, million, crash, gaps. Prints
 * what was seen; exits 1 when a promise was broken. `KILLS=N` kills N times instead of 100, `DAMAGES=N` damages each file
 * N times in each way instead of 1,000.
 */
import { inFolder } from '../../benchmarks/session.ts'
import { machineOf } from '../../scripts/lib/report.mjs'
import { crashLoop } from './crash.ts'
import { damage } from './damage.ts'
import { fullDisk } from './disk.ts'
import { gapLoop } from './gaps.ts'
import { hostile } from './hostile.ts'
import { million } from './million.ts'

const say = (text: string): void => console.log(`  ${text}`)
const TESTS: Readonly<Record<string, (folder: string) => Promise<string | undefined>>> = {
  hostile: (folder) => hostile(folder, 100_000),
  damage: (folder) => damage(folder, Number(process.env.DAMAGES ?? 1_000), say),
  disk: (folder) => fullDisk(folder, say),
  million: (folder) => million(folder, 1_000_000),
  gaps: (folder) => gapLoop(folder, Number(process.env.KILLS ?? 108), say),
  crash: (folder) => crashLoop(folder, Number(process.env.KILLS ?? 100), say),
}

const machine = machineOf()
const asked = process.argv.slice(2)
let failed = 0
for (const [name, test] of Object.entries(TESTS)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  console.log(name)
  const from = performance.now()
  try {
    const seen = await inFolder(test)
    if (seen !== undefined) say(`${seen}  (${((performance.now() - from) / 1_000).toFixed(0)} s)`)
    else if (machine.ci && !machine.unable.has(`loss-${name}`)) throw new Error('it could not run here')
  } catch (thrown) {
    failed++
    say(`FAILED: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
}
console.log(failed === 0 ? 'every promise was kept' : `${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
