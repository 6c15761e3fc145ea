// The page of a review: nothing later than a replay's clock, what is left out, and failures.
import '../../browser-stubs.ts'
import { cleanup, fireEvent, screen, within } from '@testing-library/svelte'
import { flushSync } from 'svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { journal } from '../../../../../src/renderer/features/journal/feature.ts'
import NoteDialog from '../../../../../src/renderer/features/journal/NoteDialog.svelte'
import ReviewPage from '../../../../../src/renderer/features/journal/ReviewPage.svelte'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { CodedError } from '../../../../../src/shared/base/errors.ts'
import type { Review } from '../../../../../src/shared/features/journal/review.ts'
import { instrumentId, unixMs } from '../../../../../src/shared/base/units.ts'
import { STREAM_VALUES } from '../../../../contract/stub-terminal.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import { openWindow, render, serviceOf } from '../../open-window.ts'
import { replayState } from '../../../../kit/replay-state.ts'

const BTC = instrumentId('crypto', 'BTCUSD')
const review = (more: Partial<Review> = {}): Review => ({
  source: 'demo',
  fromMs: 0,
  toMs: 5_001,
  sessions: ['01k'],
  messages: 10,
  messagesEstimated: false,
  instruments: 1,
  barMs: 60_000,
  moves: [
    {
      instrument: BTC,
      symbol: 'BTC-USD',
      of: 'mid',
      first: 100,
      last: 101,
      change: 0.01,
      high: 101,
      low: 100,
      highMs: 0,
      lowMs: 0,
      burst: 0.01,
      burstMs: 0,
      incomplete: false,
    },
  ],
  gaps: [{ feed: 'crypto/XT', cause: 'drop', symbols: ['BTC-USD', 'ETH-USD'], fromMs: 1_000, toMs: 120_700 }],
  gapCount: 60,
  gapMs: 119_700,
  outsideMs: 0,
  corrupt: [],
  alerts: [{ atMs: 2_000, instrument: BTC, text: 'price above 1', note: 'mine', value: '1.5' }],
  alertCount: 501,
  alertsProblem: 'The history of alerts couldn’t be read.',
  notes: [],
  ...more,
})

let transport: TestTransport
let app: WindowState
beforeEach(() => {
  transport = new TestTransport().serve('status', () => STREAM_VALUES.status)
  app = openWindow(transport)
})
afterEach(() => {
  cleanup()
  app.close()
})
const page = () => screen.findByRole('article', { name: 'Review' })
const rowOf = async (name: RegExp) => within(await page()).getByRole('row', { name })

describe('the review', () => {
  it('names feeds, causes and symbols of gaps, heads its tables, marks mids and says what is left out', async () => {
    transport.answer('journal.review', () => review())
    app.replaying = replayState({ nowMs: unixMs(5_000) })
    render(ReviewPage, { app })
    expect(
      within(await rowOf(/Connection lost/i))
        .getAllByRole('cell')
        .map(({ textContent }) => textContent),
    ).toEqual(['2 min', 'Crypto trades', 'connection lost', 'BTC-USD, ETH-USD'])
    expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
      ...['Symbol', 'Change', 'First', 'Last', 'High', 'Low', 'Largest within 5 min'],
      ...['From', 'Length', 'Feed', 'Cause', 'Symbols'],
      ...['Time', 'Symbol', 'Alert', 'Value', 'Note'],
    ])
    expect((await rowOf(/^BTC-USD/)).textContent).toContain('mid')
    const prices = within(await rowOf(/^BTC-USD/))
      .getAllByRole('cell')
      .slice(1, 3)
    expect(
      prices.map(({ textContent }) => textContent),
      'the same decimals',
    ).toEqual(['100.00', '101.00'])
    const said = (await page()).textContent
    expect(said).toContain('Demo market')
    expect(said).toContain('The longest 1 of 60.')
    expect(said).toContain('The last 1 of 501.')
    expect(said).toContain('The history of alerts couldn’t be read. Alerts may be missing here.')
    expect(said).not.toContain('None fired.')
  })

  it('saves itself as a PDF in Electron, alone on its page, and prints where the host makes none', async () => {
    transport.answer('journal.review', () => review())
    app.replaying = replayState({ nowMs: unixMs(5_000) })
    app.info = { ...STREAM_VALUES['desktop.info'], host: 'electron' }
    const saved: Blob[] = []
    vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => `blob:${saved.push(file as Blob)}`) // of this page, only files
    const print = vi.spyOn(globalThis, 'print').mockReturnValue()
    const sheet = () => document.querySelector('body > .print-sheet')?.textContent
    let printed: string | undefined
    let pdf: string | null = btoa('%PDF-1.7')
    transport.answer('desktop.pdf', () => {
      printed = sheet()
      return pdf
    })
    render(ReviewPage, { app })
    await page()
    const save = screen.getByRole('button', { name: 'Save as PDF' })
    await fireEvent.click(save)
    await vi.waitFor(() => expect(saved).toHaveLength(1))
    expect([saved[0].type, await saved[0].text()]).toEqual(['application/pdf', '%PDF-1.7'])
    expect(printed).toContain('Demo market')
    expect(sheet()).toBeUndefined()
    pdf = null
    await fireEvent.click(save)
    await vi.waitFor(() => expect(print).toHaveBeenCalledOnce())
    dispatchEvent(new Event('afterprint'))
    expect(sheet()).toBeUndefined()
    transport.answer('desktop.pdf', () => {
      throw new CodedError('internal', 'Couldn’t make the PDF.', { hint: 'Print it, and choose PDF there.' })
    })
    await fireEvent.click(save)
    await vi.waitFor(() => expect(app.toasts.list.map(({ text }) => text).join()).toContain('Couldn’t make the PDF.'))
    expect(sheet()).toBeUndefined()
    vi.restoreAllMocks()
  })

  it('writes each note in its own direction, in the color of text', async () => {
    const note = { id: 'n', fromMs: unixMs(1_000), toMs: null, instrument: BTC, text: 'שלום BTC', tags: ['פריצה'] }
    transport.answer('journal.review', () => review({ notes: [{ ...note, pictures: [] }] as never }))
    app.replaying = replayState({ nowMs: unixMs(5_000) })
    render(ReviewPage, { app })
    const text = within(await page()).getByText('שלום BTC')
    expect(text.dir).toBe('auto')
    expect(text.classList.contains('text'), 'the class of links').toBe(false)
    expect(within(await page()).getByText('#פריצה').tagName).toBe('BDI')
  })

  it('is gone as soon as a replay is moved back before its end, and made again', async () => {
    const tos: number[] = []
    transport.answer('journal.review', ({ toMs }) => {
      tos.push(toMs)
      return review({ toMs })
    })
    app.replaying = replayState({ nowMs: unixMs(9_000) })
    render(ReviewPage, { app })
    await page()
    app.replaying = replayState({ nowMs: unixMs(9_500) })
    flushSync()
    expect(tos).toEqual([9_001])
    app.replaying = replayState({ nowMs: unixMs(3_000) })
    flushSync()
    expect(screen.queryByRole('article')).toBeNull()
    await page()
    expect(tos).toEqual([9_001, 3_001])
  })

  it('covers exactly the range chosen on a chart, up to the clock, and any other again', async () => {
    const asked: unknown[] = []
    transport.answer('journal.review', ({ fromMs, toMs }) => {
      asked.push([fromMs, toMs])
      if (fromMs > app.clockMs) throw new CodedError('bad-arguments', 'There is nothing to review yet at this time.')
      return review({ fromMs, toMs })
    })
    app.replaying = replayState({ nowMs: unixMs(9_000) })
    const book = serviceOf(app, journal)
    const open = vi.spyOn(app.layout, 'open').mockReturnValue()
    book.review({ fromMs: 2_000, toMs: 6_000 })
    expect([open.mock.calls, book.page]).toEqual([[['journal']], 'review'])
    render(ReviewPage, { app })
    await page()
    expect(screen.getByRole('button', { name: 'Marked range' }).getAttribute('aria-pressed')).toBe('true')
    // The last bar of this range still forms.
    book.review({ fromMs: 4_000, toMs: 12_000 })
    flushSync()
    await page()
    await fireEvent.click(screen.getByRole('button', { name: 'Session' }))
    await page()
    // The replay was moved back to before the range.
    app.replaying = replayState({ nowMs: unixMs(1_000) })
    flushSync()
    await page()
    await fireEvent.click(screen.getByRole('button', { name: 'Marked range' }))
    await screen.findByText(/nothing to review yet/)
    expect(asked).toEqual([
      [2_000, 6_000],
      [4_000, 9_001],
      [0, 9_001],
      [0, 1_001],
      [4_000, 4_001],
    ])
  })

  it('says why it can’t be made if the sessions can’t be listed', async () => {
    transport.answer('sessions.list', () => {
      throw new CodedError('store-damaged', 'The store is corrupt.')
    })
    render(ReviewPage, { app })
    await vi.waitFor(() => screen.getByText(/The store is corrupt/))
    expect(screen.queryByText('Nothing to review yet')).toBeNull()
  })
})

describe('a note', () => {
  it('can be saved after a picture of the chart failed', async () => {
    const book = serviceOf(app, journal)
    book.offerPicture(() => Promise.reject(new Error('the chart is gone')))
    book.begin()
    render(NoteDialog, { app, onclose: () => undefined })
    await fireEvent.input(screen.getByLabelText('Note'), { target: { value: 'late' } })
    await fireEvent.click(screen.getByRole('button', { name: 'Attach chart' }))
    await vi.waitFor(() => expect(screen.getByRole('alert').textContent).toContain('The picture couldn’t be read.'))
    await fireEvent.click(screen.getByRole('button', { name: 'Add' }))
    await vi.waitFor(() => expect(transport.callsOf('journal.put')).toHaveLength(1))
  })
})
