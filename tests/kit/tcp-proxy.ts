/** A TCP proxy on loopback that loses what a test tells it to lose. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { atEnd } from './at-end.ts'

const open = new Set<TcpProxy>()
atEnd(() => {
  for (const proxy of open) proxy.close()
})

export class TcpProxy {
  readonly #server: Server
  readonly #pairs = new Set<readonly [client: Socket, server: Socket]>()
  /** Clients to and from which nothing passes any more. */
  readonly #halfOpen = new WeakSet<Socket>()
  #eatsReplies = false
  #heldRequests: [server: Socket, bytes: Buffer][] | null = null
  /** Bytes of requests after which every connection is closed. */
  #requestsLeft = Infinity
  /** Chunks of at least `bytes` in this direction until one of its bits is flipped. */
  #flip: { readonly of: 'requests' | 'replies'; readonly bytes: number; left: number } | null = null

  private constructor(server: Server, port: number) {
    this.#server = server
    server.on('connection', (client) => {
      const upstream = connect(port, '127.0.0.1')
      const pair = [client, upstream] as const
      this.#pairs.add(pair)
      const end = () => {
        this.#pairs.delete(pair)
        for (const socket of pair) socket.destroy()
      }
      for (const socket of pair) socket.on('error', end).on('close', end)
      client.on('data', (data: Buffer) => {
        if (this.#halfOpen.has(client)) return
        this.#spoil('requests', data)
        if (this.#heldRequests !== null) return void this.#heldRequests.push([upstream, data])
        upstream.write(data.subarray(0, this.#requestsLeft))
        this.#requestsLeft -= data.length
        if (this.#requestsLeft > 0) return
        this.#requestsLeft = Infinity
        upstream.end()
        client.destroy()
      })
      upstream.on('data', (data: Buffer) => {
        if (this.#eatsReplies || this.#halfOpen.has(client)) return
        this.#spoil('replies', data)
        client.write(data)
      })
    })
  }

  static async start(port: number): Promise<TcpProxy> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const proxy = new TcpProxy(server, port)
    open.add(proxy)
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** From now on the client's bytes arrive, and the server's replies don't. */
  eatReplies(): void {
    this.#eatsReplies = true
  }

  /** From now on nothing passes over the present connections, which stay open. New ones pass everything. */
  halfOpen(): void {
    for (const [client] of this.#pairs) this.#halfOpen.add(client)
  }

  /** Flips a bit in the middle of one chunk of at least `bytes` bytes, after `skip` others. */
  flipBit(of: 'requests' | 'replies', bytes: number, skip = 0): void {
    this.#flip = { of, bytes, left: skip }
  }

  /** Whether the bit is still to be flipped. */
  get isFlipPending(): boolean {
    return this.#flip !== null
  }

  #spoil(of: 'requests' | 'replies', data: Buffer): void {
    const flip = this.#flip
    if (flip?.of !== of || data.length < flip.bytes || flip.left-- > 0) return
    data[data.length >> 1] ^= 4
    this.#flip = null
  }

  /** From now on the server gets nothing that the client sends. */
  holdRequests(): void {
    this.#heldRequests = []
  }

  /** Closes the clients' side. What they sent in the meantime reaches the server when `release` is called. */
  cutHeld(): { readonly release: () => void } {
    const held = this.#heldRequests ?? []
    this.#heldRequests = null
    for (const pair of [...this.#pairs]) {
      this.#pairs.delete(pair)
      for (const socket of pair) socket.removeAllListeners('close')
      pair[0].destroy()
    }
    return {
      release() {
        for (const [server, bytes] of held) server.write(bytes)
      },
    }
  }

  /** Closes every connection once this many more bytes of requests were passed on. */
  cutAfter(bytes: number): void {
    this.#requestsLeft = bytes
  }

  /** Closes every connection; new ones pass everything. */
  cut(): void {
    this.#eatsReplies = false
    for (const pair of [...this.#pairs]) for (const socket of pair) socket.destroy()
  }

  close(): void {
    open.delete(this)
    this.cut()
    this.#server.close()
  }
}
