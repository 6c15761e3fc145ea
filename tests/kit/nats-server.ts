/** Real NATS servers with JetStream on loopback, each in a folder and on ports of its own, ended by their ids. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, closeSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd } from './at-end.ts'
import { makeFolder } from './folder.ts'

/** The program: TAPEDECK_NATS_SERVER, or nats-server of the path. */
export const natsProgram = process.env.TAPEDECK_NATS_SERVER ?? 'nats-server'
const START_WITHIN_MS = 30_000

/** Whether a nats-server is installed. Use with `describe.skipIf(!hasNatsServer)` and `[needs nats-server]` in the title. */
const version = spawnSync(natsProgram, ['--version'])
export const hasNatsServer = version.status === 0
/** Whether the product refuses it unless it is allowed. */
export const isOldNatsServer = / v2\.(?:\d|10)\./.test(version.stdout?.toString() ?? '')
if (!hasNatsServer) {
  console.warn(
    'Teams are not tested with a real server: no nats-server was found. On Debian: apt-get install nats-server. TAPEDECK_NATS_SERVER names another one.',
  )
}

export interface NatsServerOptions {
  /** `false` starts a server without JetStream. */
  readonly jetstream?: boolean
  /** More configuration in the syntax of nats-server: users, permissions, TLS, `max_payload`. */
  readonly config?: string
  /** Whether clients use TLS, so that `url` starts with tls://. */
  readonly tls?: boolean
}

interface Node {
  readonly folder: string
  readonly name: string
  readonly port: number
  readonly config: string
  readonly scheme: string
}

const running = new Set<ChildProcess>()
atEnd(async () => {
  await Promise.all([...running].map((child) => kill(child)))
})

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** One server. It keeps its folder and port when it is killed and started again, and starts again if it ends by itself. */
export class NatsServer {
  #node: Node
  #child: ChildProcess | null = null

  constructor(node: Node) {
    this.#node = node
  }

  get port(): number {
    return this.#node.port
  }

  /** `nats://127.0.0.1:PORT`, or `tls://localhost:PORT`: certificates name hosts. */
  get url(): string {
    const { scheme, port } = this.#node
    return `${scheme}://${scheme === 'tls' ? 'localhost' : '127.0.0.1'}:${port}`
  }

  /** Where JetStream keeps its files. Remove it while the server is down to lose its disk. */
  get storeFolder(): string {
    return join(this.#node.folder, 'store')
  }

  get log(): string {
    return readFileSync(join(this.#node.folder, 'log'), 'utf8')
  }

  /** Process id while it runs. */
  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  async start(): Promise<void> {
    const { folder, config } = this.#node
    writeFileSync(join(folder, 'server.conf'), config)
    const log = openSync(join(folder, 'log'), 'a')
    const before = this.log.length
    const child = spawn(natsProgram, ['-c', join(folder, 'server.conf')], { stdio: ['ignore', log, log] })
    closeSync(log)
    this.#child = child
    running.add(child)
    child.once('exit', () => running.delete(child))
    const deadline = Date.now() + START_WITHIN_MS
    // Read from its log: a connection that asks would still count for a moment where only one is allowed.
    while (!this.log.includes('Server is ready', before)) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`nats-server didn't start: ${this.log}`)
      await sleep(20)
    }
    child.once('exit', (code) => {
      if (code === null || this.#child !== child) return
      // 2.9 panics when a bucket is read while it is being created. Service managers start it again, too.
      console.warn(
        `nats-server ended by itself with ${code} and is started again: ${/^panic: .*/m.exec(this.log)?.[0]}`,
      )
      void this.start()
    })
  }

  /** Ends it with SIGKILL, as a power failure would. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child !== null) await kill(child)
  }

  async restart(): Promise<void> {
    await this.kill()
    await this.start()
  }

  /** Changes its configuration, at once if it runs: adds or removes users, for example. */
  configure(change: (config: string) => string): void {
    this.#node = { ...this.#node, config: change(this.#node.config) }
    writeFileSync(join(this.#node.folder, 'server.conf'), this.#node.config)
    this.signal('SIGHUP')
  }

  /** Stops or continues the process without ending it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGHUP'): void {
    this.#child?.kill(signal)
  }
}

/** Free ports of loopback. Another process could take one before it is used; then the server's start says so. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

function makeNode(name: string, port: number, options: NatsServerOptions, more = ''): Node {
  const folder = makeFolder('nats')
  mkdirSync(join(folder, 'store'))
  const jetstream = options.jetstream === false ? '' : `jetstream { store_dir: "${join(folder, 'store')}" }`
  const config = `host: "127.0.0.1"\nport: ${port}\nserver_name: ${name}\n${jetstream}\n${more}\n${options.config ?? ''}\n`
  return { folder, name, port, config, scheme: options.tls === true ? 'tls' : 'nats' }
}

/** Starts one server. It ends after the last test of the file. */
export async function startNatsServer(options: NatsServerOptions = {}): Promise<NatsServer> {
  const [port] = await freePorts(1)
  const server = new NatsServer(makeNode('n1', port, options))
  await server.start()
  return server
}

type Streams = Awaited<ReturnType<typeof import('@nats-io/jetstream').jetstreamManager>>['streams']

/** Changes streams as an operator would. */
export async function withStreams(port: number, run: (streams: Streams) => Promise<unknown>): Promise<void> {
  const { connect: open } = await import('@nats-io/transport-node')
  const { jetstreamManager } = await import('@nats-io/jetstream')
  const connection = await open({ servers: `127.0.0.1:${port}` })
  try {
    await run((await jetstreamManager(connection)).streams)
  } finally {
    await connection.close()
  }
}

export interface NatsCluster {
  readonly nodes: readonly NatsServer[]
  /** Every node, comma-separated. */
  readonly url: string
}

/** Starts three servers as one cluster, whose streams may have three replicas. Waits until JetStream has a leader. */
export async function startNatsCluster(options: NatsServerOptions = {}): Promise<NatsCluster> {
  const ports = await freePorts(6)
  const routes = ports.slice(3).map((port) => `nats://127.0.0.1:${port}`)
  const nodes = [0, 1, 2].map((i) => {
    const cluster = `cluster { name: c, listen: "127.0.0.1:${ports[3 + i]}", routes: [${routes.join(', ')}], no_advertise: true }`
    return new NatsServer(makeNode(`n${i + 1}`, ports[i], options, cluster))
  })
  await Promise.all(nodes.map((node) => node.start()))
  const deadline = Date.now() + START_WITHIN_MS
  while (!nodes.some((node) => /JetStream cluster new metadata leader/.test(node.log))) {
    if (Date.now() > deadline) throw new Error(`the cluster chose no leader: ${nodes[0].log}`)
    await sleep(50)
  }
  return { nodes, url: nodes.map((node) => node.url).join(',') }
}
