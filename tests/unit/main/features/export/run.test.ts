import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { estimateExport } from '../../../../../src/main/features/export/estimate.ts'
import { nameOfSymbol, partPath } from '../../../../../src/main/features/export/names.ts'
import { runExport } from '../../../../../src/main/features/export/run.ts'
import { createExports } from '../../../../../src/main/features/export/export-jobs.ts'
import { createJobs, type Jobs } from '../../../../../src/main/core/jobs/jobs.ts'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { FEATURE_SETTINGS } from '../../../../kit/settings.ts'
import { createSettingsStore, settingsFile } from '../../../../../src/main/core/settings/settings.ts'
import type { ExportDone } from '../../../../../src/shared/features/export/export.ts'
import type { JobState } from '../../../../../src/shared/core/jobs/jobs.ts'
import type { SessionId } from '../../../../../src/shared/base/units.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { tradeText } from '../../../../kit/market.ts'
import { recorded, type RecordedStore } from './recorded.ts'
import { commandContext } from '../../hosts/cli/context.ts'
import { exportRequest as request } from '../../../../kit/export.ts'

const DAY = 86_400_000
const HOSTILE = '../../=cmd|,"x'
const items = (day: number): Item[] =>
  ['BTC-USD', 'ETH-USD', HOSTILE].flatMap((symbol, i) => ({
    conn: 1,
    data: tradeText(JSON.stringify(symbol).slice(1, -1), 100 + i, '0.50', T0 + day * DAY + i),
    recvMs: T0 + day * DAY + i,
  }))

let store: RecordedStore
beforeEach(async () => {
  store = await recorded([
    [...items(0), { conn: 1, data: '{"type":"subscribed","tickers":["BTC-USD"]}', flags: 4 }, ...items(1)],
  ])
})
afterEach(() => store.close())

const out = (name = 'out.csv') => join(store.path, name)
const files = async () => (await readdir(store.path)).filter((name) => !name.startsWith('tapedeck.db')).sort()

/** Ends a job and answers how. */
async function ended(jobs: Jobs, id: string): Promise<JobState['outcome']> {
  await jobs.close()
  let found: JobState['outcome'] | undefined
  const stream = jobs.streams.open(() => undefined)
  for (const job of stream.take() ?? []) if (job.id === id) found = job.outcome
  stream.close()
  if (found === undefined) throw new Error('no such job')
  return found
}

describe('the same from window and command line', () => {
  it.each([
    ['ticks as CSV', {}, []],
    ['with everything', { raw: true, bom: true, separator: ';' as const }, ['--raw', '--bom', '--separator', ';']],
    ['Parquet', { format: 'parquet' as const }, ['--format', 'parquet']],
    ['JSON Lines', { format: 'jsonl' as const }, ['--format', 'jsonl']],
    ['messages as JSON Lines', { format: 'jsonl' as const, raw: true }, ['--format', 'jsonl', '--raw']],
    [
      'bars as JSON Lines',
      { what: 'bars' as const, format: 'jsonl' as const },
      ['--what', 'bars', '--format', 'jsonl'],
    ],
    ['ticks of schema 1', { schema: 1 as const }, ['--schema', '1']],
    ['bars', { what: 'bars' as const, interval: '1h' as const }, ['--what', 'bars', '--interval', '1h']],
    [
      'extended bars',
      { what: 'bars' as const, schema: 1 as const, extended: true },
      ['--what', 'bars', '--schema', '1', '--extended'],
    ],
    [
      'bars below a second',
      { what: 'bars' as const, interval: '100ms' as const },
      ['--what', 'bars', '--interval', '100ms'],
    ],
  ])('%s', async (_, more, args) => {
    const jobs = createJobs(() => T0)
    const exports = createExports({ reader: store.reader, jobs, home: store.path, dataDir: makeFolder() })
    const id = await exports.start({
      request: request({ schema: 2, ...more }),
      folder: store.path,
      name: 'window',
      replace: false,
    })
    await new Promise<void>((resolve) => {
      const stream = jobs.streams.open(() => {
        if (stream.take()?.some((job) => job.outcome.is !== 'running')) resolve()
      })
    })
    const outcome = await ended(jobs, id)
    const done = (outcome.is === 'done' ? outcome.result : null) as ExportDone // as `export.start` says
    const context = commandContext({ dataDir: store.path })
    const code = await runCommandLine(
      ['export', '--feed', 'crypto/XT', '--store', store.file, '--out', out('line'), '--json', ...args],
      context,
    )
    expect([code, context.errors()]).toEqual([0, ''])
    const { sha256, rows } = JSON.parse(context.output()) as ExportDone
    expect({ sha256, rows }).toEqual({ sha256: done.sha256, rows: done.rows })
    expect(rows).toBeGreaterThan(0)
  })
})

describe('a chosen few sessions', () => {
  let three: RecordedStore
  const HOUR = 3_600_000
  const prints = (hour: number): Item[] =>
    [0, 1].map((i) => ({
      conn: 1,
      data: tradeText('BTC-USD', 100 + hour * 10 + i, 1, T0 + hour * HOUR + i),
      recvMs: T0 + hour * HOUR + i,
    }))
  beforeEach(async () => {
    three = await recorded([prints(0), prints(1), prints(2)])
  })
  afterEach(() => three.close())
  const manifestOf = async (path: string) =>
    JSON.parse(await readFile(path, 'utf8')) as { sessions: string[]; rows: number; ledger_head: string } // as written

  it('are one file, the rows of each and of no other, listed in the manifest', async () => {
    const [a, b, c] = three.sessions
    const of = async (sessions: readonly SessionId[]) => {
      const done = await runExport(three.reader, request({ sessions }), out(`${sessions.length}${sessions[0]}.csv`))
      const [head = '', ...rows] = (await readFile(done.files[0]?.path ?? '', 'utf8')).trimEnd().split('\n')
      return { head, rows, manifest: await manifestOf(done.manifest ?? '') }
    }
    const [first, last, both] = [await of([a]), await of([c]), await of([c, a])]
    expect(both.rows).toEqual([...first.rows, ...last.rows])
    expect(both.manifest).toMatchObject({ sessions: [a, c], rows: 4 })
    expect((await of([a, b, c])).rows).toHaveLength(6)
    await expect(of([a, 'r9'.padEnd(12, 'x') as SessionId])).rejects.toMatchObject({ code: 'not-found' })
  })

  it('give bars of what they hold alone, incomplete where their reception ends', async () => {
    const [a, , c] = three.sessions
    const bars = async (sessions: readonly SessionId[], interval: '1h' | '1D') => {
      const done = await runExport(three.reader, request({ what: 'bars', interval, sessions }), out('bars.csv'))
      const lines = (await readFile(done.files[0]?.path ?? '', 'utf8')).trimEnd().split('\n').slice(1)
      return lines.map((line) => line.split(',')).map((row) => [row[3], row[6], row[8], row[9]].join(' '))
    }
    expect(await bars([a, c], '1h')).toEqual(['100 101 2 false', '120 121 2 false'])
    expect(await bars([a, c], '1D')).toEqual(['100 121 4 false'])
    expect(await bars([], '1D')).toEqual(['100 121 6 false'])
    const estimate = await estimateExport(three.reader, request({ sessions: [a, c] }))
    expect(estimate.rows).toBe(4)
  })

  it('are the same from the command line', async () => {
    const [a, , c] = three.sessions
    const window = await runExport(three.reader, request({ schema: 2, sessions: [a, c] }), out('window.csv'))
    const context = commandContext({ dataDir: store.path })
    const args = ['--store', three.file, '--session', c, '--session', a, '--out', out('line.csv'), '--json']
    expect(await runCommandLine(['export', '--feed', 'crypto/XT', ...args], context)).toBe(0)
    const line = JSON.parse(context.output()) as ExportDone
    expect(line.sha256).toBe(window.sha256)
    expect(await manifestOf(line.manifest ?? '')).toEqual(await manifestOf(window.manifest ?? ''))
  })
})

describe('splitting', () => {
  it('gives each symbol a file, by a name that is no path', async () => {
    const done = await runExport(store.reader, request({ split: 'symbol' }), out())
    const names = done.files.map(({ path }) => path.slice(store.path.length + 1))
    expect(names.slice(1)).toEqual(['out.BTC-USD.csv', 'out.ETH-USD.csv'])
    expect(names[0]).toMatch(/^out\.[A-Za-z0-9_-]+-[0-9a-f]{8}\.csv$/)
    expect(await files()).toEqual([...names, ...names.map((name) => `${name}.manifest.json`)].sort())
    expect(done).toMatchObject({ rows: 6, sha256: null, manifest: null })
    const whole = (await runExport(store.reader, request({ symbols: ['ETHUSD'] }), out('eth.csv'))).sha256
    expect(done.files[2]?.sha256).toBe(whole)
  })

  it('gives each UTC day a file that an export of that day equals', async () => {
    const done = await runExport(store.reader, request({ split: 'day' }), out())
    const names = done.files.map(({ path }) => path.slice(store.path.length + 1))
    expect(names).toEqual(['out.2026-01-05.csv', 'out.2026-01-06.csv'])
    const from = Math.floor(T0 / DAY) * DAY + DAY
    const one = await runExport(store.reader, request({ fromMs: from, toMs: from + DAY }), out('one.csv'))
    expect(one.rows).toBe(3)
    expect(done.files[1]?.sha256).toBe(one.sha256)
  })

  it('keeps what names no symbol in a file of its own, as JSON Lines', async () => {
    const done = await runExport(store.reader, request({ split: 'symbol', format: 'jsonl' }), out('out.jsonl'))
    const other = done.files.find(({ path }) => path.endsWith('out._other.jsonl'))
    expect(other?.rows).toBe(1)
    expect(done.rows).toBe(7)
    expect(await readFile(other?.path ?? '', 'utf8')).toContain('subscribed')
  })

  it('splits bars by day too', async () => {
    const done = await runExport(store.reader, request({ what: 'bars', interval: '1h', split: 'day' }), out())
    expect(done.files.map(({ rows }) => rows)).toEqual([3, 3])
  })

  it('never makes a path of a symbol, nor one name of two', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'binary', minLength: 1 }), { maxLength: 20 }), (symbols) => {
        const names = symbols.map(nameOfSymbol)
        for (const name of names) {
          expect(name).toMatch(/^[A-Za-z0-9._-]+$/)
          expect(name).not.toMatch(/\.\.|^[._]|\.$/)
          expect(name.length).toBeLessThanOrEqual(49)
          expect(partPath('/a/b/c.csv', name)).toBe(`/a/b/c.${name}.csv`)
        }
        expect(new Set(names).size).toBe(symbols.length)
      }),
    )
  })
})

describe('what goes wrong', () => {
  it('refuses what cannot be combined before anything is written', async () => {
    await expect(runExport(store.reader, request({ what: 'bars', format: 'jsonl' }), out())).rejects.toMatchObject({
      code: 'usage',
    })
    await expect(runExport(store.reader, request({ fromMs: 2, toMs: 1 }), out())).rejects.toMatchObject({
      code: 'usage',
    })
    await expect(
      runExport(store.reader, request({ what: 'bars', feed: 'forex/C', of: 'trade' }), out()),
    ).rejects.toMatchObject({ code: 'usage' })
    expect(await files()).toEqual([])
  })

  it('leaves nothing of a split that is cancelled after its first file', async () => {
    const stop = new AbortController()
    const watch = { signal: stop.signal, onProgress: ({ rows }: { rows: number }) => rows >= 4 && stop.abort() }
    await expect(runExport(store.reader, request({ split: 'symbol' }), out(), watch)).rejects.toMatchObject({
      code: 'cancelled',
    })
    expect(await files()).toEqual([])
  })

  it('doesn’t overwrite a file unless the user chose to replace it', async () => {
    await writeFile(out('mine.csv'), 'mine')
    const exports = createExports({
      reader: store.reader,
      jobs: createJobs(() => T0),
      home: store.path,
      dataDir: store.path,
    })
    const args = { request: request(), folder: store.path, name: 'mine', replace: false }
    expect(await exports.estimate(args)).toMatchObject({ rows: 6, files: 1, exists: true })
    await expect(exports.start(args)).rejects.toMatchObject({ code: 'usage' })
    expect(await readFile(out('mine.csv'), 'utf8')).toBe('mine')
  })

  it.each([
    '../up.csv',
    '/etc/x',
    '.hidden',
    'a\\b',
    'a/b',
    '..',
    '',
    'con:',
    'nul\0',
    'dot.',
    'con',
    'LPT1.csv',
    'a\u202evsc',
  ])('takes %j for no name of a file', async (name) => {
    const exports = createExports({
      reader: store.reader,
      jobs: createJobs(() => T0),
      home: store.path,
      dataDir: store.path,
    })
    const start = exports.start({ request: request(), folder: store.path, name, replace: true })
    await expect(start).rejects.toMatchObject({ code: 'usage' })
  })

  it('names the folder that is not there', async () => {
    const exports = createExports({
      reader: store.reader,
      jobs: createJobs(() => T0),
      home: store.path,
      dataDir: store.path,
    })
    const start = exports.start({ request: request(), folder: '/no/such/folder', name: 'a', replace: true })
    await expect(start).rejects.toMatchObject({ code: 'not-found' })
    expect(await exports.defaults()).toEqual({ folder: store.path, canChoose: false })
    expect(() => exports.choose('/')).toThrow('can’t show a folder')
  })
})

describe('the estimate', () => {
  it.each(['csv', 'jsonl', 'parquet'] as const)(
    'has the exact rows and nearly the bytes of a %s file',
    async (format) => {
      const told = await estimateExport(store.reader, request({ format }))
      const done = await runExport(store.reader, request({ format }), out())
      expect(told.rows).toBe(done.rows)
      expect(Math.abs(told.bytes - done.bytes)).toBeLessThanOrEqual(done.bytes * 0.02)
    },
  )

  it('files of a split, bars at most, and a range by its share', async () => {
    expect(await estimateExport(store.reader, request({ split: 'symbol' }))).toMatchObject({ files: 3 })
    expect(await estimateExport(store.reader, request({ split: 'day' }))).toMatchObject({ files: 2 })
    const bars = await estimateExport(store.reader, request({ what: 'bars', interval: '1D' }))
    expect(bars.rows).toBe(6)
    const none = await estimateExport(store.reader, request({ fromMs: T0 + 9 * DAY }))
    expect(none).toEqual({ rows: 0, bytes: 0, files: 1 })
  })
})

describe('presets', () => {
  const saved = () => {
    const settings = createSettingsStore(settingsFile(store.path), FEATURE_SETTINGS)
    settings.set({
      exports: { presets: [{ name: 'Excel', feed: 'crypto/XT', bom: true, separator: ';', symbols: ['BTC-USD'] }] },
    })
  }
  const line = async (...args: string[]) => {
    const context = commandContext({ dataDir: store.path })
    const code = await runCommandLine(['export', '--store', store.file, '--out', out(), '--json', ...args], context)
    return { code, errors: context.errors() }
  }

  it('fills in what the command line does not say', async () => {
    saved()
    expect(await line('--preset', 'Excel')).toEqual({ code: 0, errors: '' })
    expect((await readFile(out(), 'utf8')).split('\n')[0]).toBe(
      '\ufefffeed;symbol;event_ms;event_iso;recv_ms;recv_iso;seq;p;s',
    )
    expect(await line('--preset', 'Excel', '--separator', 'tab', '--force')).toEqual({ code: 0, errors: '' })
    expect((await readFile(out(), 'utf8')).split('\n')[1]).toMatch(/^crypto\/XT\tBTC-USD\t/)
  })

  it('brings its extended columns, unless ticks are asked for', async () => {
    const bars = { what: 'bars' as const, interval: '1h' as const, extended: true }
    createSettingsStore(settingsFile(store.path), FEATURE_SETTINGS).set({
      exports: { presets: [{ name: 'VWAP', feed: 'crypto/XT', ...bars }] },
    })
    expect(await line('--preset', 'VWAP')).toEqual({ code: 0, errors: '' })
    expect((await readFile(out(), 'utf8')).split('\n')[0]).toMatch(/,of,feed,end_ms,end_iso,vwap$/)
    expect(JSON.parse(await readFile(`${out()}.manifest.json`, 'utf8'))).toMatchObject({
      schema: 'tapedeck/bars/1+extended',
    })
    expect(await line('--preset', 'VWAP', '--what', 'ticks', '--force')).toEqual({
      code: 0,
      errors: 'tapedeck: not applied from the preset: extended columns (bars only)\n',
    })
    expect((await readFile(out(), 'utf8')).split('\n')[0]).toMatch(/^feed,symbol,event_ms/)
  })

  it('lists what there is where one is not known', async () => {
    saved()
    const { code, errors } = await line('--preset', 'excel')
    expect(code).toBe(2)
    expect(errors).toContain('Saved presets: Excel.')
    expect(existsSync(out())).toBe(false)
  })
})
