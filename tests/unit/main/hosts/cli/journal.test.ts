/** `tapedeck journal`: where it writes, and what it refuses. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { sessionId, unixMs } from '../../../../../src/shared/base/units.ts'
import { DEMO, T0, Writer } from '../../core/store/harness.ts'
import { recorded, type RecordedStore } from '../../features/export/recorded.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'
import { commandContext } from './context.ts'

let store: RecordedStore
beforeAll(async () => {
  store = await recorded([[{ conn: 1, data: tradeText('BTC-USD', 100, 1, T0), recvMs: T0 }]])
})
afterAll(() => store.close())

async function run(...args: string[]) {
  const context = commandContext({ dataDir: store.path })
  const code = await runCommandLine(['journal', '--home', store.path, ...args], context)
  return { code, out: context.output(), err: context.errors() }
}

describe('the journal command', () => {
  it.each([[[]], [['--out', '-']]])('writes to standard output with %j', async (args) => {
    const { code, out } = await run(...args)
    expect([code, out.split('\n', 1)[0]]).toEqual([0, expect.stringMatching(/^# Review, /)])
  })

  it('writes a file that gets its name when it is complete, and replaces none unasked', async () => {
    const folder = makeFolder()
    const file = join(folder, 'review.md')
    expect(await run('--out', file)).toMatchObject({ code: 0, out: '' })
    expect(readFileSync(file, 'utf8')).toContain('| BTC-USD')
    expect(readdirSync(folder)).toEqual(['review.md'])
    writeFileSync(file, 'mine')
    expect(await run('--out', file)).toMatchObject({ code: 2 })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect(await run('--out', file, '--force')).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).toContain('| BTC-USD')
  })

  it('prints JSON with the keys and times of the other commands, in a file, too', async () => {
    const file = join(makeFolder(), 'review.json')
    const { out } = await run('--json')
    expect(await run('--json', '--out', file)).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).toBe(out)
    const review = JSON.parse(out) as Record<string, unknown>
    expect(review).toMatchObject({ schema: 'tapedeck/journal/2', source: 'demo', messages: 1, gap_count: 0, notes: [] })
    expect(review.from).toBe(new Date(T0).toISOString())
    expect(out).not.toMatch(/Ms"|[a-z][A-Z]\w*":/)
  })

  it('says that a folder doesn’t exist', async () => {
    const file = join(makeFolder(), 'missing', 'x.md')
    const { code, err } = await run('--out', file)
    expect([code, err]).toEqual([1, `tapedeck: Couldn’t write ${file}: its folder doesn’t exist.\n`])
    expect(existsSync(file)).toBe(false)
  })

  it('refuses a time zone that doesn’t exist', async () => {
    const { code, err } = await run('--zone', 'Mars/Base')
    expect([code, err]).toEqual([2, expect.stringContaining('No such time zone: "Mars/Base".')])
  })

  it('says that alerts of a newer Tapedeck can’t be read', async () => {
    const file = join(store.path, 'alerts-history.json')
    writeFileSync(file, '{"version":99,"entries":[]}')
    const missing = 'The history of alerts was written by a newer Tapedeck. Alerts may be missing here.'
    expect((await run()).out).toContain(missing)
    writeFileSync(file, '{"version":1,"entries":[]}')
    expect((await run()).out).toContain('None fired.')
  })
})

describe('a session that crashed', () => {
  it('ends with its last message, and not now', async () => {
    const folder = makeFolder('crashed')
    const engine = new StoreEngine(join(folder, 'tapedeck.db'), () => T0)
    engine.begin(sessionId('01kccccccc0000000000000001'), DEMO, unixMs(T0))
    engine.commit([
      new Writer(['crypto/XT']).batch([
        { conn: 1, data: tradeText('BTC-USD', 100, 1, T0), recvMs: T0 },
        { conn: 1, data: tradeText('BTC-USD', 101, 1, T0 + 2_000), recvMs: T0 + 2_000 },
      ]),
    ])
    engine.close()
    const [review, total] = await Promise.all(
      ['journal', 'stats'].map(async (command) => {
        const context = commandContext({ dataDir: folder })
        expect([await runCommandLine([command], context), context.errors()]).toEqual([0, ''])
        return context.output()
      }),
    )
    expect(review).toMatch(/^# Review, 2026-01-05 10:00:00 to 2026-01-05 10:00:02 \(UTC\)\n/)
    expect(total).toMatch(/\nto +cut off, unknown time\n/)
    const context = commandContext({ dataDir: folder })
    const args = ['sessions', '--session', 'latest', '--out', join(folder, 'x.tapedeck')]
    expect([await runCommandLine(args, context), context.errors()]).toEqual([
      1,
      expect.stringContaining('was cut off, and its end isn’t recovered yet. The next session'),
    ])
  })
})
