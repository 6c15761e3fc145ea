// `npm run containers`: builds the container and starts the team of packaging/compose.yaml under a name of its own, without its ports.
// Recorders publish, the archiver stores, a terminal follows, and all of it verifies after the recorders have been stopped. Needs
// Docker with Compose 2, and images of node, debian, nats and postgres: from a registry, or made here under the same names. `-- --built`
// takes the image tapedeck as it is.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { root } from './lib/ensure.mjs'
import { lines, must } from './lib/new-debian.mjs'
import { UNABLE } from './lib/report.mjs'

const LATEST_MS = 120_000
const TEAM = ['--team', 'eu']
const NATS = ['--upstream', 'nats://nats-1,nats://nats-2,nats://nats-3']
const HISTORY = ['--history', 'postgres://postgres@postgres/td']
const LEAST = 100

function docker(args) {
  const { status, stdout, stderr } = spawnSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  if (status !== 0) throw new Error(`docker ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`)
  return stdout
}

const succeeds = (...args) => spawnSync('docker', args, { stdio: 'ignore' }).status === 0

/** The team of the file, without ports of this machine. Its name is another, so a trial that runs here isn't touched. */
function composeOf(folder) {
  const shipped = ['compose', '--file', join(root, 'packaging', 'compose.yaml'), 'config', '--format', 'json']
  const team = JSON.parse(docker(shipped))
  for (const service of Object.values(team.services)) delete service.ports
  for (const volume of Object.values(team.volumes)) delete volume.name
  for (const network of Object.values(team.networks)) delete network.name
  const file = join(folder, 'compose.json')
  writeFileSync(file, JSON.stringify({ ...team, name: 'tapedeck-check' }))
  return (...args) => docker(['compose', '--file', file, '--progress', 'quiet', ...args])
}

/** Asks until the answer is a good one. */
async function eventually(ask, isGood, what) {
  const until = Date.now() + LATEST_MS
  for (;;) {
    let answer
    try {
      answer = ask()
    } catch (error) {
      answer = error
    }
    if (!(answer instanceof Error) && isGood(answer)) return answer
    if (Date.now() > until) throw new Error(`waited in vain for ${what}`, { cause: answer })
    await pause(1_000)
  }
}

async function check(compose) {
  compose('up', '--detach', process.argv.includes('--built') ? '--no-build' : '--build')
  const inArchiver = (...args) => compose('exec', '-T', 'archive', 'tapedeck', ...args)
  const verify = () => lines(inArchiver('verify', ...HISTORY, ...TEAM, '--json'))[0]
  const enough = ({ ok, sessions, messages }) => ok && sessions === 2 && messages >= LEAST
  const { messages } = await eventually(verify, enough, 'two recorders and the archiver')
  must(true, `one command starts the team: ${messages} messages of two recorders are in the history`)
  await eventually(
    () => inArchiver('team', ...NATS, ...TEAM),
    (text) => text.includes('No problems.'),
    'a team without problems',
  )
  must(true, 'tapedeck team finds no problem')
  const user = compose('exec', '-T', 'record-1', 'stat', '-c', '%u %a', '/data').trim()
  must(user === '1000 700', 'a recorder is an ordinary user, and its data are its own')
  const serve = ['serve', ...NATS, ...HISTORY, ...TEAM, '--metrics', '9464']
  compose('run', '--detach', '--name', 'tapedeck-check-terminal', '--no-deps', 'archive', ...serve)
  const scrape = "fetch('http://127.0.0.1:9464/metrics').then((one) => one.text()).then(console.log)"
  const metrics = () => docker(['exec', 'tapedeck-check-terminal', '/usr/lib/tapedeck-cli/node', '-e', scrape])
  await eventually(metrics, (text) => (text.match(/_copied_seq\{.*\} [1-9]/g) ?? []).length === 2, 'a terminal')
  must(true, 'a terminal follows both recorders')
  docker(['rm', '--force', 'tapedeck-check-terminal'])
  compose('stop', 'record-1', 'record-2')
  const codes = lines(compose('ps', '--all', '--format', 'json', 'record-1', 'record-2')).map(
    ({ ExitCode }) => ExitCode,
  )
  must(codes.length === 2 && codes.every((code) => code === 0), 'SIGTERM ends recorders with 0')
  const signed = (text) => text.includes('all as recorded') && !/open|unsigned/.test(text)
  const report = await eventually(() => inArchiver('verify', ...HISTORY, ...TEAM), signed, 'the ends of both sessions')
  must(true, `the history is complete: ${report.split('\n')[0]}`)
}

if (!succeeds('compose', 'version')) {
  console.log('Not checked in containers: Docker with Compose 2 isn’t installed.')
  process.exitCode = UNABLE
} else if (!succeeds('info')) {
  console.log('Not checked in containers: Docker doesn’t run here.')
  process.exitCode = UNABLE
} else {
  const folder = mkdtempSync(join(tmpdir(), 'tapedeck-containers-'))
  const compose = composeOf(folder)
  try {
    await check(compose)
  } finally {
    if (succeeds('inspect', 'tapedeck-check-terminal')) docker(['rm', '--force', 'tapedeck-check-terminal'])
    compose('down', '--volumes', '--timeout', '10')
    rmSync(folder, { recursive: true, force: true })
  }
}
