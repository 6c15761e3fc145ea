// `npm run boot`: boots a new Debian with systemd in a container of systemd-nspawn, installs the package for servers, and uses its
// units as an administrator does: enables, kills, hangs, stops, upgrades, removes and purges them. A recorder of the demo market
// publishes to a nats-server, and the archiver stores it in PostgreSQL. Needs root, mmdebstrap and systemd-nspawn. `-- --built` takes
// the package in dist-cli as it is.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { DEPENDS, PACKAGE } from './lib/deb.mjs'
import { finish, lines, makePackage, must, packageFile, runCheck, say, SUITE } from './lib/new-debian.mjs'

/** Without what these recommend, so also without libnss-systemd, which would give the units' users a home. */
const SYSTEM = ['systemd-sysv', 'dbus', 'nats-server', 'postgresql']
const LATEST_MS = 120_000
/** The most that systemd-analyze may find exposed, of 10. */
const EXPOSURE = 2
const RECORDER = 'tapedeck-record'
const ARCHIVER = 'tapedeck-archive'
const STORES = ['--home', '/var/lib/tapedeck-record']
const DATABASE = 'postgres://td@127.0.0.1/td'
/** Its owner. */
const OWNER = ['env', 'PGPASSWORD=trial', 'tapedeck']
const TEAM = ['--upstream', 'nats://127.0.0.1', '--allow-old-nats', '--team', 'eu']

/** Waits until `isTrue`. */
async function until(isTrue, what) {
  const latest = Date.now() + LATEST_MS
  while (!(await isTrue())) {
    if (Date.now() > latest) throw new Error(`waited in vain: ${what}`)
    await pause(200)
  }
}

/** The first process in the container: systemd. */
const systemdOf = ({ pid }) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]

/** Boots `folder`. Nothing in it can be reached from outside, nor anything outside from it. */
async function boot(folder) {
  // Where this machine itself runs without systemd, nobody keeps a list of containers.
  const alone = existsSync('/run/systemd/system') ? [] : ['--register=no', '--keep-unit']
  const words = ['--quiet', '--boot', '--private-network', '--kill-signal=SIGRTMIN+3', ...alone, '--directory', folder]
  const child = spawn('systemd-nspawn', words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let console = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (console += part))
  const ended = once(child, 'close')
  const enter = (...args) => {
    const spaces = ['--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup']
    const env = ['/usr/bin/env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'LC_ALL=C.UTF-8']
    return spawnSync('nsenter', ['--target', systemdOf(child), ...spaces, ...env, ...args], { encoding: 'utf8' })
  }
  const machine = {
    /** What a program says, whether it succeeds or not. */
    ask: (...args) => enter(...args).stdout.trim(),
    run(...args) {
      const { status, stdout, stderr } = enter(...args)
      if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stdout}${stderr}`)
      return stdout
    },
    async end() {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), LATEST_MS)
      await ended
      clearTimeout(timer)
    },
  }
  try {
    await until(() => {
      if (child.exitCode !== null) throw new Error(`systemd-nspawn ended: ${console}`)
      return systemdOf(child) !== '' && machine.ask('systemctl', 'is-system-running') === 'running'
    }, 'for the system to run')
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  return machine
}

/** A unit of that machine. */
function unit(machine, name) {
  const property = (of) => machine.ask('systemctl', 'show', '--property', of, '--value', name)
  const service = {
    property,
    settings: (text) =>
      writeFileSync(join(machine.folder, 'etc/tapedeck', `${name.slice(9)}.env`), text, { mode: 0o600 }),
    /** Rejects unless systemd calls it started, which it does once the service says so. */
    start: () => machine.run('systemctl', 'start', name),
    /** What it has written since the boot, of which every line is an entry of the log. */
    log: () =>
      lines(machine.run('journalctl', '--unit', name, '--output', 'json', '--no-pager'))
        .filter(({ _TRANSPORT }) => _TRANSPORT === 'stdout')
        .map(({ MESSAGE }) => JSON.parse(MESSAGE)),
    get: (address) =>
      machine.run(
        '/usr/lib/tapedeck-cli/node',
        '-e',
        `fetch('${address}').then((one) => one.text()).then(console.log)`,
      ),
    /** Sends a signal to the main process, and waits until systemd has started another. */
    async outlives(signal, text) {
      const restarts = () => Number(property('NRestarts'))
      const before = restarts()
      machine.run('systemctl', 'kill', '--kill-who=main', `--signal=${signal}`, name)
      await until(() => restarts() > before && property('ActiveState') === 'active', text)
      must(true, text)
    },
    stop() {
      machine.run('systemctl', 'stop', name)
      must(
        property('Result') === 'success' && property('ExecMainStatus') === '0',
        `${name} ends cleanly by SIGTERM, with exit code 0`,
      )
    },
  }
  return service
}

async function checkRecorder(machine) {
  const recorder = unit(machine, RECORDER)
  machine.run(
    'install',
    '-D',
    '-m',
    '600',
    '/usr/share/doc/tapedeck-cli/examples/record.env',
    '/etc/tapedeck/record.env',
  )
  recorder.settings('TAPEDECK_ARGS=--demo --feed crypto/XT:BTC-USD,ETH-USD\n')
  machine.run('systemctl', 'enable', '--now', RECORDER)
  must(recorder.property('ActiveState') === 'active', 'the recorder says that it has started')
  const user = machine.run('stat', '-c', '%u', `/proc/${recorder.property('MainPID')}`).trim()
  must(Number(user) >= 61_184, `as a user of its own, ${user}`)
  const stored = () =>
    Number(/^tapedeck_stored_total\{\} (\d+)$/m.exec(recorder.get('http://127.0.0.1:9464/metrics'))?.[1])
  await until(() => stored() >= 20, 'for messages')
  must(JSON.parse(recorder.get('http://127.0.0.1:9464/healthz')).ok, 'it stores what it receives, and is healthy')
  await recorder.outlives('SIGKILL', 'after kill -9 systemd starts it again')

  const runtime = join(machine.folder, 'etc/systemd/system', `${RECORDER}.service.d`)
  mkdirSync(runtime)
  writeFileSync(join(runtime, 'watchdog.conf'), '[Service]\nWatchdogSec=5\nTimeoutStopSec=5\n')
  machine.run('systemctl', 'daemon-reload')
  machine.run('systemctl', 'restart', RECORDER)
  await recorder.outlives('SIGSTOP', 'when it hangs, systemd starts it again')
  must(/Watchdog timeout/.test(machine.run('journalctl', '--unit', RECORDER)), 'because its watchdog noticed')
  rmSync(runtime, { recursive: true })
  machine.run('systemctl', 'daemon-reload')
  machine.run('systemctl', 'restart', RECORDER)
  await until(() => stored() >= 20, 'for messages')
  recorder.stop()
  const entries = recorder.log()
  must(
    entries.at(-1)?.event === 'ended',
    `each of its ${entries.length} lines in the journal is JSON, the last one its end`,
  )

  recorder.settings('TAPEDECK_ARGS=--demo --nonsense\n')
  machine.ask('systemctl', 'start', RECORDER)
  must(
    recorder.property('ActiveState') === 'failed' && recorder.property('ExecMainStatus') === '2',
    'with a wrong option it fails, and isn’t tried again',
  )
}

async function checkTeam(machine) {
  const [recorder, archiver] = [unit(machine, RECORDER), unit(machine, ARCHIVER)]
  const asPostgres = (...args) => machine.run('runuser', '-u', 'postgres', '--', ...args)
  asPostgres('psql', '-qc', "CREATE ROLE td LOGIN CREATEROLE PASSWORD 'trial'")
  asPostgres('createdb', '--owner', 'td', 'td')
  // Debian's own service has no disk.
  machine.run('systemctl', 'disable', '--now', 'nats-server')
  machine.run('systemd-run', '--quiet', 'nats-server', '-js', '-sd', '/var/lib/nats', '-a', '127.0.0.1')
  machine.run(...OWNER, 'archive', DATABASE, '--team', 'eu', '--migrate')
  await until(
    () => machine.ask('tapedeck', 'plan', ...TEAM, '--shards', '1', '--feed', 'crypto/XT:BTC-USD', '--write') !== '',
    'for a plan',
  )
  archiver.settings(`TAPEDECK_ARGS=${DATABASE} ${TEAM.join(' ')}\nPGPASSWORD=trial\n`)
  machine.run('systemctl', 'enable', '--now', ARCHIVER)
  must(archiver.property('ActiveState') === 'active', 'the archiver says that it has started')
  const published = TEAM.join(' ').replace('--upstream', '--publish')
  recorder.settings(`TAPEDECK_ARGS=--demo ${published} --team-shard auto --recorder-name vm\n`)
  recorder.start()
  const committed = () =>
    Number(/_committed_seq\{.*\} (\d+)$/m.exec(archiver.get('http://127.0.0.1:9465/metrics'))?.[1])
  await until(() => committed() >= 20, 'for the archiver')
  must(
    JSON.parse(archiver.get('http://127.0.0.1:9465/healthz')).ok,
    'it stores what the recorder publishes, and is healthy',
  )
  await archiver.outlives('SIGKILL', 'after kill -9 systemd starts it again')
}

async function checkUpgrade(machine, deb) {
  const units = [unit(machine, RECORDER), unit(machine, ARCHIVER)]
  const before = units.map((one) => one.property('MainPID'))
  machine.run('dpkg', '--install', deb)
  const after = units.map((one) => one.property('MainPID'))
  must(
    units.every((one, i) => one.property('ActiveState') === 'active' && after[i] !== before[i]),
    'an upgrade restarts both',
  )
  await until(
    () => /feed_open\{feed="crypto\/XT"\} 1/.test(units[0].get('http://127.0.0.1:9464/metrics')),
    'for the feed',
  )
  for (const one of units) one.stop()
  const log = units[1].log()
  must(log.length > 0, `each of the archiver’s ${log.length} lines in the journal is JSON`)
  const [here] = lines(machine.run('tapedeck', 'verify', '--json', ...STORES))
  must(here.ok, `${here.messages} messages of ${here.sessions} sessions verify in the recorder’s store`)
  const [history] = lines(machine.run(...OWNER, 'verify', '--json', '--history', DATABASE, '--team', 'eu'))
  must(history.ok, `${history.messages} messages verify in the history`)
  units[0].start()
  must(units[0].property('ActiveState') === 'active', 'the recorder can still use its store after root has read it')
}

function checkRemoval(machine) {
  machine.run('dpkg', '--remove', PACKAGE)
  must(machine.ask('systemctl', 'is-active', RECORDER) === 'inactive', 'removing the package stops the recorder')
  machine.run('dpkg', '--purge', PACKAGE)
  const kept = ['var/lib/private/tapedeck-record/tapedeck.db', 'etc/tapedeck/record.env']
  must(
    kept.every((path) => existsSync(join(machine.folder, path))),
    'purging it leaves recordings and settings',
  )
  const enabled = machine.ask('ls', '/etc/systemd/system/multi-user.target.wants')
  must(!enabled.includes('tapedeck'), 'but no unit that starts at the next boot')
}

async function check() {
  const folder = mkdtempSync(join(tmpdir(), 'tapedeck-boot-'))
  const root = join(folder, 'debian')
  let machine
  try {
    const include = `--include=${[...Object.keys(DEPENDS), ...SYSTEM].join(',')}`
    const [path] = await Promise.all([
      process.argv.includes('--built') ? packageFile() : makePackage(),
      finish('mmdebstrap', ['--quiet', '--variant=essential', include, SUITE, root]),
    ])
    say(`the package, and a new Debian ${SUITE}`)
    const deb = `/${basename(path)}`
    cpSync(path, join(root, deb))
    machine = { folder: root, ...(await boot(root)) }
    say('systemd has booted it')
    machine.run('dpkg', '--install', deb)
    must(
      [RECORDER, ARCHIVER].every((one) => machine.ask('systemctl', 'is-enabled', one) === 'disabled'),
      'the package installs two units, and enables neither',
    )
    for (const one of [RECORDER, ARCHIVER]) {
      const exposure = Number(
        /exposure level for \S+: ([\d.]+)/.exec(machine.ask('systemd-analyze', 'security', '--no-pager', one))?.[1],
      )
      must(exposure <= EXPOSURE, `systemd-analyze rates ${one} ${exposure} of 10`)
    }
    await checkRecorder(machine)
    await checkTeam(machine)
    await checkUpgrade(machine, deb)
    checkRemoval(machine)
  } finally {
    await machine?.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

await runCheck(fileURLToPath(import.meta.url), {
  where: 'a Debian with systemd',
  programs: ['mmdebstrap', 'unshare', 'nsenter', 'systemd-nspawn', 'dpkg-deb'],
  check,
})
