/** What it costs to compute the gaps of a shard again: of every symbol, its instrument is found once. */
import { beforeEach, expect, it, vi } from 'vitest'
import { LaneFacts } from '../../../../../../src/main/features/team/follow/gaps/lane-facts.ts'
import { findGapChanges, gapsOfShard } from '../../../../../../src/main/features/team/follow/gaps/shard-gaps.ts'
import * as units from '../../../../../../src/shared/base/units.ts'
import type { LedgerEntry } from '../../../../../../src/shared/core/recording/session.ts'
import { T0 } from '../../../core/store/harness.ts'
import { feed } from './sessions.ts'

vi.mock('../../../../../../src/shared/base/units.ts', { spy: true })

const GAPS = 20
const SYMBOLS = Array.from({ length: 50 }, (_, i) => `S${i}-USD`)

beforeEach(() => vi.clearAllMocks())

class Lane {
  readonly facts = new LaneFacts(T0)
  #seq = 0
  #ms = T0

  constructor() {
    this.add({ type: 'connecting', feed, conn: 1 })
    this.add({ type: 'acknowledged', feed, conn: 1, symbols: SYMBOLS })
  }

  add(entry: LedgerEntry): number {
    this.facts.apply({ seq: ++this.#seq, wallMs: (this.#ms += 1_000), entry })
    return this.#seq
  }

  miss(): void {
    const openedSeq = this.add({ type: 'gap-open', feed, cause: 'drop', symbols: [...SYMBOLS], fromMs: units.unixMs(this.#ms) }) // oxfmt-ignore
    this.#ms += 10_000
    this.add({ type: 'gap-close', feed, openedSeq })
  }
}

const keysFound = (): number =>
  vi.mocked(units.instrumentKey).mock.calls.length + vi.mocked(units.instrumentId).mock.calls.length

it('finds the instruments of a gap once, not each time that another gap opens', () => {
  const lanes = [new Lane(), new Lane()]
  for (let n = 0; n < GAPS; n++) for (const lane of lanes) lane.miss()
  const compute = () => gapsOfShard(lanes.map(({ facts }) => ({ facts, untilMs: Infinity })))
  const first = compute()
  expect(first.length).toBeGreaterThanOrEqual(GAPS)
  expect(keysFound()).toBeGreaterThan(GAPS * SYMBOLS.length)
  vi.clearAllMocks()
  expect(compute()).toEqual(first)
  expect(keysFound()).toBe(0)
  for (const lane of lanes) lane.miss()
  compute()
  // Those of the two new gaps.
  expect(keysFound()).toBe(2 * SYMBOLS.length)
})

it('compares the symbols of gaps that changed, not of all', () => {
  const lane = new Lane()
  for (let n = 0; n < GAPS; n++) lane.miss()
  const compute = () => gapsOfShard([{ facts: lane.facts, untilMs: Infinity }])
  const before = compute()
  const read = vi.fn()
  const counted = before.map((gap) => ({ ...gap, symbols: new Proxy([...gap.symbols], { get: (of, name) => (read(), Reflect.get(of, name)) as unknown }) })) // oxfmt-ignore
  expect(findGapChanges(counted, counted, [])).toEqual({ opened: [], closed: [] })
  expect(read).not.toHaveBeenCalled()
  lane.add({ type: 'gap-open', feed, cause: 'drop', symbols: ['S1-USD'], fromMs: units.unixMs(T0 + 3_600_000) })
  expect(findGapChanges(before, compute(), [])).toMatchObject({ opened: [{ symbols: ['S1-USD'] }], closed: [] })
})

it('isn’t computed again because a known feed connects, or its symbols are acknowledged within their gap', () => {
  const { facts, add } = ((lane) => ({ facts: lane.facts, add: (entry: LedgerEntry) => lane.add(entry) }))(new Lane())
  add({ type: 'disconnected', feed, conn: 1, closeCode: 1006, reason: '' })
  const openedSeq = add({ type: 'gap-open', feed, cause: 'drop', symbols: SYMBOLS, fromMs: units.unixMs(T0) })
  const { version } = facts
  add({ type: 'connecting', feed, conn: 2 })
  add({ type: 'state', feed, conn: 2, state: 'open' })
  add({ type: 'acknowledged', feed, conn: 2, symbols: SYMBOLS })
  expect(facts.version).toBe(version)
  add({ type: 'gap-close', feed, openedSeq })
  expect(facts.version).toBe(version + 1)
})

it('remembers no more subscriptions than matter, however often a connection is lost', () => {
  const lane = new Lane()
  const symbols = SYMBOLS.slice(0, 1)
  for (let n = 0; n < 700; n++) {
    lane.add({ type: 'disconnected', feed, conn: n + 1, closeCode: 1006, reason: '' })
    const openedSeq = lane.add({ type: 'gap-open', feed, cause: 'drop', symbols, fromMs: units.unixMs(T0) })
    lane.add({ type: 'acknowledged', feed, conn: n + 2, symbols })
    lane.add({ type: 'gap-close', feed, openedSeq })
  }
  // Two of each gap that is remembered, and what was subscribed before them.
  expect(lane.facts.facts(Infinity).subscriptions.length).toBeLessThanOrEqual(2 * 500 + 1)
  expect(lane.facts.facts(Infinity).subscriptions.length).toBeGreaterThan(900)
})
