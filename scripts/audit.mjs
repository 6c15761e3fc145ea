// Asks the registry for known faults in what is shipped. A registry that knows none of this is no verdict: it is said,
// and the exit code says that nothing was checked.
import { spawnSync } from 'node:child_process'
import { root } from './lib/ensure.mjs'
import { UNABLE } from './lib/report.mjs'

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const asked = spawnSync(npm, ['audit', '--omit=dev', '--json'], { cwd: root, encoding: 'utf8', timeout: 60_000 })
let report
try {
  report = JSON.parse(asked.stdout)
} catch {
  report = undefined // not even an error of npm's own: said below
}
const counts = report?.metadata?.vulnerabilities
if (!counts) {
  console.log(`Not audited: the registry answers no audits here (${report?.message ?? 'no answer'}).`)
  process.exitCode = UNABLE
} else {
  const grave = counts.high + counts.critical
  console.log(`${counts.total} known faults in what is shipped, ${grave} of them high or critical.`)
  for (const [name, fault] of Object.entries(report.vulnerabilities ?? {})) console.log(`  ${name}: ${fault.severity}`)
  process.exitCode = grave === 0 ? 0 : 1
}
