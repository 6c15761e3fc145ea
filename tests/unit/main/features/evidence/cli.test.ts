/** `tapedeck verify --agreement`: ticks against the bars that the service sent. */
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import { DEMO, T0, Writer, type Item } from '../../core/store/harness.ts'
import { tradeText } from '../../../../kit/market.ts'
import { commandContext } from '../../hosts/cli/context.ts'
import { makeFolder } from '../../../../kit/folder.ts'

const MINUTE = 60_000
const FEEDS = ['crypto/XT', 'crypto/XA'] as const

let home: string
let session: SessionId
beforeEach(() => {
  home = makeFolder('verify')
})

function record(withBars: boolean): void {
  const engine = new StoreEngine(join(home, 'tapedeck.db'))
  session = newSessionId(T0)
  engine.begin(session, DEMO, unixMs(T0))
  const subscribed = FEEDS.flatMap((feed, i): Item[] => [
    { entry: { type: 'subscribe', feed, conn: i + 1, symbols: ['BTC-USD'] }, wallMs: T0 },
    { entry: { type: 'acknowledged', feed, conn: i + 1, symbols: ['BTC-USD'] }, wallMs: T0 },
  ])
  const minutes = [0, 1, 2, 3].flatMap((n): Item[] => {
    const start = T0 + n * MINUTE
    // The last bar tells another close than its ticks.
    const close = n === 3 ? 999 : 102
    const bar = `{"ev":"XA","pair":"BTC-USD","o":100,"c":${close},"h":${Math.max(103, close)},"l":100,"v":1.5,"s":${start},"e":${start + MINUTE}}`
    const ticks = [100, 103, 102].map((price, i): Item => {
      const ms = start + 5_000 + i * 10_000
      return { conn: 1, data: tradeText('BTC-USD', price, 0.5, ms), recvMs: ms + 20 }
    })
    return withBars ? [...ticks, { conn: 2, data: bar, recvMs: start + MINUTE + 100 }] : ticks
  })
  engine.commit([new Writer(FEEDS).batch([...subscribed, ...minutes])])
  engine.end(unixMs(T0 + 10 * MINUTE), [])
  engine.drain()
  engine.close()
}

async function line(...args: string[]) {
  const context = commandContext({ dataDir: home })
  const code = await runCommandLine(['verify', ...args], context)
  return { code, out: context.output(), err: context.errors() }
}

it('tells for each session and symbol how many minutes agree, and which do not', async () => {
  record(true)
  const { code, out, err } = await line('--agreement', '--json')
  expect([code, err]).toEqual([0, ''])
  expect(JSON.parse(out)).toMatchObject({
    sessions: 1,
    ok: true,
    agreement: [
      {
        session,
        symbol: 'BTC-USD',
        of: 'trade',
        agrees: 3,
        differs: 1,
        not_comparable: 0,
        agreement: 0.75,
        differing: [new Date(T0 + 3 * MINUTE).toISOString()],
      },
    ],
  })
  const told = await line('--agreement', '--symbol', 'btc/usd', '--session', session)
  expect(told.out).toContain(`${session}  BTC-USD  75.00 % agree: 3 minutes agree, 1 differs, 0 not comparable\n`)
  expect(await line('--agreement', '--symbol', 'ETH-USD')).toEqual({
    code: 1,
    out: '',
    err: 'tapedeck: No session has ETH-USD. Recorded: BTC-USD.\n',
  })
})

it('says that there is nothing to compare where the service sent no bars', async () => {
  record(false)
  expect(JSON.parse((await line('--agreement', '--json')).out)).toMatchObject({ ok: true, agreement: [] })
  expect((await line('--agreement')).out).toContain('Nothing to compare')
})

it('leaves the contract of the plain command as it is', async () => {
  record(true)
  expect(Object.keys(JSON.parse((await line('--json')).out) as object)).toEqual([
    'schema',
    'sessions',
    'messages',
    'ok',
    'problems',
  ])
  expect((await line('--symbol', 'BTC-USD')).code).toBe(2)
})
