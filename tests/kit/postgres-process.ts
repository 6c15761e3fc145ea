/** A real PostgreSQL server on loopback, in a folder and on a port of its own, ended by its id; also outside of tests. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createHash } from 'node:crypto'
import { appendFileSync, chownSync, closeSync, existsSync, mkdirSync, openSync, readdirSync } from 'node:fs'
import { readFileSync, renameSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const DEBIAN = '/usr/lib/postgresql'
const START_WITHIN_MS = 60_000

/** The folder of initdb and postgres: of TAPEDECK_POSTGRES_BIN, the newest of Debian's, or null. */
function findPrograms(): string | null {
  const named = process.env.TAPEDECK_POSTGRES_BIN
  const debian = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : []
  const folders = named === undefined ? debian.map((version) => join(DEBIAN, version, 'bin')) : [named]
  return folders.find((folder) => existsSync(join(folder, 'initdb'))) ?? null
}

const programs = findPrograms()

/** The folder of PostgreSQL's programs, or null if it isn't installed. */
export const postgresPrograms = programs
export const isPostgresInstalled = programs !== null

/** PostgreSQL refuses to run as root, so it runs as the user that its package made. */
function serverUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = ['-u', '-g'].map((part) => Number(spawnSync('id', [part, 'postgres']).stdout.toString()))
  return { uid, gid }
}

export interface PostgresOptions {
  /** Lines for postgresql.conf. */
  readonly config?: string
  /** pg_hba.conf instead of one that lets everyone in. */
  readonly access?: string
}

const running = new Set<ChildProcess>()

/** Ends every server of this process. */
export const stopPostgres = async (): Promise<void> => {
  await Promise.all([...running].map((child) => end(child, 'SIGINT')))
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

/** One server. It keeps its folder and port when it is killed and started again. */
export class PostgresServer {
  readonly folder: string
  readonly port: number
  #child: ChildProcess | null = null

  constructor(folder: string, port: number) {
    this.folder = folder
    this.port = port
  }

  /** Process id while it runs. */
  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  get log(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8')
  }

  /** `postgres://USER@127.0.0.1:PORT/DATABASE`. */
  url(database = 'postgres', user = 'postgres'): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`
  }

  async start(): Promise<void> {
    const deadline = Date.now() + START_WITHIN_MS
    // The processes of a server that was killed hold its memory for a moment.
    while (!(await this.#tryStart(deadline))) {
      if (Date.now() > deadline) throw new Error(`PostgreSQL didn't start: ${this.log}`)
      await sleep(50)
    }
  }

  async #tryStart(deadline: number): Promise<boolean> {
    const log = openSync(join(this.folder, 'log'), 'a')
    const child = spawn(join(programs ?? '', 'postgres'), ['-D', join(this.folder, 'data')], {
      stdio: ['ignore', log, log],
      ...serverUser(),
    })
    closeSync(log)
    running.add(child)
    child.once('exit', () => running.delete(child))
    const from = this.log.length
    while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
      if (this.log.slice(from).includes('ready to accept connections')) {
        this.#child = child
        return true
      }
      await sleep(20)
    }
    await end(child, 'SIGKILL')
    return false
  }

  /** Ends it with SIGKILL, as a power failure would. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child !== null) await end(child, 'SIGKILL')
  }

  async restart(): Promise<void> {
    await this.kill()
    await this.start()
  }
}

const INITDB = ['-U', 'postgres', '--auth=trust', '--no-sync', '--locale=C', '--encoding=UTF8']
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/tapedeck-postgres/', import.meta.url))

/** Where a fresh data folder of these programs is kept. Copying it takes a third of the processor time of initdb. */
function templateFolder(): string {
  const version = spawnSync(join(programs ?? '', 'postgres'), ['--version']).stdout.toString()
  const made = createHash('sha256').update([programs, version, ...INITDB].join('\n'))
  return join(CACHE, made.digest('hex').slice(0, 16))
}

/** Copies a folder with the owner of its files. Returns whether there was one. */
const copyFolder = (from: string, to: string): boolean =>
  existsSync(from) && spawnSync('cp', ['-a', from, to]).status === 0

/** Keeps a data folder for the next server; another process may do the same. */
function keepTemplate(data: string, template: string): void {
  const copy = `${template}-${process.pid}`
  mkdirSync(CACHE, { recursive: true })
  try {
    if (copyFolder(data, copy)) renameSync(copy, template)
  } catch {
    rmSync(copy, { recursive: true, force: true }) // there is one already
  }
}

/** Makes a server in an empty folder and starts it. */
export async function makePostgres(folder: string, options: PostgresOptions = {}): Promise<PostgresServer> {
  const { uid, gid } = serverUser()
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  const data = join(folder, 'data')
  const template = templateFolder()
  if (!copyFolder(template, data)) {
    const made = spawnSync(join(programs ?? '', 'initdb'), ['-D', data, ...INITDB], { uid, gid })
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr.toString()}`)
    keepTemplate(data, template)
  }
  const port = await freePort()
  appendFileSync(
    join(data, 'postgresql.conf'),
    `\nlisten_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = ''\n${options.config ?? ''}\n`,
  )
  if (options.access !== undefined) {
    appendFileSync(join(data, 'postgresql.conf'), `hba_file = '${join(folder, 'access.conf')}'\n`)
    appendFileSync(join(folder, 'access.conf'), options.access)
  }
  const server = new PostgresServer(folder, port)
  await server.start()
  return server
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  await once(server.close(), 'close')
  return port
}
