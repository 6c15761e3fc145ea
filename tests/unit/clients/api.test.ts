/** The clients in Python and TypeScript, against a running terminal. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

describe('TypeScript', () => {
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
