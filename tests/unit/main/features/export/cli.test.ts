/** What an export of the command line refuses rather than mislead. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  constants,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withDevice } from '../../../../../src/main/command-line/device-sink.ts'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { FEATURE_SETTINGS } from '../../../../kit/settings.ts'
import { createSettingsStore, settingsFile } from '../../../../../src/main/core/settings/settings.ts'
import { formatOfName } from '../../../../../src/shared/features/export/export.ts'
import { recorded, type RecordedStore } from './recorded.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { tradeText } from '../../../../kit/market.ts'
import { commandContext } from '../../hosts/cli/context.ts'

let store: RecordedStore
beforeAll(async () => {
  const items = ['BTC-USD', 'ETH-USD'].map((symbol, i): Item => ({
    conn: 1,
    data: tradeText(symbol, 100 + i, 1, T0 + i),
    recvMs: T0 + i,
  }))
  store = await recorded([items])
})
afterAll(() => store.close())

const path = (name: string) => join(store.path, name)

async function exported(...args: string[]) {
  const context = commandContext({ dataDir: store.path })
  const code = await runCommandLine(['export', '--feed', 'crypto/XT', '--store', store.file, ...args], context)
  return { code, out: context.output(), err: context.errors() }
}

describe('an export', () => {
  it('of a symbol that was never recorded fails, names those that were, and leaves the file alone', async () => {
    writeFileSync(path('keep.csv'), 'good\n')
    const { code, out, err } = await exported('--symbol', 'BTCUSDT', '--out', path('keep.csv'), '--force')
    expect([code, out]).toEqual([1, ''])
    expect(err).toBe('tapedeck: crypto/XT has no BTCUSDT. Did you mean BTC-USD? Recorded: BTC-USD, ETH-USD.\n')
    expect(readFileSync(path('keep.csv'), 'utf8')).toBe('good\n')
  })

  it('that finds nothing says where it looked', async () => {
    const [session] = store.sessions
    const said = async (...args: string[]) => (await exported(...args, '--out', path('none.csv'))).err.split('. ')[0]
    expect(await said('--source', 'elsewhere')).toBe('tapedeck: No data from crypto/XT is stored for source elsewhere')
    expect(await said('--session', session, '--feed', 'crypto/XQ')).toBe(
      `tapedeck: No data from crypto/XQ is stored in session ${session}`,
    )
    expect(await said('--feed', 'crypto/XQ')).toBe('tapedeck: No data from crypto/XQ is stored')
    const context = commandContext({ dataDir: store.path })
    expect(await runCommandLine(['export', '--out', path('none.csv'), '--store', store.file], context)).toBe(2)
    expect(context.errors()).toMatch(/^tapedeck: name the feed with --feed: one of crypto\/XA, /)
  })

  it('accepts any alias of a symbol', async () => {
    const { code, out } = await exported('--symbol', 'x:btcusd', '--out', path('spelled.csv'), '--json')
    expect([code, JSON.parse(out)]).toMatchObject([0, { rows: 1, feed: 'crypto/XT', source: 'demo' }])
  })

  it('without a row fails and leaves the file alone, unless empty files are allowed', async () => {
    writeFileSync(path('rows.csv'), 'good\n')
    const later = ['--from', String(T0 + 1_000), '--out', path('rows.csv'), '--force']
    const { code, err } = await exported(...later)
    expect([code, readFileSync(path('rows.csv'), 'utf8')]).toEqual([1, 'good\n'])
    expect(err).toContain('There are no ticks of crypto/XT in this range. Nothing was written.')
    // The names of the columns are on standard output.
    const piped = await exported('--from', String(T0 + 1_000), '--out', '-')
    expect([piped.code, piped.err]).toEqual([1, expect.not.stringContaining('Nothing was written')])
    const allowed = await exported(...later, '--allow-empty')
    expect([allowed.code, readFileSync(path('rows.csv'), 'utf8').split('\n')]).toMatchObject([0, { length: 2 }])
  })

  it.each([
    ['ticks.csv.gz', 'export doesn’t write the format .gz. Compress it with another program'],
    ['ticks.XLSX', 'export doesn’t write the format .XLSX. Use .csv with --preset "Excel (comma)"'],
    ['ticks.json', 'export doesn’t write the format .json. Use .jsonl'],
    ['ticks.h5', 'export doesn’t write the format .h5. Use .csv'],
  ])('to %s is refused: it would hold CSV', async (name, sentence) => {
    const { code, err } = await exported('--out', path(name))
    expect([code, err, existsSync(path(name))]).toEqual([2, expect.stringContaining(sentence), false])
  })

  it('of JSON Lines may be named .json', async () => {
    expect((await exported('--format', 'jsonl', '--out', path('lines.json'))).code).toBe(0)
  })

  it.each([
    [['--interval', '5m'], '--interval needs --what bars'],
    [['--of', 'trade'], '--of needs --what bars'],
    [['--zone', 'Mars/Base'], '--zone'],
    [['--what', 'bars', '--interval', '13x'], 'or 1D, not "13x". See'],
    [['--session', ''], '--session is empty'],
  ])('with %j is refused', async (args, sentence) => {
    const { code, err } = await exported(...args, '--out', path('misplaced.csv'))
    expect([code, err, existsSync(path('misplaced.csv'))]).toEqual([2, expect.stringContaining(sentence), false])
  })

  it.each([
    ['one file', 'there.csv', []],
    ['a part of a split', 'there.BTC-USD.csv', ['--split', 'symbol']],
  ])('never replaces %s without --force', async (_, name, args) => {
    writeFileSync(path(name), 'good\n')
    const refused = await exported('--out', path('there.csv'), ...args)
    expect([refused.code, readFileSync(path(name), 'utf8')]).toEqual([2, 'good\n'])
    expect(refused.err).toContain(`${name} already exists. Choose another name, or replace the file with --force.`)
    const forced = await exported('--out', path('there.csv'), '--force', ...args)
    expect([forced.code, readFileSync(path(name), 'utf8')]).toEqual([0, expect.stringMatching(/^feed,symbol/)])
  })

  it('to a new name that another export takes meanwhile is refused, too', async () => {
    const both = await Promise.all([exported('--out', path('new.csv')), exported('--out', path('new.csv'))])
    expect(both.map(({ code }) => code).sort()).toEqual([0, 2])
    const { err } = both.find(({ code }) => code === 2) ?? { err: '' }
    expect(err).toContain('new.csv already exists: another program made it in the meantime.')
  })

  it('takes its format from the ending of the file', async () => {
    expect((await exported('--out', path('ticks.parquet'))).code).toBe(0)
    expect(readFileSync(path('ticks.parquet')).subarray(0, 4).toString('latin1')).toBe('PAR1')
    expect((await exported('--out', path('ticks.jsonl'))).code).toBe(0)
    expect(readFileSync(path('ticks.jsonl'), 'utf8')).toMatch(/^\{"feed":"crypto\/XT"/)
    expect((await exported('--out', path('ticks.txt'))).code).toBe(0)
    expect(readFileSync(path('ticks.txt'), 'utf8')).toMatch(/^feed,symbol/)
  })

  it('refuses a format that contradicts the ending', async () => {
    const { code, err } = await exported('--format', 'csv', '--out', path('x.parquet'))
    expect([code, existsSync(path('x.parquet'))]).toEqual([2, false])
    expect(err).toContain('x.parquet has the extension of parquet, but the format is csv: change one of them')
  })

  it('into a .tsv file is separated by tabs, whatever a preset says', async () => {
    expect((await exported('--out', path('ticks.tsv'))).code).toBe(0)
    expect(readFileSync(path('ticks.tsv'), 'utf8')).toMatch(/^feed\tsymbol\t[^,]*\ncrypto\/XT\tBTC-USD\t[^,]*\n/)
    const presets = [{ name: 'Excel', separator: ';' as const }]
    createSettingsStore(settingsFile(store.path), FEATURE_SETTINGS).set({ exports: { presets } })
    expect((await exported('--preset', 'Excel', '--out', path('excel.tsv'))).code).toBe(0)
    expect(readFileSync(path('excel.tsv'), 'utf8')).toMatch(/^feed\tsymbol\t/)
    const bars = await exported('--what', 'bars', '--split', 'symbol', '--out', path('BARS.TSV'))
    expect(bars.code).toBe(0)
    expect(readFileSync(path('BARS.ETH-USD.TSV'), 'utf8')).toMatch(
      /^feed\tsymbol\t[^,]*\ncrypto\/XT\tETH-USD\t[^,]*\n$/,
    )
  })

  it('with a preset leaves out what does not apply, and says so', async () => {
    const presets = [{ name: 'old', raw: true, extended: true, bom: true, separator: ';' as const }]
    createSettingsStore(settingsFile(store.path), FEATURE_SETTINGS).set({ exports: { presets } })
    const preset = ['--preset', 'old', '--out'] as const
    const bars = await exported('--what', 'bars', ...preset, path('old.csv'))
    expect(bars).toMatchObject({ code: 0, err: 'tapedeck: not applied from the preset: raw messages (ticks only)\n' })
    expect(readFileSync(path('old.csv'), 'utf8')).toMatch(/^\ufeff.*;vwap/)
    const ticks = await exported(...preset, path('old.parquet'))
    const dropped = 'extended columns (bars only), byte order mark (CSV only), separator (CSV only)'
    expect(ticks).toMatchObject({ code: 0, err: `tapedeck: not applied from the preset: ${dropped}\n` })
    expect((await exported(...preset, path('old.jsonl'))).code).toBe(0)
    // What the command line itself asks for is refused still.
    expect((await exported('--bom', ...preset, path('more.parquet'))).code).toBe(2)
  })

  it.each([
    [['--separator', 'comma'], 'x.tsv is separated by tabs, but --separator is ",": change one of them'],
    [['--format', 'parquet'], 'x.tsv has the extension of tab-separated csv, but the format is parquet'],
  ])('refuses a .tsv file with %j', async (args, message) => {
    const { code, err } = await exported(...args, '--out', path('x.tsv'))
    expect([code, existsSync(path('x.tsv'))]).toEqual([2, false])
    expect(err).toContain(message)
  })

  it.skipIf(!existsSync('/dev/full'))('writes to a device, and says what the device says', async () => {
    const full = await exported('--out', '/dev/full')
    expect(full).toEqual({ code: 1, out: '', err: 'tapedeck: /dev/full has no space left.\n' })
    const json = await exported('--out', '/dev/null', '--json')
    expect([json.code, JSON.parse(json.out)]).toMatchObject([0, { rows: 2, feed: 'crypto/XT', source: 'demo' }])
    expect((await exported('--out', '/dev/null', '--split', 'day')).code).toBe(2)
    expect((await exported('--out', '/dev/stdout')).out).toMatch(/^feed,symbol/)
  })

  it.skipIf(process.platform === 'win32')('writes into a pipe', async () => {
    const pipe = path('pipe.csv')
    execFileSync('mkfifo', [pipe])
    const [text, { code }] = await Promise.all([readFile(pipe, 'utf8'), exported('--out', pipe)])
    expect([code, text]).toEqual([0, (await exported('--out', '-')).out])
    expect(existsSync(`${pipe}.manifest.json`)).toBe(false)
  })

  it.skipIf(process.platform === 'win32')(
    'into a pipe that nobody reads, or reads on from, can be stopped',
    async () => {
      const pipe = path('unread.csv')
      execFileSync('mkfifo', [pipe])
      const stopping = new AbortController()
      const context = commandContext({ dataDir: store.path, signal: stopping.signal })
      const run = runCommandLine(['export', '-f', 'crypto/XT', '--store', store.file, '--out', pipe], context)
      stopping.abort('terminate')
      expect([await run, context.errors()]).toEqual([1, `tapedeck: No program has opened ${pipe} to read it.\n`])

      // A pipe holds 64 kB.
      const stalled = new AbortController()
      const reader = await open(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
      const writing = withDevice(pipe, stalled.signal, async (write) => {
        await write(new Uint8Array(64 << 10))
        setImmediate(() => stalled.abort('interrupt'))
        await write(new Uint8Array(1 << 20))
      })
      await expect(writing).rejects.toMatchObject({ code: 'cancelled' })
      await reader.close()
    },
  )

  it('follows links, also to a file that doesn’t exist yet, and never replaces one', async () => {
    mkdirSync(path('elsewhere'))
    symlinkSync('elsewhere', path('here'))
    symlinkSync('../elsewhere/real.csv', path('here/link.csv'))
    const link = path('here/link.csv')
    expect(await exported('--out', link)).toMatchObject({ code: 0 })
    expect(await exported('--out', link)).toMatchObject({
      code: 2,
      err: `tapedeck: ${link} already exists. Choose another name, or replace the file with --force.\n`,
    })
    writeFileSync(path('elsewhere/real.csv'), 'old\n')
    expect(await exported('--out', link, '--force')).toMatchObject({ code: 0 })
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(path('elsewhere/real.csv'), 'utf8')).toMatch(/^feed,symbol/)
    symlinkSync(path('nowhere/x.csv'), path('broken.csv'))
    symlinkSync(path('round.csv'), path('round.csv'))
    const refused = async (out: string) => (await exported('--out', out, '--force')).err
    expect(await refused(path('broken.csv'))).toBe(
      `tapedeck: Couldn’t write ${path('broken.csv')}, a link to ${path('nowhere/x.csv')}: its folder doesn’t exist.\n`,
    )
    expect(await refused(path('round.csv'))).toBe(
      `tapedeck: Couldn’t write ${path('round.csv')}: it is a link that leads to itself.\n`,
    )
  })

  it.skipIf(process.geteuid?.() !== 0)(
    'follows no link of another user in a folder for everyone [needs root]',
    async () => {
      const shared = path('shared')
      mkdirSync(shared)
      chmodSync(shared, 0o1777)
      writeFileSync(path('precious.csv'), 'mine\n')
      symlinkSync(path('precious.csv'), join(shared, 'x.csv'))
      lchownSync(join(shared, 'x.csv'), 65_534, 65_534)
      expect(await exported('--out', join(shared, 'x.csv'), '--force')).toEqual({
        code: 2,
        out: '',
        err: `tapedeck: ${join(shared, 'x.csv')} is a link that another user made. Choose another name.\n`,
      })
      expect(readFileSync(path('precious.csv'), 'utf8')).toBe('mine\n')
      lchownSync(join(shared, 'x.csv'), 0, 0)
      expect((await exported('--out', join(shared, 'x.csv'), '--force')).code).toBe(0)
    },
  )

  it.skipIf(process.platform === 'win32')('says what a name is that no file can have', async () => {
    mkdirSync(path('folder.csv'))
    const socket = createServer().listen(path('socket'))
    await once(socket, 'listening')
    const session = String(store.sessions[0])
    const commands = [['export', '-f', 'crypto/XT'], ['sessions', '--session', session], ['journal']]
    const refusals = async (out: string) => {
      const found = []
      for (const args of commands)
        for (const force of [[], ['--force']]) {
          const context = commandContext({ dataDir: store.path })
          const code = await runCommandLine([...args, '--store', store.file, '--out', out, ...force], context)
          found.push([code, context.errors()])
        }
      return found
    }
    const all = (code: number, sentence: string) => Array.from({ length: 6 }, () => [code, `tapedeck: ${sentence}\n`])
    const folder = path('folder.csv')
    expect(await refusals(folder)).toEqual(all(2, `${folder} is a folder. Name a file in it.`))
    expect(await refusals(path('socket'))).toEqual(
      all(2, `${path('socket')} is a socket, not a file. Enter a file name.`),
    )
    const long = path(`${'ä'.repeat(125)}.csv`)
    expect(await refusals(long)).toEqual(all(1, `Couldn’t write ${long}: its name is too long.`))
    const inFile = path('tapedeck.db/x.csv')
    expect(await refusals(inFile)).toEqual(all(1, `Couldn’t write ${inFile}: a part of its path isn’t a folder.`))
    const { code, err } = await exported('--out', `${path('new')}/`)
    expect([code, err, existsSync(path('new'))]).toEqual([
      2,
      `tapedeck: ${path('new')}/ names a folder. Name a file in it.\n`,
      false,
    ])
    socket.close()
  })

  it('of a session as a file never replaces another without --force', async () => {
    const [session] = store.sessions
    writeFileSync(path('day.tapedeck'), 'good\n')
    const packed = async (...more: string[]) => {
      const context = commandContext({ dataDir: store.path })
      const args = ['sessions', '--session', session, '--out', path('day.tapedeck'), '--store', store.file, ...more]
      return { code: await runCommandLine(args, context), err: context.errors() }
    }
    expect(await packed()).toMatchObject({ code: 2, err: expect.stringContaining('already exists') as string })
    expect(readFileSync(path('day.tapedeck'), 'utf8')).toBe('good\n')
    expect((await packed('--force')).code).toBe(0)
  })
})

it.each([
  ['a.csv', 'csv'],
  ['A.CSV', 'csv'],
  ['a.b.parquet', 'parquet'],
  ['a.jsonl', 'jsonl'],
  ['a.ndjson', 'jsonl'],
  ['a.TSV', 'csv'],
  ['parquet', undefined],
  ['a.txt', undefined],
] as const)('the ending of %s names %s', (name, format) => {
  expect(formatOfName(name)).toBe(format)
})
