import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { createDateFormat } from '../../../../../src/main/features/import/date-format.ts'
import { previewFile } from '../../../../../src/main/features/import/file.ts'
import { createTimeReader } from '../../../../../src/main/features/import/times.ts'
import { CALLS } from '../../../../../src/shared/contracts.ts'
import { COMMON_DATE_FORMATS } from '../../../../../src/shared/features/import/date-formats.ts'
import { commandContext } from '../../hosts/cli/context.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'

const NEW_YORK = 'America/New_York'

describe('local times of a zone', () => {
  it.each([
    [NEW_YORK, '2026-03-08 01:59:59', Date.UTC(2026, 2, 8, 6, 59, 59)],
    [NEW_YORK, '2026-03-08 02:00:00', 'skipped'],
    [NEW_YORK, '2026-03-08 02:59:59.999', 'skipped'],
    [NEW_YORK, '2026-03-08 03:00:00', Date.UTC(2026, 2, 8, 7)],
    [NEW_YORK, '2026-11-01 00:59:59', Date.UTC(2026, 10, 1, 4, 59, 59)],
    [NEW_YORK, '2026-11-01 01:00:00', 'repeated'],
    [NEW_YORK, '2026-11-01 01:59:59', 'repeated'],
    [NEW_YORK, '2026-11-01 02:00:00', Date.UTC(2026, 10, 1, 7)],
    ['Europe/Berlin', '2026-03-29 02:30', 'skipped'],
    ['Europe/Berlin', '2026-10-25 02:30', 'repeated'],
    ['Australia/Lord_Howe', '2026-04-05 01:45', 'repeated'], // half an hour
    ['Pacific/Apia', '2011-12-30 12:00', 'skipped'], // a whole day
    ['Asia/Kathmandu', '2026-06-01 00:00', Date.UTC(2026, 4, 31, 18, 15)],
    ['UTC', '2026-03-29 02:30', Date.UTC(2026, 2, 29, 2, 30)],
    [NEW_YORK, '2026-11-01T01:30:00-05:00', Date.UTC(2026, 10, 1, 6, 30)], // names its offset
    [NEW_YORK, '2026-02-30 12:00', 'none'],
  ] as const)('in %s %s is %s', (zone, text, expected) => {
    expect(createTimeReader({ zone })(text)).toBe(expected)
  })

  it('that are repeated are the instant that is chosen', () => {
    const read = (repeated: 'first' | 'second') => createTimeReader({ zone: NEW_YORK, repeated })('2026-11-01 01:30')
    expect([read('first'), read('second')]).toEqual([Date.UTC(2026, 10, 1, 5, 30), Date.UTC(2026, 10, 1, 6, 30)])
    expect(createTimeReader({ zone: NEW_YORK, repeated: 'first' })('2026-03-08 02:30')).toBe('skipped')
  })

  it('give back the instant they were written at, or say that they have two', () => {
    const zones = [NEW_YORK, 'Europe/Berlin', 'Australia/Lord_Howe', 'America/St_Johns', 'Africa/Casablanca']
    for (const zone of zones) {
      const [first, second] = (['first', 'second'] as const).map((repeated) => createTimeReader({ zone, repeated }))
      const plain = createTimeReader({ zone })
      fc.assert(
        fc.property(fc.integer({ min: Date.UTC(2010) / 60_000, max: Date.UTC(2030) / 60_000 }), (minute) => {
          const ms = minute * 60_000
          const wall = new Date(ms).toLocaleString('sv-SE', { timeZone: zone })
          const both = [first?.(wall), second?.(wall)]
          expect(both).toContain(ms)
          expect(plain(wall)).toBe(both[0] === both[1] ? ms : 'repeated')
        }),
        { numRuns: 200, examples: [[Date.UTC(2026, 9, 25, 0, 30) / 60_000], [Date.UTC(2026, 10, 1, 5, 30) / 60_000]] },
      )
    }
  })
})

describe('a format of times', () => {
  it.each([
    ['DD.MM.YYYY HH:mm:ss', '05.01.2026 09:30:15', Date.UTC(2026, 0, 5, 9, 30, 15), false],
    ['D.M.YYYY', '5.1.2026', Date.UTC(2026, 0, 5), false],
    ['MM/DD/YYYY hh:mm:ss A', '01/05/2026 12:00:00 AM', Date.UTC(2026, 0, 5), false],
    ['MM/DD/YYYY h:mm A', '01/05/2026 12:30 pm', Date.UTC(2026, 0, 5, 12, 30), false],
    ['YYYYMMDD HHmmssSSS', '20260105 093015042', Date.UTC(2026, 0, 5, 9, 30, 15, 42), false],
    ['DD MMM YYYY HH:mm', '05 Jan 2026 09:30', Date.UTC(2026, 0, 5, 9, 30), false],
    ['YYYY-MM-DDTHH:mm:ss.SZ', '2026-01-05T09:30:15.5+02:00', Date.UTC(2026, 0, 5, 7, 30, 15, 500), true],
    ['YYYY-MM-DD HH:mmZ', '2026-01-05 09:30Z', Date.UTC(2026, 0, 5, 9, 30), true],
  ])('%s reads %s', (format, text, ms, zoned) => {
    expect(createDateFormat(format)(text)).toEqual({ ms, zoned })
  })

  it.each([
    ['DD.MM.YYYY', '31.02.2026'],
    ['DD.MM.YYYY', '2026-01-05'],
    ['DD.MM.YYYY', '05.01.2026 '],
    ['DD.MM.YYYY', '05x01x2026'],
    ['DD.MM.YYYY HH:mm', '05.01.2026 24:00'],
    ['DD MMM YYYY', '05 Foo 2026'],
    ['MM/DD/YYYY hh:mm A', '01/05/2026 13:00 PM'],
  ])('%s refuses %s', (format, text) => {
    expect(createDateFormat(format)(text)).toBeUndefined()
  })

  it.each(['HH:mm', 'YYYY-MM', 'YYYY-MM-DD QQ', 'YYYY-MM-DD MM', 'YYYY-MM-DD hh:mm', 'YYYY-MM-DD HH A', ''])(
    '%j is none',
    (format) => {
      expect(() => createDateFormat(format)).toThrow('isn’t a valid time format')
    },
  )

  it.each(COMMON_DATE_FORMATS)('that is offered, $format, reads $example as the instant of all of them', (one) => {
    expect(createDateFormat(one.format)(one.example)).toEqual({ ms: Date.UTC(2026, 11, 31, 14, 30, 15), zoned: false })
  })

  it('that is offered is read by the preview that the dialog asks for', async () => {
    const folder = makeStoreFolder()
    for (const { format, example } of COMMON_DATE_FORMATS) {
      const path = join(folder.path, 'bank.csv')
      writeFileSync(path, `time,symbol,price\n${example},SAP,100\n`)
      const columns = ['time', 'symbol', 'price'] as const
      const asked = { file: 'f', mapping: { columns, feed: 'stocks/T', zone: 'UTC', symbol: '', dateFormat: format } }
      const { mapping } = v.parse(CALLS['import.preview'].args, asked)
      const input = { path, name: 'bank.csv', bytes: 0 }
      expect(await previewFile(input, mapping)).toMatchObject({ mapping: { dateFormat: format }, problems: [] })
      const detected = mapping === null ? null : { ...mapping, dateFormat: undefined }
      const { problems } = await previewFile(input, detected)
      if (!format.startsWith('YYYY')) expect(problems).toMatchObject([{ line: 2, text: `"${example}" isn’t a time` }])
    }
    folder.remove()
  })

  it('reads back what it would write', () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(2001), max: Date.UTC(2099) }), (ms) => {
        const [date = '', time = ''] = new Date(ms).toISOString().slice(0, -1).split('T')
        const text = `${date.split('-').reverse().join('/')} ${time}`
        expect(createDateFormat('DD/MM/YYYY HH:mm:ss.SSS')(text)).toEqual({ ms, zoned: false })
      }),
    )
  })
})

describe('an import of local times', () => {
  const imported = async (rows: string, ...args: string[]) => {
    const folder = makeStoreFolder()
    const file = join(folder.path, 'bank.csv')
    writeFileSync(file, `when,price,size\n${rows}`)
    const table = ['--feed', 'stocks/T', '--symbol', 'SAP', '--zone', 'Europe/Berlin', '--map', 'when=time']
    const context = commandContext({ dataDir: folder.path })
    const code = await runCommandLine(['import', file, '--store', folder.file, '--json', ...table, ...args], context)
    const listed = commandContext({ dataDir: folder.path })
    await runCommandLine(['sessions', '--store', folder.file, '--json'], listed)
    folder.remove()
    const [session] = listed.output().split('\n').filter(Boolean)
    const started = session === undefined ? null : (JSON.parse(session) as { started: string }).started
    return { code, err: context.errors(), started }
  }

  it('refuses the whole table at a repeated time, before anything is written, until one is chosen', async () => {
    const rows = '2026-10-25 02:30:00,100,1\n'
    const refused = await imported(rows)
    expect(refused).toMatchObject({ code: 2, started: null })
    expect(refused.err).toContain('Line 2: "2026-10-25 02:30:00" occurred twice in Europe/Berlin')
    expect(refused.err).toContain('--repeated first or --repeated second')
    expect(await imported(rows, '--repeated', 'first')).toMatchObject({ code: 0, started: '2026-10-25T00:30:00.000Z' })
    expect(await imported(rows, '--repeated', 'second')).toMatchObject({ code: 0, started: '2026-10-25T01:30:00.000Z' })
    expect((await imported(rows, '--repeated', 'both')).code).toBe(2)
  })

  it('leaves a line out whose time never was, and says so', async () => {
    const { code, err, started } = await imported('2026-03-29 02:30:00,100,1\n2026-03-29 03:30:00,101,1\n')
    expect([code, started]).toEqual([0, '2026-03-29T01:30:00.000Z'])
    expect(err).toContain('line 2: "2026-03-29 02:30:00" never occurred in Europe/Berlin')
    expect(err).toContain('skipped 1 line')
  })

  it('reads its times as --date-format says', async () => {
    const { code, err, started } = await imported('05.01.2026 09:30:00,100,1\n', '--date-format', 'DD.MM.YYYY HH:mm:ss')
    expect([code, err, started]).toEqual([0, '', '2026-01-05T08:30:00.000Z'])
    expect((await imported('x,1,1\n', '--date-format', 'HH:mm')).err).toContain('isn’t a valid time format')
  })
})
