/** `tapedeck sessions`: what it lists, what it says of a session, its gaps, and one of them as a file. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it } from 'vitest'
import { EXIT } from '../../../../../src/main/command-line/exit.ts'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { readHolds, writeHolds } from '../../../../../src/main/core/store/library/holds.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import { DEMO, T0, Writer, type Item } from '../../core/store/harness.ts'
import { tradeText } from '../../../../kit/market.ts'
import { commandContext } from '../../hosts/cli/context.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let home: string
let first: SessionId
let second: SessionId
beforeEach(() => {
  home = makeFolder('sessions')
  const engine = new StoreEngine(join(home, 'tapedeck.db'))
  const record = (startMs: number, items: readonly Item[]): SessionId => {
    const session = newSessionId(startMs)
    engine.begin(session, DEMO, unixMs(startMs))
    engine.commit([new Writer().batch(items)])
    engine.end(unixMs(startMs + 60_000), [])
    return session
  }
  const gap = { type: 'gap-open', feed: 'crypto/XT' } as const
  first = record(T0, [
    { entry: { ...gap, cause: 'connect', symbols: ['BTC-USD'], fromMs: unixMs(T0) } },
    { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 1 }, wallMs: T0 + 400 },
    { conn: 1, data: tradeText('BTC-USD', '100.5', 1, T0 + 500) },
    { entry: { ...gap, cause: 'drop', symbols: ['BTC-USD', 'ETH-USD'], fromMs: unixMs(T0 + 1_000) } },
    { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 4 }, wallMs: T0 + 3_250 },
    { conn: 1, data: tradeText('BTC-USD', '101', 1, T0 + 4_000) },
  ])
  second = record(T0 + 3_600_000, [
    { conn: 1, data: tradeText('BTC-USD', '102', 1, T0 + 3_600_500) },
    { entry: { ...gap, cause: 'half-open', symbols: [], fromMs: unixMs(T0 + 3_601_000) } },
  ])
  engine.drain()
  engine.close()
})

async function line(...args: string[]) {
  const context = commandContext({ dataDir: home })
  const code = await runCommandLine(args, context)
  return { code, out: context.output(), err: context.errors() }
}
async function lines(...args: string[]): Promise<Record<string, unknown>[]> {
  const { code, out, err } = await line(...args, '--json')
  expect([code, err]).toEqual([0, ''])
  // JSON Lines of objects, as the command line's contract says
  return out
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text) as Record<string, unknown>)
}
const only = async (session: SessionId) => (await lines('sessions', '--session', session))[0]

describe('the list', () => {
  it('has a header, and a line for each session in columns', async () => {
    await line('sessions', '--session', first, '--name', 'CPI day', '--pin')
    const { out } = await line('sessions')
    const [heads = '', ...rows] = out.trimEnd().split('\n')
    expect(heads.split(/ {2,}/)).toEqual(['session', 'source', 'from', 'to', 'messages', 'gaps', 'feeds', 'labels'])
    const at = heads.indexOf('feeds')
    expect(rows.map((row) => row.slice(at))).toEqual(['crypto/XT 2  "CPI day" pinned', 'crypto/XT 1'])
    expect(rows.map((row) => row.split(/ {2,}/).slice(4, 6))).toEqual([
      ['2', '1'],
      ['1', '1'],
    ])
  })
})

describe('--gaps', () => {
  const dropped = () => ({
    schema: 'tapedeck/gap/1',
    session: first,
    feed: 'crypto/XT',
    cause: 'drop',
    symbols: ['BTC-USD', 'ETH-USD'],
    from: '2026-01-05T10:00:01.000Z',
    to: '2026-01-05T10:00:03.250Z',
    seconds: 2.25,
  })

  it('gives every gap of every session as JSON Lines, oldest first', async () => {
    const gaps = await lines('sessions', '--gaps')
    expect(gaps.map(({ session, cause }) => [session, cause])).toEqual([
      [first, 'connect'],
      [first, 'drop'],
      [second, 'half-open'],
    ])
    expect(gaps[0]).toMatchObject({ seconds: 0.4, symbols: ['BTC-USD'] })
    expect(gaps[1]).toEqual(dropped())
    expect(gaps[2]).toMatchObject({ symbols: [], from: '2026-01-05T11:00:01.000Z' })
    expect((await lines('sessions', '--gaps', '--session', first)).map(({ cause }) => cause)).toEqual([
      'connect',
      'drop',
    ])
  })

  it('says the same as a table, whose columns stand in line', async () => {
    const { code, out, err } = await line('sessions', '--gaps')
    expect([code, err]).toEqual([0, '2 gaps, plus 1 at the edges of sessions.\n'])
    const [heads = '', ...rows] = out.trimEnd().split('\n')
    expect(heads.split(/ {2,}/)).toEqual(['session', 'from', 'to', 'seconds', 'feed', 'cause', 'symbols'])
    expect(rows).toHaveLength(3)
    const { from, to } = dropped()
    expect(rows[1]?.split(/ {2,}/)).toEqual([first, from, to, '2.250', 'crypto/XT', 'drop', 'BTC-USD,ETH-USD'])
    for (const row of rows) expect(row.indexOf('crypto/XT')).toBe(heads.indexOf('feed'))
  })

  it('is no file of a session, and needs one that is there', async () => {
    expect(await line('sessions', '--gaps', '--session', first, '--out', join(home, 'x.tapedeck'))).toMatchObject({
      code: 2,
      out: '',
    })
    expect(await line('sessions', '--gaps', '--session', newSessionId(T0))).toMatchObject({ code: 1, out: '' })
  })
})

describe('what is said of a session', () => {
  it('is saved and listed for that session only', async () => {
    expect(await only(first)).toMatchObject({ name: '', notes: '', tags: [], pinned: false, binned: null })
    const said = ['--name', 'CPI day', '--notes', 'wide spreads', '--tag', 'macro', '--tag', 'volatile', '--pin']
    const [changed] = await lines('sessions', '--session', first, ...said)
    expect(changed).toMatchObject({
      session: first,
      name: 'CPI day',
      notes: 'wide spreads',
      tags: ['macro', 'volatile'],
      pinned: true,
    })
    expect(await only(first)).toEqual(changed)
    expect(await only(second)).toMatchObject({ name: '', tags: [], pinned: false })
    expect((await line('sessions', '--session', first)).out).toContain('"CPI day" #macro #volatile pinned')
  })

  it('changes what is named and leaves the rest', async () => {
    await lines('sessions', '--session', first, '--name', 'CPI day', '--tag', 'macro', '--pin')
    expect((await lines('sessions', '--session', first, '--unpin'))[0]).toMatchObject({
      name: 'CPI day',
      tags: ['macro'],
      pinned: false,
    })
    expect((await lines('sessions', '--session', first, '--tag', 'other'))[0]).toMatchObject({
      name: 'CPI day',
      tags: ['other'],
    })
  })

  it('puts it into the bin and takes it out, with all that it holds', async () => {
    const [binned] = await lines('sessions', '--session', first, '--bin')
    expect(Date.parse(String(binned?.binned))).toBeGreaterThan(T0)
    expect((await line('sessions')).out).toMatch(new RegExp(`^${first} .* in the bin$`, 'm'))
    expect((await lines('sessions', '--session', first, '--restore'))[0]).toMatchObject({ binned: null, messages: 2 })
    expect((await line('verify')).out).toContain('3 messages: all as recorded')
  })

  it('releases it from a team, and labels nothing', async () => {
    const store = join(home, 'tapedeck.db')
    const hold = { why: 'the history of the team eu doesn’t have all of it yet', data: null }
    writeHolds(store, new Map([first, second].map((session) => [session, hold])))
    expect((await lines('sessions', '--session', first, '--release'))[0]).toMatchObject({
      session: first,
      binned: null,
    })
    expect([...readHolds(store).keys()]).toEqual([second])
    const again = await line('sessions', '--session', first, '--release')
    expect([again.code, again.err]).toEqual([1, expect.stringContaining(`No team needs session ${first}.`)])
  })

  it.each([
    ['a release without a session', ['--release'], '--session'],
    ['a name without a session', ['--name', 'x'], '--session'],
    ['a tag without a session', ['--tag', 'x'], '--session'],
    ['a pin without a session', ['--pin'], '--session'],
    ['a bin without a session', ['--bin'], '--session'],
    ['a file without a session', ['--out', 'x.tapedeck'], '--session'],
    ['both pins', ['--session', 'x', '--pin', '--unpin'], '--unpin'],
    ['in and out of the bin', ['--session', 'x', '--bin', '--restore'], '--restore'],
  ])('%s: code 2, and nothing happens', async (_name, args, named) => {
    const { code, out, err } = await line('sessions', ...args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(named)
    for (const session of [first, second]) expect(await only(session)).toMatchObject({ name: '', binned: null })
  })

  it('says that a session is not there', async () => {
    const { code, out, err } = await line('sessions', '--session', newSessionId(T0), '--name', 'x')
    expect([code, out]).toEqual([1, ''])
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  })
})

describe('--out', () => {
  it('replaces a file only with --force', async () => {
    const file = join(home, 'taken.tapedeck')
    writeFileSync(file, 'precious')
    const { code, out, err } = await line('sessions', '--session', first, '--out', file)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('--force')
    expect(readFileSync(file, 'utf8')).toBe('precious')
    expect(await line('sessions', '--session', first, '--out', file, '--force')).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'latin1')).not.toContain('precious')
  })

  it('writes one session, which another store takes in once and gives back as it was', async () => {
    await lines('sessions', '--session', first, '--name', 'CPI day', '--tag', 'macro')
    const file = join(home, 'cpi.tapedeck')
    const [done] = await lines('sessions', '--session', first, '--out', file)
    expect(done).toMatchObject({ file, messages: 2, bytes: readFileSync(file).length })
    expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(done?.sha256)

    const store = ['--store', join(home, 'other.db')]
    expect(await lines('import', file, ...store)).toEqual([
      { schema: 'tapedeck/import/1', session: first, messages: 2 },
    ])
    expect(await line('import', file, ...store)).toMatchObject({
      code: 0,
      err: 'cpi.tapedeck is already in the store.\n',
    })
    const taken = await lines('sessions', ...store)
    expect(taken).toMatchObject([{ session: first, imported: true, clean: true, name: 'CPI day', tags: ['macro'] }])
    expect(await lines('sessions', '--gaps', ...store)).toEqual(await lines('sessions', '--gaps', '--session', first))
    expect((await line('verify', ...store)).code).toBe(0)
  }, 120_000)

  it('leaves no file of a session that is not there', async () => {
    const file = join(home, 'none.tapedeck')
    const { code } = await line('sessions', '--session', newSessionId(T0), '--out', file)
    expect([code, existsSync(file)]).toEqual([1, false])
  })
})

it('marks sessions that a verification found corrupt, until one finds them intact', async () => {
  const store = new Database(join(home, 'tapedeck.db'))
  const setCause = (cause: string) =>
    store
      .prepare('UPDATE gap SET cause = ? WHERE recording = (SELECT id FROM recording WHERE key = ?)')
      .run(cause, second)
  expect((await line('sessions')).out).not.toContain('corrupt')
  setCause('sleep')
  expect((await line('verify')).code).toBe(EXIT.failed)
  const { out, err } = await line('sessions')
  const marked = out.split('\n').filter((one) => one.endsWith('corrupt'))
  expect(marked).toHaveLength(1)
  expect(marked[0]).toContain(second)
  expect(err).toContain('1 session is corrupt: `tapedeck verify` says what is affected.')
  expect((await lines('sessions')).map(({ corrupt }) => corrupt)).toEqual([false, true])
  setCause('half-open')
  store.close()
  expect((await line('verify', '--session', second)).code).toBe(EXIT.ok)
  expect((await line('sessions')).out).not.toContain('corrupt')
})
