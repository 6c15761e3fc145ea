/** The clients in Python and TypeScript, against a running terminal. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { Tapedeck, TapedeckError, type LiveMessage } from '../../../clients/typescript/src/index.ts'
import { api } from '../../../src/main/features/api/feature.ts'
import { makeFolder } from '../../kit/folder.ts'
import { tradeOf } from '../../kit/market.ts'
import { findPython } from '../../kit/python.ts'
import { startMemoryTerminal, type MemoryTerminal } from '../../kit/terminal.ts'

const root = new URL('../../../', import.meta.url)
const text = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const python = findPython('import sys; sys.exit(sys.version_info < (3, 9))')

let home: string
let memory: MemoryTerminal
beforeAll(async () => {
  home = makeFolder('clients')
  memory = await startMemoryTerminal(home, { record: true })
  await memory.controls.recordSession()
  await memory.terminal.service(api).start(0)
}, 60_000)
afterAll(() => memory.close())

const T = Date.UTC(2026, 0, 5, 12)
const send = (prices: readonly number[]) => memory.controls.send(prices.map((p) => tradeOf('BTC-USD', p, 1, T)))

it('have the version of Tapedeck', () => {
  const { version } = JSON.parse(text('package.json')) as { version: string }
  expect(JSON.parse(text('clients/typescript/package.json'))).toMatchObject({ version })
  expect(text('clients/python/pyproject.toml')).toContain(`version = "${version}"`)
})

/** A server that ends a stream of rows early. */
async function brokenServer() {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    response.write('{"price":1}\n{"pri', () => response.destroy())
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  return { baseUrl: `http://127.0.0.1:${port}`, close: () => server.close() }
}

/** Ways in which a server can answer wrongly, and what both clients make of it. */
const WRONG = {
  html: 'unexpected-answer',
  text: 'unexpected-answer',
  odd: 'unexpected-answer',
  cut: 'truncated',
  gone: 'offline',
  other: 'unexpected-answer',
  moved: 'unexpected-answer',
  open: 'unexpected-answer',
} as const
/** The same for a stream of rows. */
const WRONG_ROWS = {
  page: 'unexpected-answer',
  junk: 'unexpected-answer',
  half: 'truncated',
  open: 'unexpected-answer',
  moved: 'unexpected-answer',
} as const
const ROWS = '{"price":1}\n'
/** The same for the live stream. */
const WRONG_LIVE = {
  nonsense: 'unexpected-answer',
  list: 'unexpected-answer',
  ended: 'offline',
  lost: 'offline',
} as const

/** Ways of a server to send without end, and what both clients make of it. */
const ENDLESS = { answer: 'unexpected-answer', failure: 'unexpected-answer' } as const
const ENDLESS_ROWS = { line: 'unexpected-answer', failure: 'unexpected-answer' } as const
/** The same for the live stream: silent accepts it and never answers, deaf never accepts it. */
const ENDLESS_LIVE = { huge: 'unexpected-answer', deaf: 'offline', silent: 'offline' } as const

/** Writes blanks until the client has had enough. */
function writeForever(response: ServerResponse): void {
  const more = (): void => {
    while (!response.destroyed && response.write(' '.repeat(1 << 16)));
    response.once('drain', more)
  }
  more()
}

const tickText = JSON.stringify({ type: 'tick', feed: 'crypto/XT', symbol: 'BTC-USD', price: 1 })

/** A server that sends without end, or not at all: how, is its token. */
async function endlessServer() {
  const wayOf = ({ headers }: IncomingMessage) => (headers.authorization ?? '').replace('Bearer ', '')
  let open = 0
  const ends: (() => void)[] = []
  const server = createServer((request, response) => {
    const isRows = wayOf(request) === 'line'
    response.writeHead(
      wayOf(request) === 'failure' ? 500 : 200,
      isRows ? { 'content-type': 'application/x-ndjson' } : {},
    )
    writeForever(response)
  }).listen(0, '127.0.0.1')
  server.on('connection', (socket) => {
    open += 1
    ends.push(() => socket.destroy())
    socket.on('close', () => (open -= 1))
    socket.on('error', () => undefined) // the client may have left
  })
  const sockets = new WebSocketServer({ noServer: true })
  const mute = new WebSocketServer({ noServer: true, autoPong: false })
  server.on('upgrade', (request, socket, head) => {
    const way = wayOf(request)
    socket.on('end', () => socket.end())
    if (way === 'deaf') return socket.resume()
    if (way === 'silent') return mute.handleUpgrade(request, socket, head, () => undefined)
    sockets.handleUpgrade(request, socket, head, (ws) => {
      if (way === 'huge') ws.send(JSON.stringify({ type: 'gap', feed: 'x'.repeat(20_000) }))
      if (way === 'gaps') for (let i = 0; i < 200; i++) ws.send(JSON.stringify({ type: 'gap', feed: 'crypto/XT' }))
      if (way === 'flood') for (let i = 0; i < 2_000; i++) ws.send(tickText)
      // A quiet market: nothing comes before the client has asked twice whether the server is there.
      let pings = 0
      ws.on('ping', () => {
        if (++pings === 2) ws.send(tickText)
      })
      // A client without pings asks in a message.
      ws.on('message', (data: Buffer) => {
        if (!data.toString().includes('"ping"')) return
        ws.send(JSON.stringify({ type: 'pong' }))
        if (++pings === 2) ws.send(tickText)
      })
    })
  })
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  const close = (): void => {
    for (const end of ends) end()
    server.close()
  }
  return { baseUrl: `http://127.0.0.1:${port}`, open: () => open, close }
}

/** A server that answers wrongly: how, is its token. */
async function hostileServer() {
  const wayOf = ({ headers }: IncomingMessage) => (headers.authorization ?? '').replace('Bearer ', '')
  const server = createServer((request, response) => {
    const way = wayOf(request)
    if (way === 'html') return response.end('<html>A router</html>')
    if (way === 'text') return response.writeHead(502).end('Bad gateway')
    if (way === 'odd') return response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":[1]}')
    if (way === 'gone') return response.destroy()
    if (way === 'other') return response.end('[]')
    if (way === 'moved') return response.writeHead(302, { location: '/elsewhere' }).end()
    if (way === 'page') return response.writeHead(200, { 'content-type': 'text/html' }).end(ROWS)
    if (way === 'junk')
      return response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(`${ROWS}nonsense\n`)
    if (way === 'half') return response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(`${ROWS}{"pri`)
    if (way === 'open') {
      // Without a length or chunks, the end of the connection is that of the answer.
      return response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n\r\n${ROWS}`)
    }
    return response.writeHead(200, { 'content-length': '100' }).write('{"sessions":[', () => response.destroy())
  }).listen(0, '127.0.0.1')
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    const way = wayOf(request)
    sockets.handleUpgrade(request, socket, head, (ws) => {
      if (way === 'nonsense') ws.send('{"type":')
      if (way === 'list') ws.send('7')
      if (way === 'ended') ws.close(1001)
      if (way === 'lost') socket.destroy()
      if (way === 'fine') ws.send('{"type":"lost","messages":1}')
    })
  })
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  const close = (): void => {
    for (const ws of sockets.clients) ws.terminate()
    server.closeAllConnections()
    server.close()
  }
  return { baseUrl: `http://127.0.0.1:${port}`, close }
}

describe('TypeScript', () => {
  it('calls each wrong answer what it is, and never throws where nobody can catch it', async () => {
    const { baseUrl, close } = await hostileServer()
    const failure = (work: Promise<unknown>) =>
      work.then(
        () => 'none',
        (thrown: unknown) => (thrown instanceof TapedeckError ? thrown.code : String(thrown)),
      )
    const readAll = async (rows: AsyncIterable<unknown>): Promise<void> => {
      for await (const row of rows) expect(row).toEqual({ price: 1 })
    }
    const found = await Promise.all(
      Object.keys(WRONG).map(async (way) => [way, await failure(new Tapedeck(baseUrl, way).sessions())]),
    )
    expect(Object.fromEntries(found)).toEqual(WRONG)
    const rows = await Promise.all(
      Object.keys(WRONG_ROWS).map(async (way) => [
        way,
        await failure(readAll(new Tapedeck(baseUrl, way).ticks('crypto/XT'))),
      ]),
    )
    expect(Object.fromEntries(rows)).toEqual(WRONG_ROWS)
    const live = await Promise.all(
      Object.keys(WRONG_LIVE).map(async (way) => [
        way,
        await failure(new Tapedeck(baseUrl, way).live('crypto/XT', ['BTC-USD']).next()),
      ]),
    )
    expect(Object.fromEntries(live)).toEqual(WRONG_LIVE)
    const broken = makeFolder('broken')
    for (const file of ['{"base_url"', '[]', 'null']) {
      writeFileSync(join(broken, 'api.json'), file)
      await expect(Tapedeck.connect(broken)).rejects.toMatchObject({ code: 'not-found' })
    }
    close()
  })

  it('reads what was recorded', async () => {
    const deck = await Tapedeck.connect(home)
    const sessions = await deck.sessions()
    const oldest = sessions[0]
    expect(await deck.session(oldest.session)).toEqual(oldest)
    expect((await deck.gaps({ feed: 'crypto/XQ' })).map(({ cause }) => cause)).toContain('drop')
    const prices: unknown[] = []
    for await (const { price } of deck.ticks('crypto/XT', { symbols: ['BTC-USD'] })) prices.push(price)
    expect(prices).toEqual(Array.from({ length: 20 }, (_, i) => 100 + i))
    for await (const bar of deck.bars('crypto/XT', { interval: '1m' })) {
      expect(bar).toMatchObject({ symbol: 'BTC-USD', open: 100 })
      break
    }
    expect(await (await deck.table('bars', 'crypto/XT', 'csv')).text()).toMatch(/^feed,symbol,interval/)
    const opened = await deck.openReplay([oldest.session])
    expect(await deck.controlReplay(opened.replay, { at: opened.to, speed: 'max' })).toMatchObject({ at: opened.to })
    expect(await deck.replay(opened.replay)).toMatchObject({ speed: 'max' })
    await deck.closeReplay(opened.replay)
    await expect(deck.replay(opened.replay)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('follows the live market, granting credit as it reads', async () => {
    const deck = await Tapedeck.connect(home)
    const seen: LiveMessage[] = []
    for await (const message of deck.live('crypto/XT', ['BTC-USD'], 2)) {
      seen.push(message)
      if (message.type === 'subscribed') await send([1, 2, 3, 4, 5])
      if (seen.length === 6) break
    }
    expect(seen.slice(1)).toMatchObject([1, 2, 3, 4, 5].map((price) => ({ type: 'tick', symbol: 'BTC-USD', price })))
  })

  it('takes no more than its limits, and leaves no connection open', async () => {
    const { baseUrl, open, close } = await endlessServer()
    const limits = { answerBytes: 100_000, rowLength: 100_000, messageLength: 10_000, waitingLength: 1_000 }
    const SHORT: Readonly<Record<string, object>> = { deaf: { acceptMs: 50 }, silent: { answerMs: 50 } }
    const failure = async (rows: AsyncIterable<unknown>) => {
      try {
        for await (const row of rows) void row
        return 'none'
      } catch (thrown) {
        return thrown instanceof TapedeckError ? thrown.code : String(thrown)
      }
    }
    const find = async (ways: object, of: (deck: Tapedeck) => AsyncIterable<unknown>) =>
      Object.fromEntries(
        await Promise.all(
          Object.keys(ways).map(
            async (way) => [way, await failure(of(new Tapedeck(baseUrl, way, { ...limits, ...SHORT[way] })))] as const,
          ),
        ),
      )
    async function* sessions(deck: Tapedeck): AsyncGenerator<unknown> {
      yield await deck.sessions()
    }
    expect(await find(ENDLESS, sessions)).toEqual(ENDLESS)
    expect(await find(ENDLESS_ROWS, (deck) => deck.ticks('crypto/XT'))).toEqual(ENDLESS_ROWS)
    expect(await find(ENDLESS_LIVE, (deck) => deck.live('crypto/XT', ['BTC-USD']))).toEqual(ENDLESS_LIVE)
    for await (const message of new Tapedeck(baseUrl, 'quiet', { answerMs: 50 }).live('crypto/XT', ['BTC-USD'])) {
      expect(message).toMatchObject({ type: 'tick' })
      break
    }
    await expect.poll(open).toBe(0)
    const folder = makeFolder('endless')
    writeFileSync(join(folder, 'api.json'), JSON.stringify({ base_url: baseUrl, token: 'huge' }))
    const connected = await Tapedeck.connect(folder, limits)
    await expect(connected.live('crypto/XT', ['BTC-USD']).next()).rejects.toMatchObject({ code: 'unexpected-answer' })
    await expect.poll(open).toBe(0)
    // A program that takes one message and then nothing for a while.
    for (const way of ['gaps', 'flood']) {
      const live = new Tapedeck(baseUrl, way, limits).live('crypto/XT', ['BTC-USD'])
      await live.next()
      await expect.poll(open).toBe(0)
      expect(await failure(live)).toBe('unexpected-answer')
    }
    const left = new Tapedeck(baseUrl, 'flood', limits).live('crypto/XT', ['BTC-USD'], 10_000)
    await left.next()
    expect(open()).toBe(1)
    await left.return(undefined)
    await expect.poll(open).toBe(0)
    close()
  })

  it('says what is wrong', async () => {
    const deck = await Tapedeck.connect(home)
    await expect(deck.ticks('crypto/XT', { symbols: ['NOPE'] }).next()).rejects.toMatchObject({ code: 'not-found' })
    await expect(Tapedeck.connect(makeFolder('empty'))).rejects.toThrow('Start tapedeck serve --api first.')
    await expect(new Tapedeck('http://127.0.0.1:1', 'x').sessions()).rejects.toMatchObject({ code: 'offline' })
    await expect(new Tapedeck(deck.baseUrl, 'x').sessions()).rejects.toBeInstanceOf(TapedeckError)
    const broken = await brokenServer()
    const rows = new Tapedeck(broken.baseUrl, 'x').ticks('crypto/XT')
    expect(await rows.next()).toMatchObject({ value: { price: 1 } })
    await expect(rows.next()).rejects.toMatchObject({ code: 'truncated' })
    broken.close()
  })
})

describe.skipIf(python === undefined)('Python [needs python]', () => {
  /** Runs a program of the client; returns what it prints, as JSON. */
  async function run(
    program: string,
    { path = [], whenReady }: { readonly path?: readonly string[]; readonly whenReady?: () => Promise<unknown> } = {},
  ): Promise<unknown> {
    const child = spawn(python ?? '', ['-'], {
      env: {
        ...process.env,
        TAPEDECK_HOME: home,
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONPATH: [...path, fileURLToPath(new URL('clients/python', root))].join(
          process.platform === 'win32' ? ';' : ':',
        ),
      },
    })
    let [out, err] = ['', '']
    child.stdout.on('data', (piece: Buffer) => {
      out += piece.toString()
      if (out !== 'ready\n') return
      out = ''
      void whenReady?.()
    })
    child.stderr.on('data', (piece: Buffer) => (err += piece.toString()))
    child.stdin.end(`import json, sys\nfrom tapedeck import Tapedeck, TapedeckError\n${program}`)
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect([code, err]).toEqual([0, ''])
    return JSON.parse(out)
  }

  it('reads what was recorded', async () => {
    const found = await run(`
deck = Tapedeck.connect()
oldest = deck.sessions()[0]
replay = deck.open_replay([oldest["session"]])
state = replay.state
moved = replay.seek(state["to"])
fast = replay.set_speed("max")
replay.close()
try:
    replay.state
    gone = None
except TapedeckError as error:
    gone = error.code
print(json.dumps({
    "same": deck.session(oldest["session"]) == oldest,
    "gaps": [gap["cause"] for gap in deck.gaps("crypto/XQ")],
    "prices": [tick["price"] for tick in deck.ticks("crypto/XT", symbols=["btc/usd"])],
    "bar": next(deck.bars("crypto/XT", interval="1m"))["open"],
    "moved": moved["at"] == state["to"], "speed": fast["speed"], "gone": gone, "open": len(deck.replays()),
    "symbols": deck.symbols("crypto/XT")[0]["instrument"], "recording": deck.info()["recording"],
}))
`)
    expect(found).toEqual({
      same: true,
      gaps: expect.arrayContaining(['drop']) as unknown,
      prices: Array.from({ length: 20 }, (_, i) => 100 + i),
      bar: 100,
      moved: true,
      speed: 'max',
      gone: 'not-found',
      open: 0,
      symbols: 'crypto:BTCUSD',
      recording: true,
    })
  })

  it('hands pandas and Polars the columns of an export', async () => {
    const stubs = join(makeFolder('stubs'), 'stubs')
    mkdirSync(stubs)
    writeFileSync(
      join(stubs, 'pandas.py'),
      'def read_csv(body, **options):\n    return [body.readline().decode().strip(), len(body.readlines()), options]\n',
    )
    writeFileSync(
      join(stubs, 'polars.py'),
      'def read_csv(body, **options):\n    return [body.split(b"\\n")[0].decode(), options]\n',
    )
    const found = await run(
      `
deck = Tapedeck.connect()
print(json.dumps([
    deck.ticks_frame("crypto/XT", symbols=["BTC-USD"]),
    deck.bars_frame("crypto/XT", interval="5m", engine="polars"),
]))
`,
      { path: [stubs] },
    )
    expect(found).toEqual([
      [
        'feed,symbol,event_time,recv_time,event_ms,recv_ms,seq,price,size',
        20,
        { parse_dates: ['event_time', 'recv_time'], float_precision: 'round_trip' },
      ],
      [expect.stringMatching(/^feed,symbol,interval,of,start_time/) as unknown, { try_parse_dates: true }],
    ])
  })

  it('follows the live market, granting credit as it reads', async () => {
    const found = await run(
      `
seen = []
with Tapedeck.connect().live("crypto/XT", ["BTC-USD"], credit=2) as live:
    for message in live:
        if message["type"] == "subscribed":
            print("ready", flush=True)
        else:
            seen.append([message["type"], message["price"]])
        if len(seen) == 5:
            break
print(json.dumps(seen))
`,
      { whenReady: () => send([1, 2, 3, 4, 5]) },
    )
    expect(found).toEqual([1, 2, 3, 4, 5].map((price) => ['tick', price]))
  })

  it('calls each wrong answer what it is, and an ended live stream lost', async () => {
    const { baseUrl, close } = await hostileServer()
    const broken = makeFolder('broken')
    const found = await run(`
import socket
from pathlib import Path
def code(work):
    try:
        return [work(), "none"][1]
    except TapedeckError as error:
        return error.code
base = ${JSON.stringify(baseUrl)}
def live(token):
    with Tapedeck(base, token).live("crypto/XT", ["BTC-USD"]) as stream:
        return list(stream)
def own_end():
    stream = Tapedeck(base, "fine").live("crypto/XT", ["BTC-USD"])
    for message in stream:
        stream.close()
def unsent():
    stream = Tapedeck(base, "fine").live("crypto/XT", ["BTC-USD"])
    stream._socket.shutdown(socket.SHUT_WR)
    stream.subscribe("crypto/XT", ["ETH-USD"])
def connect(text):
    Path(${JSON.stringify(join(broken, 'api.json'))}).write_text(text)
    return Tapedeck.connect(${JSON.stringify(broken)})
print(json.dumps([
    {way: code(lambda: Tapedeck(base, way).sessions()) for way in ${JSON.stringify(Object.keys(WRONG))}},
    {way: code(lambda: list(Tapedeck(base, way).ticks("crypto/XT"))) for way in ${JSON.stringify(Object.keys(WRONG_ROWS))}},
    {way: code(lambda: Tapedeck(base, way).ticks_frame("crypto/XT")) for way in ["page", "open"]},
    {way: code(lambda: live(way)) for way in ${JSON.stringify(Object.keys(WRONG_LIVE))}},
    code(own_end),
    code(unsent),
    code(lambda: Tapedeck(Tapedeck.connect().base_url, "x").live("crypto/XT", ["BTC-USD"])),
    code(lambda: Tapedeck("http://127.0.0.1:1", "x").live("crypto/XT", ["BTC-USD"])),
    [code(lambda: connect(text)) for text in ['{"base_url"', '[]', 'null']],
]))
`)
    close()
    const all = [
      WRONG,
      WRONG_ROWS,
      { page: 'unexpected-answer', open: 'unexpected-answer' },
      WRONG_LIVE,
      'none',
      'offline',
      'unauthorized',
      'offline',
      ['not-found', 'not-found', 'not-found'],
    ]
    expect(found).toEqual(all)
  })

  it('takes no more than its limits, asks a quiet server whether it is there, and leaves no socket open', async () => {
    const { baseUrl, close } = await endlessServer()
    const folder = makeFolder('endless')
    writeFileSync(join(folder, 'api.json'), JSON.stringify({ base_url: baseUrl, token: 'deaf' }))
    const found = await run(`
import socket
from threading import Timer
import tapedeck
from tapedeck import _socket
tapedeck._LONGEST_ANSWER = tapedeck._LONGEST_LINE = 100_000
_socket._LONGEST_FRAME = 10_000
base, opened, folder = ${JSON.stringify(baseUrl)}, [], ${JSON.stringify(folder)}
def code(work):
    try:
        work()
    except TapedeckError as error:
        return error.code
def live(way, timeout):
    opened.append(Tapedeck(base, way, timeout=timeout).live("crypto/XT", ["BTC-USD"]))
    return next(iter(opened[-1]))
def other_thread():
    stream = Tapedeck(base, "mute").live("crypto/XT", ["BTC-USD"])
    Timer(0.1, stream.close).start()
    return list(stream)
def lost_when_granting():
    opened.append(Tapedeck(base, "flood").live("crypto/XT", ["BTC-USD"], credit=2))
    for message in opened[-1]:
        opened[-1]._socket.shutdown(socket.SHUT_WR)
def closed_when_granting():
    stream = Tapedeck(base, "flood").live("crypto/XT", ["BTC-USD"], credit=2)
    write = stream._write
    def close_first(kind, payload):
        stream.close() # as another thread may
        write(kind, payload)
    stream._write = close_first
    return len(list(stream))
print(json.dumps([
    {way: code(lambda: Tapedeck(base, way).sessions()) for way in ${JSON.stringify(Object.keys(ENDLESS))}},
    {way: code(lambda: list(Tapedeck(base, way).ticks("crypto/XT"))) for way in ${JSON.stringify(Object.keys(ENDLESS_ROWS))}},
    {way: code(lambda: live(way, timeout)) for way, timeout in [("huge", 60), ("deaf", 0.1), ("silent", 1)]},
    code(lost_when_granting),
    [stream._socket.fileno() for stream in opened],
    live("quiet", 2.5)["price"],
    other_thread(),
    closed_when_granting(),
    code(lambda: Tapedeck.connect(folder, timeout=0.1).live("crypto/XT", ["BTC-USD"])),
]))
`)
    close()
    expect(found).toEqual([ENDLESS, ENDLESS_ROWS, ENDLESS_LIVE, 'offline', [-1, -1, -1], 1, [], 1, 'offline'])
  })

  it('says what is wrong', async () => {
    const broken = await brokenServer()
    const found = await run(`
def code(work):
    try:
        work()
    except TapedeckError as error:
        return error.code
deck = Tapedeck.connect()
read = []
def broken():
    for tick in Tapedeck(${JSON.stringify(broken.baseUrl)}, "x").ticks("crypto/XT"):
        read.append(tick["price"])
print(json.dumps([
    code(lambda: list(deck.ticks("crypto/XT", symbols=["NOPE"]))),
    code(lambda: Tapedeck.connect("/nowhere")),
    code(lambda: Tapedeck("http://127.0.0.1:1", "x").sessions()),
    code(lambda: Tapedeck(deck.base_url, "x").sessions()),
    code(broken), read,
]))
`)
    broken.close()
    expect(found).toEqual(['not-found', 'not-found', 'offline', 'unauthorized', 'truncated', [1]])
  })
})
