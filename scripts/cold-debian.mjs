// `npm run cold`: installs the package for servers into a new, minimal Debian and uses it as a server does: records without a
// display and as an ordinary user, is scraped, killed and started again, ends by SIGTERM, and verifies what it stored.
// Needs root and mmdebstrap. Nothing but the package's own dependencies is in that Debian, so one that isn't declared fails it.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { DEPENDS, PACKAGE } from './lib/deb.mjs'
import { finish, lines, makePackage, must, runCheck, say, SUITE } from './lib/new-debian.mjs'

const USER = 1500
/** Inside the new Debian. */
const HOME = '/home/recorder'
const LATEST_MS = 60_000

/** A Debian with nothing but what the package declares, in `folder`. */
async function makeDebian(folder) {
  const include = `--include=${Object.keys(DEPENDS).join(',')}`
  await finish('mmdebstrap', ['--quiet', '--variant=essential', include, SUITE, folder])
  appendFileSync(join(folder, 'etc', 'passwd'), `recorder:x:${USER}:${USER}::${HOME}:/bin/sh\n`)
  mkdirSync(join(folder, HOME), { recursive: true })
  chownSync(join(folder, HOME), USER, USER)
  // This process has mounts of its own.
  execFileSync('mount', ['-t', 'proc', 'proc', join(folder, 'proc')])
}

/** Runs programs in that Debian, with an environment of their own: no display, no session bus. */
function inside(folder) {
  const words = (user, args) => [
    ...(user === 0 ? [] : [`--userspec=${user}:${user}`]),
    folder,
    '/usr/bin/env',
    '-i',
    'PATH=/usr/sbin:/usr/bin:/sbin:/bin',
    `HOME=${user === 0 ? '/root' : HOME}`,
    ...args,
  ]
  return {
    run(user, ...args) {
      const { status, stdout, stderr } = spawnSync('chroot', words(user, args), { encoding: 'utf8' })
      if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stdout}${stderr}`)
      return stdout
    },
    /** Each program replaces the one before, so signals reach the recorder itself. */
    start: (user, ...args) => spawn('chroot', words(user, args), { stdio: ['ignore', 'pipe', 'pipe'] }),
  }
}

/** A recorder that runs: its log, and what it serves. */
class Recorder {
  #log = []
  #problem = ''
  constructor(child) {
    this.child = child
    this.ended = once(child, 'close')
    child.stdout.resume()
    createInterface({ input: child.stderr }).on('line', (line) => {
      try {
        this.#log.push(JSON.parse(line))
      } catch {
        this.#problem = `a line of the log isn’t JSON: ${line}`
      }
    })
  }

  /** Waits for an entry of the log. */
  async entry(isWanted, what) {
    const until = Date.now() + LATEST_MS
    for (;;) {
      const found = this.#log.find(isWanted)
      if (this.#problem !== '') throw new Error(this.#problem)
      if (found) return found
      if (this.child.exitCode !== null || Date.now() > until)
        throw new Error(`no ${what} in the log: ${JSON.stringify(this.#log)}`)
      await pause(50)
    }
  }

  async get(path) {
    const { msg } = await this.entry(({ msg }) => /^Metrics: /.test(msg), 'address of metrics')
    const response = await fetch(new URL(path, msg.slice('Metrics: '.length)))
    return { status: response.status, text: await response.text() }
  }

  /** Scrapes until so many messages are stored; returns how many. */
  async stored(least) {
    const until = Date.now() + LATEST_MS
    for (;;) {
      const { text } = await this.get('/metrics')
      const stored = Number(/^tapedeck_stored_total\{\} (\d+)$/m.exec(text)?.[1] ?? 0)
      if (stored >= least) return stored
      if (Date.now() > until) throw new Error(`only ${stored} messages stored: ${text}`)
      await pause(200)
    }
  }

  async end(signal) {
    this.child.kill(signal)
    const [code] = await this.ended
    return code
  }
}

const RECORD = ['tapedeck', 'record', '--demo', '--feed', 'crypto/XT:BTC-USD,ETH-USD', '--metrics', '0']

async function recordAndKill(debian) {
  const recorder = new Recorder(debian.start(USER, ...RECORD))
  const { store } = await recorder.entry(({ event }) => event === 'started', 'start')
  must(store === `${HOME}/.local/share/tapedeck/tapedeck.db`, 'an ordinary user records into a store of its own')
  await recorder.entry(({ event }) => event === 'connected', 'connection')
  const stored = await recorder.stored(20)
  const health = await recorder.get('/healthz')
  must(
    health.status === 200 && JSON.parse(health.text).ok,
    `${stored} messages stored by its metrics, and it is healthy`,
  )
  await recorder.end('SIGKILL')
  return stored
}

async function recordAndStop(debian) {
  const recorder = new Recorder(debian.start(USER, ...RECORD))
  await recorder.stored(10)
  const code = await recorder.end('SIGTERM')
  const { why, gaps } = await recorder.entry(({ event }) => event === 'ended', 'end')
  must(code === 0 && why === 'terminate' && gaps === 0, 'after kill -9 it records again, and SIGTERM ends it with 0')
}

async function use(debian, version) {
  must(debian.run(USER, 'tapedeck', '--version').trim() === version, 'the command runs')
  const before = await recordAndKill(debian)
  await recordAndStop(debian)
  const sessions = lines(debian.run(USER, 'tapedeck', 'sessions', '--json'))
  const clean = sessions.map((one) => one.clean)
  must(
    sessions.length === 2 && !clean[0] && clean[1],
    'the killed session is marked as interrupted, the other is closed',
  )
  must(sessions[0].messages >= before, 'no message that was stored before kill -9 is lost')
  const [verified] = lines(debian.run(USER, 'tapedeck', 'verify', '--json'))
  must(verified.ok && verified.sessions === 2, `${verified.messages} messages verify against their ledger`)
  const sync = () => lines(debian.run(USER, 'tapedeck', 'sync', `${HOME}/dataset`, '--json'))[0]
  const [first, again] = [sync(), sync()]
  must(first.rows > 0 && again.files === 0, `sync writes a dataset of ${first.rows} rows, and nothing the second time`)
  debian.run(0, ...RECORD, '--duration', '5s')
  must(true, 'root records, too')
}

async function check() {
  const folder = mkdtempSync(join(tmpdir(), 'tapedeck-cold-'))
  const debianRoot = join(folder, 'debian')
  mkdirSync(debianRoot)
  try {
    const [path] = await Promise.all([makePackage(), makeDebian(debianRoot)])
    say(`the package, and a new Debian ${SUITE}`)
    const deb = basename(path)
    cpSync(path, join(debianRoot, deb))
    const debian = inside(debianRoot)
    debian.run(0, 'dpkg', '--install', `/${deb}`)
    must(existsSync(join(debianRoot, 'usr/bin/tapedeck')), 'the package installs, with nothing but what it depends on')
    const version = deb.split('_')[1].replace('~', '-')
    await use(debian, version)
    debian.run(0, 'dpkg', '--purge', PACKAGE)
    const store = join(debianRoot, HOME, '.local/share/tapedeck/tapedeck.db')
    must(
      !existsSync(join(debianRoot, 'usr/lib/tapedeck-cli')) && existsSync(store),
      'removing it leaves the recordings',
    )
  } finally {
    spawnSync('umount', ['-l', join(debianRoot, 'proc')])
    rmSync(folder, { recursive: true, force: true })
  }
}

await runCheck(fileURLToPath(import.meta.url), {
  where: 'a new Debian',
  programs: ['mmdebstrap', 'unshare', 'chroot', 'dpkg-deb'],
  check,
})
