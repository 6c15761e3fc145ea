// The notes of a window: marks on charts and on the tape, and no note before its time in a replay.
import '../../browser-stubs.ts'
import { flushSync } from 'svelte'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { journal } from '../../../../../src/renderer/features/journal/feature.ts'
import type { JournalBook } from '../../../../../src/renderer/features/journal/journal.svelte.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import type { Note } from '../../../../../src/shared/features/journal/note.ts'
import { instrumentId, unixMs } from '../../../../../src/shared/base/units.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import { openWindow, serviceOf } from '../../open-window.ts'
import { replayState } from '../../../../kit/replay-state.ts'

const BTC = instrumentId('crypto', 'BTCUSD')
const ETH = instrumentId('crypto', 'ETHUSD')
const note = (id: string, fromMs: number, more: Partial<Note> = {}): Note => ({
  id,
  source: 'demo',
  instrument: BTC,
  fromMs,
  toMs: null,
  text: id,
  tags: [],
  pictures: [],
  createdMs: 0,
  changedMs: 0,
  ...more,
})
const NOTES = [
  note('a', 1_000),
  note('whole market', 2_500, { instrument: null }),
  note('range', 3_000, { toMs: 9_000 }),
]
describe('the journal of a window', () => {
  let transport: TestTransport
  let app: WindowState
  let book: JournalBook
  beforeEach(() => {
    transport = new TestTransport().serve('journal', () => ({ revision: 1, notes: NOTES }))
    app = openWindow(transport)
    book = serviceOf(app, journal)
    flushSync()
  })
  afterEach(() => app.close())

  it('marks an instrument’s own notes and those of the whole market, ranges at both ends', () => {
    expect(book.marksOf(ETH).map(({ ms }) => ms)).toEqual([2_500])
    expect(book.marksOf(BTC).map(({ ms, text, note: id }) => [ms, text, id])).toEqual([
      [1_000, 'Note: a', 'a'],
      [2_500, 'Note: whole market', 'whole market'],
      [3_000, 'Note: range', 'range'],
      [9_000, 'End of note: range', 'range'],
    ])
  })
  it.each([
    [999, []],
    [1_000, ['a']],
    [2_499, ['a']],
    [2_500, ['a', 'whole market']],
    [8_999, ['a', 'whole market']],
    [9_000, ['a', 'whole market', 'range']],
  ])('knows at %i ms of a replay: %j', (nowMs, known) => {
    app.replaying = replayState({ nowMs: unixMs(nowMs) })
    flushSync()
    expect(book.notes.map(({ id }) => id)).toEqual(known)
  })
  it.each([
    [0, 999, []],
    [0, 1_000, ['a']],
    [1_000, 2_499, []],
    [3_500, 4_000, ['range']],
    [8_999, 9_000, ['range']],
    [9_000, 9_500, []],
    // The older row has the same time, or there is none.
    [1_000, 1_000, ['a']],
    [999, 999, []],
    [null, 1_000, ['a']],
    [null, 1_001, []],
    [null, 5_000, ['range']],
  ])('gives a row after %j at %i its notes: %j', (older, at, found) => {
    expect(book.notesOfRow(BTC, at, older).map(({ id }) => id)).toEqual(found)
  })
  it('begins a note at the clock, about the instrument in front', () => {
    app.nowMs = 5_000
    book.begin()
    expect(app.dialog).toBe('note')
    expect(book.open).toMatchObject({ id: null, draft: { fromMs: 5_000, toMs: null, instrument: app.instrument } })
  })
  it('takes pictures of the chart used last', async () => {
    expect(book.hasPicture).toBe(false)
    const stop = book.offerPicture(() => Promise.resolve(new Blob(['1'])))
    const stopOther = book.offerPicture(() => Promise.resolve(new Blob(['22'])))
    expect((await book.chartPicture())?.size).toBe(2)
    stop()
    expect(book.hasPicture).toBe(true)
    stopOther()
    expect(await book.chartPicture()).toBeNull()
  })
})
