/** Exports for Excel: local times, decimal signs, and files of no more rows than a sheet has. */
import { exportRequest } from '../../../../../kit/export.ts'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prepareBarFiles } from '../../../../../../src/main/features/export/bars.ts'
import { commitPrepared } from '../../../../../../src/main/features/export/prepare.ts'
import { wholePart } from '../../../../../../src/main/features/export/run.ts'
import { SHEET_ROWS } from '../../../../../../src/main/features/export/rows/sheet.ts'
import { prepareTickFiles } from '../../../../../../src/main/features/export/ticks.ts'
import { runCommandLine } from '../../../../../../src/main/hosts/cli/run.ts'
import { tradeText } from '../../../../../kit/market.ts'
import { T0, type Item } from '../../../core/store/harness.ts'
import { commandContext } from '../../../hosts/cli/context.ts'
import { recorded, type RecordedStore } from '../recorded.ts'

let store: RecordedStore
beforeAll(async () => {
  const trade = (i: number): Item => ({
    conn: 1,
    data: tradeText('BTC-USD', `${100 + i}.50`, '1e-05', T0 + i * 60_000),
    recvMs: T0 + i * 60_000 + 1,
  })
  const control = { conn: 1, data: '{"type":"subscribed","tickers":["BTC-USD"]}', flags: 4, recvMs: T0 + 400_000 }
  store = await recorded([[trade(0), trade(1), trade(2), trade(3), control]])
})
afterAll(() => store.close())

const path = (name: string): string => join(store.path, name)
async function exported(...args: string[]) {
  const context = commandContext({ dataDir: store.path })
  const code = await runCommandLine(['export', '--store', store.file, '-f', 'crypto/XT', ...args], context)
  return { code, err: context.errors() }
}
const linesOf = (name: string): string[] => readFileSync(path(name), 'utf8').trimEnd().split('\n')

describe('a preset for Excel', () => {
  it('with commas has a byte order mark, local times without a T, and a manifest with their zone', async () => {
    const newYork = ['--preset', 'Excel (comma)', '--zone', 'America/New_York', '-o', path('us.csv')]
    expect(await exported(...newYork)).toEqual({ code: 0, err: '' })
    const [head, first] = linesOf('us.csv')
    expect(head).toBe('\ufefffeed,symbol,event_time,recv_time,event_ms,recv_ms,seq,price,size')
    expect(first).toBe(
      `crypto/XT,BTC-USD,2026-01-05 05:00:00.000,2026-01-05 05:00:00.001,${T0},${T0 + 1},1,100.50,1e-05`,
    )
    const manifest: unknown = JSON.parse(readFileSync(path('us.csv.manifest.json'), 'utf8'))
    expect(manifest).toMatchObject({ zone: 'America/New_York', rows: 4 })
  })

  it('with semicolons has decimal commas, also in bars', async () => {
    const berlin = ['--preset', 'Excel (semicolon)', '--zone', 'Europe/Berlin']
    expect(await exported(...berlin, '-o', path('de.csv'))).toMatchObject({ code: 0 })
    expect(linesOf('de.csv')[1]).toBe(
      `crypto/XT;BTC-USD;2026-01-05 11:00:00,000;2026-01-05 11:00:00,001;${T0};${T0 + 1};1;100,50;1e-05`,
    )
    expect(await exported(...berlin, '--what', 'bars', '-o', path('de-bars.csv'))).toMatchObject({ code: 0 })
    expect(linesOf('de-bars.csv')[1]).toMatch(
      /^crypto\/XT;BTC-USD;1m;trade;2026-01-05 11:00:00,000;\d+;\d+;100,5;100,5;100,5;100,5;0,00001;100,5;1;/,
    )
  })

  it.each([
    [['-o', '-'], 2, 'a spreadsheet needs files'],
    [['--schema', '1', '-o', 'z.csv'], 2, 'CSV of schema 2 only'],
    [['--zone', 'Mars/Olympus', '-o', 'z.csv'], 2, 'No such time zone'],
    [['--preset', 'Exel', '-o', 'z.csv'], 2, 'Built in: Excel (comma), Excel (semicolon).'],
    [['--format', 'parquet', '-o', 'z.parquet'], 2, 'has the extension of parquet'],
  ])('with %j ends with %i', async (args, code, message) => {
    const named = args.map((arg) => (arg.startsWith('z.') ? path(arg) : arg))
    const done = await exported('--preset', 'Excel (comma)', ...named)
    // An explicit format outranks the preset's, which then leaves out what is only for CSV.
    expect(done.code).toBe(args.includes('parquet') ? 0 : code)
    if (!args.includes('parquet')) expect(done.err).toContain(message)
    else
      expect(done.err).toContain(
        'not applied from the preset: byte order mark (CSV only), spreadsheet times (CSV only)',
      )
    expect(existsSync(path('z.csv'))).toBe(false)
  })
})

describe('more rows than a sheet has', () => {
  const part = (what: 'ticks' | 'bars', out: string) =>
    wholePart({ ...exportRequest({ what }), schema: 2, sheet: { zone: 'UTC' } }, path(out))

  it('are the rows of Excel, header included', () => {
    expect(SHEET_ROWS + 1).toBe(1_048_576)
    expect(part('ticks', 'x.csv').options.maxRows).toBe(SHEET_ROWS)
  })

  it.each([1, 2, 3, 4, 5])('become files of %i rows, none lost, none twice, none empty', async (maxRows) => {
    for (const what of ['ticks', 'bars'] as const) {
      const one = part(what, `${what}-${maxRows}.csv`)
      const prepared =
        one.what === 'ticks'
          ? await prepareTickFiles(store.reader, { ...one.options, maxRows })
          : await prepareBarFiles(store.reader, { ...one.options, maxRows })
      const files = []
      for (const file of prepared) files.push(await commitPrepared(file))
      expect(files.map(({ rows }) => rows)).toEqual(
        Array.from({ length: Math.ceil(4 / maxRows) }, (_, i) => Math.min(maxRows, 4 - i * maxRows)),
      )
      const rows = files.flatMap((file) => readFileSync(file.path, 'utf8').trimEnd().split('\n').slice(1))
      expect(new Set(rows).size).toBe(4)
      expect(files[1]?.path.endsWith(`${what}-${maxRows}.2.csv`) ?? true).toBe(true)
    }
  })
})
