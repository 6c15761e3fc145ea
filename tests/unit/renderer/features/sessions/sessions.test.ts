import { describe, expect, it } from 'vitest'
import { makeSession } from '../../../../kit/market.ts'
import type { SessionRow } from '../../../../../src/shared/core/recording/session.ts'
import { retentionPlan } from '../../../../../src/shared/features/sessions/retention.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import {
  filterSessions,
  fittingSessionColumns,
  packageName,
  sortSessions,
  stateOf,
  tagsOf,
} from '../../../../../src/renderer/features/sessions/session-list.ts'

import {
  chooseAll,
  chooseOne,
  chooseTo,
  NOTHING_CHOSEN,
  toggleOne,
} from '../../../../../src/renderer/features/sessions/session-selection.ts'

const DAY = 86_400_000
const row = (id: string, day: number, more: Partial<SessionRow> = {}): SessionRow =>
  makeSession(id, {
    startedMs: unixMs(day * DAY),
    endedMs: unixMs(day * DAY + 1_000),
    clean: true,
    live: false,
    messages: 1,
    bytes: 1e9,
    ...more,
  })
const ids = (rows: readonly SessionRow[]) => rows.map(({ session }) => session)

describe('choosing several sessions', () => {
  const list = ['a', 'b', 'c', 'd']
  it('adds and takes away one by one, and keeps the last', () => {
    const two = toggleOne(toggleOne(NOTHING_CHOSEN, 'c'), 'a')
    expect(two).toEqual({ chosen: ['c', 'a'], active: 'a', anchor: 'a' })
    const one = toggleOne(two, 'a')
    expect(one.chosen).toEqual(['c'])
    expect(toggleOne(one, 'c').chosen).toEqual(['c'])
  })
  it('runs from where it began, in either direction', () => {
    const down = chooseTo(chooseOne('b'), list, 'd')
    expect(down).toEqual({ chosen: ['b', 'c', 'd'], active: 'd', anchor: 'b' })
    expect(chooseTo(down, list, 'a').chosen).toEqual(['a', 'b'])
    expect(chooseTo({ ...down, anchor: 'gone' }, list, 'c').chosen).toEqual(['c'])
    expect(chooseAll(down, list)).toMatchObject({ chosen: list, active: 'd' })
  })
})

describe('the list of sessions', () => {
  const rows = [
    row('a', 1, { name: 'CPI day', tags: ['Macro'] }),
    row('b', 2, { clean: false, gapCount: 5, edges: 4 }),
    row('c', 3, { name: 'alpha', source: 'service:me@https://x.test', bytes: 5 }),
  ]
  it('sorts by any column, equals newest first, names that are empty last', () => {
    expect(ids(sortSessions(rows, { column: 'started', descending: true }, 0))).toEqual(['c', 'b', 'a'])
    expect(ids(sortSessions(rows, { column: 'name', descending: false }, 0))).toEqual(['c', 'a', 'b'])
    expect(ids(sortSessions(rows, { column: 'name', descending: true }, 0))).toEqual(['a', 'c', 'b'])
    expect(ids(sortSessions(rows, { column: 'size', descending: false }, 0))).toEqual(['c', 'b', 'a'])
    expect(ids(sortSessions(rows, { column: 'gaps', descending: true }, 0))).toEqual(['b', 'c', 'a'])
  })
  it('finds every word, and tags by their beginning', () => {
    expect(ids(filterSessions(rows, 'cut off'))).toEqual(['b'])
    expect(ids(filterSessions(rows, 'day cpi'))).toEqual(['a'])
    expect(ids(filterSessions(rows, '#mac'))).toEqual(['a'])
    expect(ids(filterSessions(rows, '#cpi'))).toEqual([])
    expect(ids(filterSessions(rows, 'x.test'))).toEqual(['c'])
    expect(filterSessions(rows, ' ')).toBe(rows)
  })
  it('gives up columns by their weight, reads tags, and names a file for any system', () => {
    expect(fittingSessionColumns(300)).toEqual(['started', 'name'])
    expect(fittingSessionColumns(2_000)).toHaveLength(11)
    expect(tagsOf(' a, #b,,a ,')).toEqual(['a', 'b'])
    expect(packageName(row('a', 0, { name: 'CPI / day: 1' }))).toBe('CPI-day-1-1970-01-01-00-00.tapedeck')
  })
})

describe('states of sessions', () => {
  it.each([
    [{ live: true, clean: false }, 'recording'],
    [{ clean: false }, 'crashed'],
    [{}, 'clean'],
    [{ imported: true, source: 'import:me@0123' }, 'imported'],
    [{ imported: true, source: 'demo' }, 'sample'],
    [{ isCorrupt: true }, 'corrupt'],
    [{ isCorrupt: true, imported: true, clean: false }, 'corrupt'],
    [{ isCorrupt: true, live: true }, 'recording'],
  ])('of %o: %s', (part, state) => {
    expect(stateOf(row('a', 1, { live: false, clean: true, imported: false, ...part }))).toBe(state)
  })
  it.each([
    ['broken', 'interrupted', 'clean'],
    ['paused', 'paused', 'clean'],
    ['off', 'recording', 'clean'],
  ] as const)('while the recorder is %s: %s', (is, open, ended) => {
    const why = { code: 'disk-full', message: '', hint: '', closeCode: null } as const
    const recorder = is === 'off' ? { is } : { is, why, sinceMs: unixMs(1), lost: 0 }
    expect(stateOf(row('a', 1, { live: true, clean: false }), recorder)).toBe(open)
    expect(stateOf(row('a', 1, { live: false, clean: true }), recorder)).toBe(ended)
  })
})

describe('rules of keeping', () => {
  const none = { keepDays: 0, keepGb: 0, binDays: 0 }
  const rows = [
    row('old', 1),
    row('pinned', 1, { pinned: true }),
    row('import', 1, { imported: true }),
    row('new', 9),
    row('live', 10, { live: true, endedMs: null }),
  ]
  it('bins by age, and never what is pinned, imported or being recorded', () => {
    expect(retentionPlan(rows, none, 1e15)).toEqual({ bin: [], erase: [] })
    expect(retentionPlan(rows, { ...none, keepDays: 5 }, 10 * DAY).bin).toEqual(['old'])
    expect(retentionPlan(rows, { ...none, keepDays: 1 }, 1e15).bin).toEqual(['old', 'new'])
  })
  it('bins a replica that its recorder abandoned, counted from its start', () => {
    const source = 'team:2@eu'
    const replicas = [
      row('gone', 1, { source, live: false, endedMs: null }),
      row('followed', 1, { source, live: true, endedMs: null }),
      row('unclosed', 1, { live: false, endedMs: null }),
    ]
    const { startedMs } = replicas[0]
    expect(retentionPlan(replicas, { ...none, keepDays: 5 }, startedMs + 5 * DAY - 1).bin).toEqual([])
    expect(retentionPlan(replicas, { ...none, keepDays: 5 }, startedMs + 5 * DAY).bin).toEqual(['gone'])
  })
  it('bins the oldest until the rest fits', () => {
    expect(retentionPlan(rows, { ...none, keepGb: 5 }, 10 * DAY).bin).toEqual([])
    expect(retentionPlan(rows, { ...none, keepGb: 4.5 }, 10 * DAY).bin).toEqual(['old'])
    expect(retentionPlan(rows, { ...none, keepGb: 0.1 }, 10 * DAY).bin).toEqual(['old', 'new'])
  })
  it('erases what was in the bin for its days, unless it was pinned there', () => {
    const binned = [
      row('x', 1, { binnedMs: unixMs(5 * DAY) }),
      row('y', 1, { binnedMs: unixMs(5 * DAY), pinned: true }),
    ]
    expect(retentionPlan(binned, { ...none, binDays: 3 }, 8 * DAY)).toEqual({ bin: [], erase: ['x'] })
    expect(retentionPlan(binned, { ...none, binDays: 3 }, 8 * DAY - 1).erase).toEqual([])
  })
})
