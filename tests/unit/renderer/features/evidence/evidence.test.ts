import '../../browser-stubs.ts'
import { cleanup, fireEvent, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { EvidenceState } from '../../../../../src/renderer/features/evidence/evidence.svelte.ts'
import EvidencePane from '../../../../../src/renderer/features/evidence/EvidencePane.svelte'
import ProvenanceDialog from '../../../../../src/renderer/features/evidence/ProvenanceDialog.svelte'
import TapePane from '../../../../../src/renderer/features/tape/TapePane.svelte'
import { flagText } from '../../../../../src/renderer/features/evidence/evidence-labels.ts'
import { shareText } from '../../../../../src/renderer/text/format.ts'
import { tradeOf } from '../../../../kit/market.ts'
import { START_MS } from '../../../../kit/terminal-messages.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'
import { CodedError } from '../../../../../src/shared/base/errors.ts'
import type { PaneContext } from '../../../../../src/renderer/core/window/pane-context.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow, render, serviceOf } from '../../open-window.ts'
import { replayState } from '../../../../kit/replay-state.ts'
import type { CoverageReport } from '../../../../../src/shared/features/evidence/evidence.ts'
import type { JobState } from '../../../../../src/shared/core/jobs/jobs.ts'
import { FLAG, type VerifyReport } from '../../../../../src/shared/core/recording/session.ts'
import { instrumentId, sessionId, unixMs } from '../../../../../src/shared/base/units.ts'
import { tape } from '../../../../../src/renderer/features/tape/feature.ts'
import { evidence } from '../../../../../src/renderer/features/evidence/feature.ts'

let app: WindowState | undefined
let terminal: WindowTerminal
/** Uses one terminal for the tests of a group, with what `record` recorded. */
function recorded(record: () => Promise<void>): void {
  beforeAll(async () => {
    terminal = await WindowTerminal.start()
    await record()
  })
  afterEach(() => terminal.reset())
  afterAll(() => terminal.close())
}
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START_MS })
})
afterEach(() => {
  cleanup()
  app?.close()
  app = undefined
  vi.useRealTimers()
})

async function open() {
  const queue: (() => void)[] = []
  const state = openWindow(terminal, { frame: (run) => void queue.push(run), painted: (run) => run() })
  app = state
  await terminal.settle()
  const frame = async (): Promise<void> => {
    await terminal.settle()
    for (const run of queue.splice(0)) run()
    await tick()
  }
  return { state, frame }
}
const BTC = instrumentId('crypto', 'BTC-USD')
const MINUTE = 60_000

/** Shows jobs as the terminal would. */
const showJobs = async (jobs: readonly JobState[]) => {
  terminal.send('jobs', jobs)
  await tick()
}

/**
 * Records a trade every ten seconds for five minutes, and the service's bars of each second and minute with a trade.
 * The minute before them is incomplete. In the second and in the fourth, the service's bars have more volume than was received.
 */
async function recordBars(): Promise<void> {
  const bar = (ev: string, startMs: number, lengthMs: number, price: number, volume: number) => ({
    feed: ev === 'XA' ? ('crypto/XA' as const) : ('crypto/XAS' as const),
    symbol: 'BTC-USD',
    raw: `{"ev":"${ev}","pair":"BTC-USD","o":${price},"h":${price},"l":${price},"c":${price},"v":${volume},"s":${startMs},"e":${startMs + lengthMs}}`,
  })
  await terminal.control('want', 'crypto/XA', ['BTC-USD'])
  await terminal.control('want', 'crypto/XAS', ['BTC-USD'])
  const start = START_MS - (START_MS % MINUTE) + MINUTE
  await terminal.control('pass', start - START_MS - 200)
  await terminal.control('send', [bar('XA', start - MINUTE, MINUTE, 100, 6)])
  for (let minute = 0; minute < 5; minute++) {
    const from = start + minute * MINUTE
    const more = minute === 1 || minute === 3 ? 0.5 : 0
    for (let second = 0; second < 60; second += 10) {
      await terminal.control('send', [
        tradeOf('BTC-USD', 100, 1, from + second * 1_000),
        bar('XAS', from + second * 1_000, 1_000, 100, second === 20 ? 1 + more : 1),
      ])
      await terminal.control('pass', 10_000)
    }
    await terminal.control('send', [bar('XA', from, MINUTE, 100, 6 + more)])
  }
  await terminal.control('pass', 10_000)
}

describe('texts of shares and flags', () => {
  it('never round up', () => {
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
  recorded(() => terminal.control('recordSession'))
  it('shows each feed’s share and every gap, and goes to it on the chart', async () => {
    const { state } = await open()
    render(EvidencePane, { app: state })
    const feeds = await screen.findByRole('region', { name: 'Coverage by feed' })
    const args = { view: 'live', fromMs: null, toMs: null, session: null, skip: 0, limit: 100 } as const
    const { feeds: covered, gaps: all } = await terminal.ask('evidence.coverage', args)
    const quotes = covered.find(({ feed }) => feed === 'crypto/XQ')
    expect(quotes?.covered).toBeLessThan(1)
    expect(within(feeds).getByRole('row', { name: /crypto\/XQ/ }).textContent).toContain(
      shareText(quotes?.covered ?? null),
    )
    // As Health and Sessions count: the time until the feed was connected is apart.
    const cells = within(within(feeds).getByRole('row', { name: /crypto\/XQ/ })).getAllByRole('cell')
    expect(cells.at(-1)?.textContent).toBe('1 (+1)')
    const lost = all.find(({ cause }) => cause === 'drop')
    const gaps = screen.getByRole('region', { name: 'Gaps, newest first' })
    await fireEvent.click(within(within(gaps).getByRole('row', { name: /connection lost/ })).getByRole('button'))
    expect(serviceOf(state, evidence).place).toEqual({ asked: 1, ms: lost?.fromMs })
  })
  it('expands a feed into its symbols, one feed at a time', async () => {
    const { state } = await open()
    render(EvidencePane, { app: state })
    const feeds = await screen.findByRole('region', { name: 'Coverage by feed' })
    expect(within(feeds).queryByRole('row', { name: /ETH-USD/ })).toBeNull()
    const unfold = within(feeds).getByRole('button', { name: 'crypto/XQ' })
    await fireEvent.click(unfold)
    const lost = await within(feeds).findByRole('row', { name: /ETH-USD/ })
    expect(lost.textContent).toMatch(/9\d\.\d+ %/)
    expect(unfold.getAttribute('aria-expanded')).toBe('true')
    expect(within(feeds).getByRole('row', { name: /BTC-USD/ }).textContent).toMatch(/9\d\.\d+ %/)
    await fireEvent.click(within(feeds).getByRole('button', { name: 'crypto/XT' }))
    await terminal.settle()
    expect(unfold.getAttribute('aria-expanded')).toBe('false')
    expect(within(feeds).getAllByRole('row', { name: /ETH-USD/ })).toHaveLength(1)
  })
  it('is gone as soon as a replay goes back, and read again', async () => {
    const answer = Promise.withResolvers<CoverageReport>()
    const { state } = await open()
    const whole = { view: 'live', fromMs: null, toMs: null, session: null, skip: 0, limit: 100 } as const
    const report = await terminal.ask('evidence.coverage', whole)
    let reads = 0
    terminal.answer('evidence.coverage', () => (++reads === 1 ? report : answer.promise))
    state.replaying = replayState({ nowMs: unixMs(9_000) })
    render(EvidencePane, { app: state })
    await screen.findByRole('row', { name: /connection lost/ })
    state.replaying = replayState({ nowMs: unixMs(9_500) })
    await tick()
    expect(reads).toBe(1)
    state.replaying = replayState({ nowMs: unixMs(3_000) })
    await tick()
    expect(screen.queryByRole('row', { name: /connection lost/ })).toBeNull()
    expect(reads).toBe(2)
    answer.resolve({ ...report, gaps: [] })
    await screen.findByRole('region', { name: 'Coverage by feed' })
  })
  it('says why it couldn’t be read, and tries again', async () => {
    terminal.answer('evidence.coverage', () => {
      throw new CodedError('disk-error', 'The disk is gone.')
    })
    const { state } = await open()
    render(EvidencePane, { app: state })
    expect((await screen.findByText('Couldn’t read the coverage')).parentElement?.textContent).toContain(
      'The disk is gone.',
    )
    terminal.unanswer('evidence.coverage')
    await fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await screen.findByRole('region', { name: 'Coverage by feed' })
  })
})

describe('agreement', () => {
  recorded(recordBars)
  const openPart = async () => {
    const made = await open()
    render(EvidencePane, { app: made.state })
    await fireEvent.click(screen.getByRole('tab', { name: 'Agreement' }))
    await screen.findByText(/of comparable minutes agree/)
    return made
  }
  it('shows a cell per minute, and says what it proves', async () => {
    await openPart()
    expect(screen.getAllByRole('button', { name: /differs$/ })).toHaveLength(2)
    expect(screen.getAllByRole('button', { name: /not comparable$/ })).toHaveLength(1)
    expect(screen.getByText(/do not prove that every message came/)).toBeDefined()
  })
  it('compares the whole session as a job: progress, cancel, the sum and where it differs', async () => {
    const { state } = await openPart()
    terminal.answer('evidence.agree', () => 'job-agree')
    await fireEvent.click(screen.getByRole('button', { name: 'Compare whole session' }))
    await vi.waitFor(() => expect(serviceOf(state, evidence).comparing?.job).toBe('job-agree'))
    const job = { id: 'job-agree', kind: 'agreement', title: 'session', unit: 'minutes', bytes: 0 } as const
    const times = { startedMs: unixMs(Date.now()), endedMs: null, done: 0.5, count: 700 }
    await showJobs([{ ...job, ...times, outcome: { is: 'running' } }])
    await screen.findByRole('progressbar', { name: 'Comparison of the whole session' })
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(terminal.callsOf('jobs.cancel')).toHaveLength(1)
    const startMs = Number(screen.getAllByRole('button', { name: /differs$/ })[0].id.slice('minute-'.length))
    const result = {
      counts: { agrees: 1_439, differs: 1, notComparable: 0 },
      agreement: 1_439 / 1_440,
      differing: [{ session: 's', startMs }],
    }
    await showJobs([{ ...job, ...times, outcome: { is: 'done', text: '', result } }])
    const sum = await screen.findByText(/^Whole session/)
    expect(sum.textContent).toContain('1,439 minutes agree')
    await fireEvent.click(within(sum.parentElement!).getByRole('button', { name: /:/ }))
    expect(screen.getByRole('button', { name: /differs$/, pressed: true }).id).toBe(`minute-${startMs}`)
  })
  it('moves with the keyboard, also to the next difference, and shows both sides with their seconds', async () => {
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

describe('a verification', () => {
  recorded(async () => undefined)
  it('is no news where it was started', async () => {
    const transport = new TestTransport().serve('jobs', () => []).answer('evidence.verify', () => 'job-verify')
    const started = new EvidenceState(transport)
    await started.verify(null)
    started.close()
    // Another Evidence pane would leave what it shows.
    expect(started.unseen).toBeNull()
    expect(started.verifying).toEqual({ session: null, job: 'job-verify' })
  })
  it('is shown where it was started elsewhere, once', async () => {
    const { state } = await open()
    const front = () => screen.getByRole('tab', { selected: true }).textContent
    serviceOf(state, evidence).unseen = { session: null }
    render(EvidencePane, { app: state })
    await tick()
    expect(front()).toBe('Verification')
    cleanup()
    render(EvidencePane, { app: state })
    await tick()
    expect(front()).toBe('Coverage')
  })
  it('is shown by the pane that opens, however many there are', async () => {
    // The panes of earlier tests asked for coverage, which isn't read until the next commit.
    await terminal.control('pass', 1_000)
    const { state } = await open()
    const paneOf = (isFirst: boolean) => ({ isFirst }) as PaneContext // all that the pane reads
    const other = render(EvidencePane, { app: state, pane: paneOf(false) })
    const first = render(EvidencePane, { app: state, pane: paneOf(true) })
    serviceOf(state, evidence).unseen = { session: null }
    await tick()
    const front = ({ container }: { container: Element }) =>
      container.querySelector('[role="tab"][aria-selected="true"]')?.textContent
    expect([front(other), front(first)]).toEqual(['Coverage', 'Verification'])
  })
})

describe('verification', () => {
  recorded(async () => undefined)
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
    terminal.answer('evidence.verify', () => 'job-verify')
    const { state } = await open()
    render(EvidencePane, { app: state })
    await fireEvent.click(screen.getByRole('tab', { name: 'Verification' }))
    await fireEvent.click(screen.getByRole('button', { name: 'Verify everything' }))
    await vi.waitFor(() => expect(serviceOf(state, evidence).verifying?.job).toBe('job-verify'))
    await showJobs([job({})])
    expect(screen.getByRole('progressbar').getAttribute('value')).toBe('0.5')
    expect(screen.getByText(/50 % · 4,000 messages/)).toBeDefined()
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(terminal.calls.at(-1)).toEqual({ name: 'jobs.cancel', args: { job: 'job-verify' } })
    const result: VerifyReport = {
      sessions: 1,
      messages: 8_000,
      ok: false,
      problems: [
        {
          session: sessionId('01r'),
          kind: 'reordered',
          feed: 'crypto/XT',
          atMs: unixMs(1.7e12),
          detail: 'message 5',
        },
        { session: sessionId(''), kind: 'structure', feed: null, atMs: null, detail: 'a page' },
      ],
      unlisted: 3,
    }
    await showJobs([job({ done: 1, endedMs: unixMs(Date.now()), outcome: { is: 'done', text: 'NOT', result } })])
    const table = screen.getByRole('table', { name: 'Differences' })
    expect(within(table).getByText('reordered').parentElement?.textContent).toContain('crypto/XT')
    expect(within(table).getByText('the store')).toBeDefined()
    expect(screen.getByRole('status').textContent).toMatch(/5\s+differences in 8,000 messages/)
    expect(screen.getByText('The first 2 are listed.')).toBeDefined()
  })
})

describe('the messages behind a number', () => {
  recorded(() => terminal.control('recordSession'))
  const startMs = START_MS - (START_MS % MINUTE) + MINUTE
  const bar = { is: 'bar', of: 'trade', interval: '1m', startMs } as const
  const show = async () => {
    const { state } = await open()
    const onclose = vi.fn()
    render(ProvenanceDialog, {
      app: state,
      subject: { instrument: BTC, what: bar, title: 'BTC-USD 14:34, 1m' },
      onclose,
    })
    await screen.findAllByRole('option')
    return onclose
  }
  it('are a list with roles, raw text as text, and the bar’s arithmetic', async () => {
    await show()
    expect(screen.getAllByRole('option')[0].textContent).toMatch(/price 107.*open/)
    expect(document.querySelector('pre')!.textContent).toMatch(/^\{"ev":"XT"/)
    expect(screen.getByText('matches the bar on the chart')).toBeDefined()
    expect(screen.getByText('sum of 10 sizes')).toBeDefined()
    await fireEvent.click(screen.getByRole('button', { name: /^high/ }))
    const picked = screen.getByRole('option', { selected: true })
    expect(picked.textContent).toContain('high')
    expect(screen.getByRole('listbox').getAttribute('aria-activedescendant')).toBe(picked.id)
  })
  it('are selected with the keyboard', async () => {
    await show()
    const list = screen.getByRole('listbox')
    await fireEvent.keyDown(list, { key: 'ArrowDown' })
    await fireEvent.keyDown(list, { key: 'ArrowDown' })
    expect(list.getAttribute('aria-activedescendant')).toBe('message-2')
    await fireEvent.keyDown(list, { key: 'Home' })
    expect(list.getAttribute('aria-activedescendant')).toBe('message-0')
  })
  it('are copied one by one or all, exactly as received', async () => {
    const writeText = vi.fn(() => Promise.resolve())
    Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true })
    await show()
    await fireEvent.click(screen.getByRole('button', { name: 'Copy text' }))
    expect(writeText).toHaveBeenLastCalledWith(document.querySelector('pre')!.textContent)
    await fireEvent.click(screen.getByRole('button', { name: 'Copy all' }))
    expect((writeText.mock.calls as unknown as string[][]).at(-1)![0].split('\n')).toHaveLength(10)
    Reflect.deleteProperty(navigator, 'clipboard')
  })
  it('open from a row of the tape, with the mouse and the keyboard', async () => {
    const { state, frame } = await open()
    serviceOf(state, tape).follow(state.view, state.instrument)
    await terminal.control('pass', 1_000) // as long as a read of the store may wait for a commit
    await terminal.control(
      'send',
      [1, 2, 3, 4].map((price) => tradeOf('BTC-USD', price)),
    )
    render(TapePane, { app: state })
    await frame()
    const rows = screen.getAllByRole('row').slice(1)
    await fireEvent.dblClick(rows[2])
    const what = serviceOf(state, evidence).subject?.what
    expect(what).toMatchObject({ is: 'print', session: null, seq: serviceOf(state, tape).at(2)?.seq })
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
