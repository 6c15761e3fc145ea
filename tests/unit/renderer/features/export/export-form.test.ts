import { describe, expect, it } from 'vitest'
import {
  endingOf,
  formProblem,
  instantText,
  nameOf,
  nameProblem,
  exportSources,
  openForm,
  presetOf,
  requestOf,
  symbolsOf,
  withPreset,
} from '../../../../../src/renderer/features/export/export-form.ts'
import { barsCsv, quotesCsv } from '../../../../../src/renderer/text/table-csv.ts'
import { lengthText, progressText } from '../../../../../src/renderer/core/jobs/job-labels.ts'
import { base64Of, sendFile } from '../../../../../src/renderer/features/import/send-file.ts'
import { parseTimeEntry } from '../../../../../src/renderer/text/time-entry.ts'
import { NumberText } from '../../../../../src/renderer/text/format.ts'
import { CALLS, type CallName } from '../../../../../src/shared/contracts.ts'
import { FILE_PIECE } from '../../../../../src/shared/features/import/contract.ts'
import type { JobState } from '../../../../../src/shared/core/jobs/jobs.ts'
import type { SessionRow } from '../../../../../src/shared/core/recording/session.ts'
import { CodedError } from '../../../../../src/shared/base/errors.ts'
import { sessionId, unixMs } from '../../../../../src/shared/base/units.ts'
import { makeBar, makeQuoteRow, makeSession } from '../../../../kit/market.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import * as v from 'valibot'

const session = (id: string, source: string, startedMs: number): SessionRow =>
  makeSession(id, { source, startedMs: unixMs(startedMs) })
const sessions = [session('a', 'demo', 1), session('b', 'import:x@y', 2)]
const T = Date.UTC(2026, 0, 5)

describe('the form of an export', () => {
  it('begins with the newest source that is no import, or with the session it was opened of', () => {
    expect(openForm({}, sessions, 'crypto').scope).toBe('source:demo')
    expect(openForm({}, [], 'crypto').scope).toBe('source:demo')
    const form = openForm({ sessions: [sessionId('b')], symbols: ['A', 'B'] }, sessions, 'forex')
    expect(form).toMatchObject({ scope: 'session:b', symbols: 'A, B', feed: 'forex/C', of: 'mid' })
    expect(requestOf(form, sessions)).toMatchObject({ sessions: ['b'], source: null, symbols: ['A', 'B'] })
    expect(formProblem(form, requestOf(form, []), [])).toContain('no longer exists')
  })

  it('offers all shards of a team together, first and by default', () => {
    const team = [...sessions, session('c', 'team:1@eu', 3), session('d', 'team:2@eu', 4), session('e', 'team:2@eu', 5)]
    expect(exportSources(team)).toEqual(['team:*@eu', 'demo', 'import:x@y', 'team:1@eu', 'team:2@eu'])
    const form = openForm({}, team, 'crypto')
    expect(form.scope).toBe('source:team:*@eu')
    expect(requestOf(form, team)).toMatchObject({ sessions: [], source: 'team:*@eu' })
    expect(formProblem(form, requestOf(form, team), team)).toBe(null)
    const oneShard = team.slice(0, 3)
    expect(exportSources(oneShard)).toEqual(['demo', 'import:x@y', 'team:1@eu'])
    expect(openForm({}, oneShard, 'crypto').scope).toBe('source:team:1@eu')
  })

  it('begins with what is being recorded: a terminal that joined a team has a younger session of the demo market', () => {
    const shards = [1, 2].map((n) => ({ ...session(`s${n}`, `team:${n}@eu`, n), endedMs: null }))
    const before = { ...session('d', 'demo', 9), endedMs: unixMs(10) }
    expect(openForm({}, [before, ...shards], 'crypto').scope).toBe('source:team:*@eu')
  })

  it('is of a chosen few, in the order in which they were made, of one source', () => {
    const more = [...sessions, session('c', 'demo', 3)]
    const form = openForm({ sessions: [sessionId('c'), sessionId('a')] }, more, 'crypto')
    expect(form.scope).toBe('few')
    expect(requestOf(form, more)).toMatchObject({ sessions: ['a', 'c'], source: null })
    expect(formProblem(form, requestOf(form, more), more)).toBe(null)
    expect(formProblem(form, requestOf(form, sessions), sessions)).toContain('Some of these')
    const problemOf = (few: readonly string[]) => {
      const changed = { ...form, few }
      return formProblem(changed, requestOf(changed, more), more)
    }
    expect(problemOf([])).toBe('Choose at least one session.')
    expect(problemOf(['a', 'b'])).toContain('different sources')
  })

  it('begins with a range as it can be typed again', () => {
    const form = openForm({ fromMs: T + 1, toMs: T + 3_723_456 }, sessions, 'crypto')
    const typed = [instantText(form.fromMs, 'Europe/Berlin'), instantText(form.toMs, 'UTC'), instantText(null, 'UTC')]
    expect(typed).toEqual(['05 Jan 2026 01:00:00.001', '05 Jan 2026 01:02:03.456', ''])
    const around = { nowMs: T, fromMs: T - 1, toMs: T + 1e9 }
    expect(parseTimeEntry(typed[0] ?? '', { zone: 'Europe/Berlin', ...around })).toEqual({ ok: true, ms: T + 1 })
    expect(parseTimeEntry(typed[1] ?? '', { zone: 'UTC', ...around })).toEqual({ ok: true, ms: T + 3_723_456 })
  })

  it('asks only for what applies, and for what the contract takes', () => {
    const form = {
      ...openForm({}, sessions, 'crypto'),
      bom: true,
      separator: ';' as const,
      raw: true,
      extended: true,
      schema: 1 as const,
    }
    const of = (part: object) => requestOf({ ...form, ...part }, sessions)
    expect(of({})).toMatchObject({ bom: true, separator: ';', raw: true, extended: false, of: null })
    expect(of({ format: 'parquet' })).toMatchObject({ bom: false, separator: ',', raw: true })
    expect(of({ format: 'jsonl' })).toMatchObject({ raw: false })
    expect(of({ format: 'jsonl', schema: 2 })).toMatchObject({ raw: true, schema: 2 })
    expect(of({ what: 'bars', schema: 2 })).toMatchObject({ extended: false, schema: 2 })
    expect(of({ what: 'bars' })).toMatchObject({ raw: false, extended: true, of: 'trade' })
    expect(of({ what: 'bars', format: 'parquet' })).toMatchObject({ extended: true })
    expect(of({ what: 'bars', extended: false })).toMatchObject({ extended: false })
    for (const part of [{}, { format: 'parquet' as const }, { what: 'bars' as const, symbols: 'A B' }]) {
      const args = { request: of(part), folder: null, name: null }
      expect(v.safeParse(CALLS['export.estimate'].args, args).success).toBe(true)
      expect(formProblem({ ...form, ...part }, of(part), sessions)).toBe(null)
    }
    expect(formProblem(form, of({ fromMs: 2, toMs: 1 }), sessions)).toBe('The end must be after the start.')
  })

  it('takes bars of the service from the feed of their interval, whatever feed ticks were chosen of', () => {
    const form = { ...openForm({ feed: 'crypto/XA' }, sessions, 'crypto'), what: 'bars', of: 'service' } as const
    expect(requestOf({ ...form, interval: '1s' }, sessions).feed).toBe('crypto/XAS')
    expect(requestOf({ ...form, feed: 'crypto/XAS', interval: '1m' }, sessions).feed).toBe('crypto/XA')
    expect(requestOf({ ...form, of: 'trade' }, sessions).feed).toBe('crypto/XA')
  })

  it('names the file by what is in it, and takes symbols as they are typed', () => {
    const form = openForm({ symbols: ['BTC-USD'] }, sessions, 'crypto')
    expect(nameOf(form, T)).toBe('BTC-USD-crypto-XT-2026-01-05')
    expect(nameOf({ ...form, what: 'bars', symbols: '../x' }, T)).toBe('.._x-bars-1m-trade-2026-01-05')
    expect(nameOf({ ...form, symbols: 'A,B,C,D' }, T)).toBe('4-symbols-crypto-XT-2026-01-05')
    expect(symbolsOf(' A, B;A\nC ')).toEqual(['A', 'B', 'C'])
  })

  it.each([
    ['a', 'csv', 'none', '.csv'],
    ['a.csv', 'csv', 'none', ''],
    ['a.tsv', 'csv', 'none', ''],
    ['a.tsv', 'csv', 'day', '.DAY.tsv'],
    ['a.tsv', 'parquet', 'none', '.parquet'],
    ['a', 'jsonl', 'symbol', '.SYMBOL.jsonl'],
  ] as const)('shows of %s as %s in files by %s the ending %s', (name, format, split, ending) => {
    expect(endingOf(name, { format, split })).toBe(ending)
  })

  it('takes a .tsv file only with tabs', () => {
    const form = openForm({}, sessions, 'crypto')
    const problemOf = (name: string, part: object) => nameProblem(name, requestOf({ ...form, ...part }, sessions))
    expect(problemOf(' ', {})).toBe('Type a name for the file.')
    expect(problemOf('a.tsv', {})).toContain('A .tsv file is separated by tabs')
    expect(problemOf('a.tsv', { separator: '\t' })).toBe(null)
    expect(problemOf('a.tsv', { format: 'parquet' })).toBe(null) // it becomes a.tsv.parquet
    expect(problemOf('a.csv', { separator: '\t' })).toBe(null)
  })

  it('is a preset and back', () => {
    const form = { ...openForm({ symbols: ['A'] }, sessions, 'forex'), what: 'bars' as const, split: 'day' as const }
    const preset = presetOf('daily', form)
    expect(withPreset(openForm({}, sessions, 'crypto'), preset)).toEqual({ ...form, scope: 'source:demo' })
    const extended = presetOf('more', { ...form, schema: 1, extended: true })
    expect(withPreset(form, extended).extended).toBe(true)
    expect(withPreset({ ...form, extended: true }, preset).extended).toBe(false)
    expect(withPreset(form, { name: 'x', schema: 2, sheet: true })).toMatchObject({ sheet: true })
    expect(requestOf({ ...form, format: 'csv', schema: 2, sheet: true }, [], 'Asia/Tokyo').sheet).toEqual({
      zone: 'Asia/Tokyo',
    })
    expect(requestOf({ ...form, format: 'parquet', schema: 2, sheet: true }, []).sheet).toBe(undefined)
    // Saved before there was another.
    expect(withPreset(form, { name: 'old' }).schema).toBe(1)
  })

  it('saves a preset that the command line can take: without options that do not apply', () => {
    const form = {
      ...openForm({}, sessions, 'crypto'),
      raw: true,
      bom: true,
      separator: ';' as const,
      extended: true,
      schema: 1 as const,
    }
    expect(presetOf('a', { ...form, what: 'bars' })).toMatchObject({ raw: false, extended: true, bom: true })
    expect(presetOf('b', { ...form, format: 'parquet' })).toMatchObject({
      raw: true,
      extended: false,
      bom: false,
      separator: ',',
    })
  })
})

describe('a job in words', () => {
  const numbers = new NumberText('en-US')
  const job: JobState = {
    id: 'job-1',
    kind: 'export',
    title: 'a.csv',
    startedMs: unixMs(0),
    endedMs: null,
    done: 0.25,
    unit: 'rows',
    count: 1_000,
    bytes: 41e6,
    outcome: { is: 'running' },
  }
  it('says how much, how fast, how long still', () => {
    expect(progressText(job, 2_000, numbers)).toBe('1,000 rows · 41.0 MB · 500 rows/s · 6 s left')
    expect(progressText({ ...job, done: null }, 100, numbers)).toBe('1,000 rows · 41.0 MB')
    const reading = { ...job, kind: 'import', unit: 'messages', count: 0, bytes: 0 } as const
    expect(progressText(reading, 2_000, numbers)).toBe('Reading the file · 6 s left')
    expect(progressText({ ...job, endedMs: unixMs(4_000), outcome: { is: 'cancelled' } }, 9_000, numbers)).toBe(
      '1,000 rows · 41.0 MB · 250 rows/s',
    )
    const move: JobState = { ...job, kind: 'move', unit: 'bytes', count: 124_928, bytes: 124_928 }
    expect(progressText(move, 2_000, numbers)).toBe('125 kB · 62.5 kB/s · 6 s left')
    expect([lengthText(1), lengthText(61_000), lengthText(7_300_000)]).toEqual(['1 s', '2 min', '2 h 2 min'])
  })
})

/** Bytes as a text of as many characters. */
const binary = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')

describe('sending a file', () => {
  function receiver(fails?: CallName) {
    const transport = new TestTransport().answer('files.begin', () => ({ file: 'f' }))
    for (const name of ['files.chunk', 'files.end', 'files.drop'] as const)
      transport.answer(name, (args) => {
        if (name === fails) throw new CodedError('disk-full', 'Full.')
        expect(v.safeParse(CALLS[name].args as v.GenericSchema, args).success).toBe(true)
        return null
      })
    return transport
  }
  const bytes = Uint8Array.from({ length: FILE_PIECE * 2 + 5 }, (_, i) => i % 251)
  const file = {
    name: 'a.csv',
    size: bytes.length,
    slice: (from: number, to: number) => ({ arrayBuffer: async () => bytes.slice(from, to).buffer }),
  }

  it('goes in pieces that follow one another, to the byte', async () => {
    const transport = receiver()
    const sent: number[] = []
    const result = await sendFile(transport, file, new AbortController().signal, (n) => sent.push(n))
    expect(result).toEqual({ ok: true, value: 'f' })
    expect(sent).toEqual([FILE_PIECE, FILE_PIECE * 2, bytes.length])
    const pieces = transport.callsOf('files.chunk').map(({ data }) => data)
    expect(pieces.map((one) => atob(one)).join('')).toBe(binary(bytes))
    expect(transport.calls.at(-1)?.name).toBe('files.end')
  })

  it('lets go of what was sent where it fails or is ended', async () => {
    const failed = receiver('files.chunk')
    expect(await sendFile(failed, file, new AbortController().signal, () => undefined)).toMatchObject({
      ok: false,
    })
    expect(failed.calls.at(-1)).toEqual({ name: 'files.drop', args: { file: 'f' } })
    const stop = new AbortController()
    const ended = receiver()
    const result = await sendFile(ended, file, stop.signal, () => stop.abort())
    expect(result).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    expect(ended.calls.at(-1)?.name).toBe('files.drop')
  })

  it('codes bytes as base64 does', () => {
    for (const n of [0, 1, 2, 3, 8_191, 8_192, 8_193, 30_000]) {
      const part = bytes.subarray(0, n)
      expect(base64Of(part)).toBe(btoa(binary(part)))
    }
  })
})

it('writes what is on screen with every digit', () => {
  const [header, line] = quotesCsv([makeQuoteRow({ last: 0.1 + 0.2, symbol: '=BTC' })]).split('\n')
  expect(header?.startsWith('symbol,asset,name,last')).toBe(true)
  expect(line?.startsWith("'=BTC,crypto,")).toBe(true)
  expect(line).toContain(',0.30000000000000004,')
  const prices = { open: 1, high: 2, low: 0.5, close: 1.1 }
  const bar = makeBar({ startMs: T, ...prices, volume: null, count: 3, complete: false })
  expect(barsCsv('A', 'mid', [bar])).toBe(
    'symbol,start_ms,start_iso,open,high,low,close,volume,count,complete,of\n' +
      `A,${T},2026-01-05T00:00:00.000Z,1,2,0.5,1.1,,3,false,mid\n`,
  )
})
