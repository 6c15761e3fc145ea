import '../../browser-stubs.ts'
import { cleanup, fireEvent, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, describe, expect, it, vi } from 'vitest'
import EvidencePane from '../../../../../src/renderer/features/evidence/EvidencePane.svelte'
import ProvenanceDialog from '../../../../../src/renderer/features/evidence/ProvenanceDialog.svelte'
import TapePane from '../../../../../src/renderer/features/tape/TapePane.svelte'
import { flagText } from '../../../../../src/renderer/features/evidence/evidence-labels.ts'
import { shareText } from '../../../../../src/renderer/text/format.ts'
import { FakeTerminal, type FakeFaults } from '../../fakes/fake-terminal.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow, render, serviceOf } from '../../open-window.ts'
import type { JobState } from '../../../../../src/shared/core/jobs/jobs.ts'
import { FLAG, type VerifyReport } from '../../../../../src/shared/core/recording/recording.ts'
import { instrumentId, recordingId, unixMs } from '../../../../../src/shared/base/units.ts'
import { tape } from '../../../../../src/renderer/features/tape/feature.ts'
import { evidence } from '../../../../../src/renderer/features/evidence/feature.ts'

let app: WindowState | undefined
afterEach(() => {
  cleanup()
  app?.close()
  app = undefined
})

function open(faults: FakeFaults = {}) {
  const fake = new FakeTerminal({ nowMs: Date.now(), faults })
  const queue: (() => void)[] = []
  const state = openWindow(fake, { frame: (run) => void queue.push(run), painted: (run) => run() })
  app = state
  const frame = async (): Promise<void> => {
    for (const run of queue.splice(0)) run()
    await tick()
  }
  return { fake, state, frame }
}
const BTC = instrumentId('crypto', 'BTC-USD')

describe('shares and flags in words', () => {
  it('never say more than there is', () => {
    expect(shareText(1)).toBe('100 %')
    expect(shareText(0.9998)).toBe('99.98 %')
    expect(shareText(0.99999)).toBe('99.999 %')
    expect(shareText(0.999997)).toBe('99.9997 %')
    expect(shareText(1 - 1e-12)).toBe('> 99.99999 %')
    expect(shareText(0.5)).toBe('50.00 %')
    expect(shareText(null)).toBe('—')
  })
  it('name every bit', () => {
    expect(flagText(FLAG.unasked | FLAG.undated)).toHaveLength(2)
    expect(flagText(0)).toEqual([])
  })
})

describe('coverage', () => {
  it('tells each feed’s share and every gap, and leads to it on the chart', async () => {
    const { fake, state } = open()
    render(EvidencePane, { app: state })
    const feeds = await screen.findByRole('region', { name: 'Coverage by feed' })
    expect(within(feeds).getByRole('row', { name: /crypto\/XQ/ }).textContent).toContain('99.40 %')
    const gaps = screen.getByRole('region', { name: 'Gaps, newest first' })
    expect(gaps.textContent).toContain('connection lost')
    const [first] = within(gaps).getAllByRole('button')
    await fireEvent.click(first)
    expect(serviceOf(state, evidence).place).toEqual({ asked: 1, ms: fake.nowMs - 190_000 })
  })
  it('unfolds a feed into its symbols, one feed at a time', async () => {
    const { state } = open()
    render(EvidencePane, { app: state })
    const feeds = await screen.findByRole('region', { name: 'Coverage by feed' })
    expect(within(feeds).queryByRole('row', { name: /ETH-USD/ })).toBeNull()
    const unfold = within(feeds).getByRole('button', { name: 'crypto/XQ' })
    await fireEvent.click(unfold)
    const lost = await within(feeds).findByRole('row', { name: /ETH-USD/ })
    expect(lost.textContent).toContain('98.82 %')
    expect(unfold.getAttribute('aria-expanded')).toBe('true')
    expect(within(feeds).getByRole('row', { name: /BTC-USD/ }).textContent).toContain('100 %')
    await fireEvent.click(within(feeds).getByRole('button', { name: 'crypto/XT' }))
    expect(unfold.getAttribute('aria-expanded')).toBe('false')
    expect(within(feeds).getAllByRole('row', { name: /ETH-USD/ })).toHaveLength(1)
  })
  it('says why it cannot be read, and tries again', async () => {
    const { fake, state } = open({
      failing: { 'evidence.coverage': { code: 'disk-error', message: 'The disk is gone.' } },
    })
    render(EvidencePane, { app: state })
    expect((await screen.findByText('Couldn’t read the coverage')).parentElement?.textContent).toContain(
      'The disk is gone.',
    )
    fake.faults = {}
    await fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await screen.findByRole('region', { name: 'Coverage by feed' })
  })
})

describe('agreement', () => {
  const openPart = async () => {
    const made = open()
    render(EvidencePane, { app: made.state })
    await fireEvent.click(screen.getByRole('tab', { name: 'Agreement' }))
    await screen.findByText(/of comparable minutes agree/)
    return made
  }
  it('is a cell a minute, and says what it proves', async () => {
    await openPart()
    expect(screen.getAllByRole('button', { name: /differs$/ })).toHaveLength(2)
    expect(screen.getAllByRole('button', { name: /not comparable$/ })).toHaveLength(2)
    expect(screen.getByText(/do not prove that every message came/)).toBeDefined()
  })
  it('compares the whole session as a job: progress, cancel, the sum and where it differs', async () => {
    const { fake, state } = await openPart()
    await fireEvent.click(screen.getByRole('button', { name: 'Compare whole session' }))
    await vi.waitFor(() => expect(serviceOf(state, evidence).comparing?.job).toBe('job-agree'))
    const job = { id: 'job-agree', kind: 'agreement', title: 'session', unit: 'minutes', bytes: 0 } as const
    const times = { startedMs: unixMs(Date.now()), endedMs: null, done: 0.5, count: 700 }
    fake.setJobs([{ ...job, ...times, outcome: { is: 'running' } }])
    await tick()
    await screen.findByRole('progressbar', { name: 'Comparison of the whole session' })
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(fake.calls.some(({ name }) => name === 'jobs.cancel')).toBe(true)
    const startMs = Number(screen.getAllByRole('button', { name: /differs$/ })[0].id.slice('minute-'.length))
    const result = {
      counts: { agrees: 1_439, differs: 1, notComparable: 0 },
      agreement: 1_439 / 1_440,
      differing: [{ session: 's', startMs }],
    }
    fake.setJobs([{ ...job, ...times, outcome: { is: 'done', text: '', result } }])
    await tick()
    const told = await screen.findByText(/^Whole session/)
    expect(told.textContent).toContain('1,439 minutes agree')
    await fireEvent.click(within(told.parentElement!).getByRole('button', { name: /:/ }))
    expect(screen.getByRole('button', { name: /differs$/, pressed: true }).id).toBe(`minute-${startMs}`)
  })
  it('walks by keys, to the next difference too, and shows both sides with their seconds', async () => {
    const { state } = await openPart()
    const first = screen.getAllByRole('button', { name: /agrees$|comparable$/ })[0]
    await fireEvent.keyDown(first, { key: 'n' })
    const minute = await screen.findByRole('button', { name: /differs$/, pressed: true })
    expect(minute.tabIndex).toBe(0)
    expect(await screen.findByText('≠ differs', { selector: '.minute .verdict' })).toBeDefined()
    await screen.findAllByText('= agrees')
    const other = document.querySelectorAll('.minute .other')
    expect([...other].map((cell) => cell.textContent)).toHaveLength(2)
    await fireEvent.click(screen.getAllByRole('button', { name: 'ticks' })[0])
    expect(serviceOf(state, evidence).subject?.what).toMatchObject({ is: 'bar', of: 'trade', interval: '1m' })
  })
})

describe('verification', () => {
  const job = (part: Partial<JobState>): JobState => ({
    id: 'job-verify',
    kind: 'verify',
    title: 'all sessions',
    startedMs: unixMs(Date.now() - 2_000),
    endedMs: null,
    done: 0.5,
    unit: 'messages',
    count: 4_000,
    bytes: 0,
    outcome: { is: 'running' },
    ...part,
  })
  it('runs as a job: progress, cancel, then every difference', async () => {
    const { fake, state } = open()
    render(EvidencePane, { app: state })
    await fireEvent.click(screen.getByRole('tab', { name: 'Verification' }))
    await fireEvent.click(screen.getByRole('button', { name: 'Verify everything' }))
    await vi.waitFor(() => expect(serviceOf(state, evidence).verifying?.job).toBe('job-verify'))
    fake.setJobs([job({})])
    await tick()
    expect(screen.getByRole('progressbar').getAttribute('value')).toBe('0.5')
    expect(screen.getByText(/50 % · 4,000 messages/)).toBeDefined()
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(fake.calls.at(-1)).toEqual({ name: 'jobs.cancel', args: { job: 'job-verify' } })
    const result: VerifyReport = {
      sessions: 1,
      messages: 8_000,
      ok: false,
      problems: [
        {
          session: recordingId('01r'),
          kind: 'reordered',
          feed: 'crypto/XT',
          atMs: unixMs(1.7e12),
          detail: 'message 5',
        },
        { session: recordingId(''), kind: 'structure', feed: null, atMs: null, detail: 'a page' },
      ],
    }
    fake.setJobs([job({ done: 1, endedMs: unixMs(Date.now()), outcome: { is: 'done', text: 'NOT', result } })])
    await tick()
    const table = screen.getByRole('table', { name: 'Differences' })
    expect(within(table).getByText('reordered').parentElement?.textContent).toContain('crypto/XT')
    expect(within(table).getByText('the store')).toBeDefined()
    expect(screen.getByRole('status').textContent).toMatch(/2\s+differences in 8,000 messages/)
  })
})

describe('the messages behind a number', () => {
  const bar = { is: 'bar', of: 'trade', interval: '1m', startMs: 1_795_000_020_000 } as const
  const show = async (state: WindowState) => {
    const onclose = vi.fn()
    render(ProvenanceDialog, {
      app: state,
      subject: { instrument: BTC, what: bar, title: 'BTC-USD 14:03, 1m' },
      onclose,
    })
    await screen.findAllByRole('option')
    return onclose
  }
  it('are a list with roles, raw text as text, and the bar’s arithmetic', async () => {
    const { state } = open()
    await show(state)
    expect(screen.getAllByRole('option')[0].textContent).toMatch(/price 64000.*open/)
    expect(document.querySelector('pre')!.textContent).toMatch(/^\{"ev":"XT"/)
    expect(screen.getByText('matches the bar on the chart')).toBeDefined()
    expect(screen.getByText('sum of 41 sizes')).toBeDefined()
    await fireEvent.click(screen.getByRole('button', { name: /^high/ }))
    const picked = screen.getByRole('option', { selected: true })
    expect(picked.textContent).toContain('high')
    expect(screen.getByRole('listbox').getAttribute('aria-activedescendant')).toBe(picked.id)
  })
  it('walk by keys', async () => {
    const { state } = open()
    await show(state)
    const list = screen.getByRole('listbox')
    await fireEvent.keyDown(list, { key: 'ArrowDown' })
    await fireEvent.keyDown(list, { key: 'ArrowDown' })
    expect(list.getAttribute('aria-activedescendant')).toBe('message-2')
    await fireEvent.keyDown(list, { key: 'Home' })
    expect(list.getAttribute('aria-activedescendant')).toBe('message-0')
  })
  it('are copied one or all, to the character', async () => {
    const { state } = open()
    const writeText = vi.fn(() => Promise.resolve())
    Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true })
    await show(state)
    await fireEvent.click(screen.getByRole('button', { name: 'Copy text' }))
    expect(writeText).toHaveBeenLastCalledWith(document.querySelector('pre')!.textContent)
    await fireEvent.click(screen.getByRole('button', { name: 'Copy all' }))
    expect((writeText.mock.calls as unknown as string[][]).at(-1)![0].split('\n')).toHaveLength(41)
    Reflect.deleteProperty(navigator, 'clipboard')
  })
  it('open from a row of the tape, by mouse and by key', async () => {
    const { state, frame } = open()
    serviceOf(state, tape).follow(state.view, state.instrument)
    render(TapePane, { app: state })
    await frame()
    const rows = screen.getAllByRole('row').slice(1)
    await fireEvent.dblClick(rows[2])
    const what = serviceOf(state, evidence).subject?.what
    expect(what).toMatchObject({ is: 'print', recording: null, seq: serviceOf(state, tape).at(2)?.seq })
    const table = screen.getByRole('table', { name: /Prints/ })
    await fireEvent.keyDown(table, { key: 'ArrowDown' })
    await fireEvent.keyDown(table, { key: 'ArrowDown' })
    await fireEvent.keyDown(table, { key: 'Enter' })
    expect(serviceOf(state, evidence).subject?.what).toMatchObject({
      is: 'print',
      seq: serviceOf(state, tape).at(1)?.seq,
    })
    expect(serviceOf(state, tape).paused).toBe(true)
    await fireEvent.keyDown(table, { key: 'Escape' })
    expect(serviceOf(state, tape).paused).toBe(false)
  })
})
