/** The tape with sides: each follows its print, and bursts of one side are one row. */
import { describe, expect, it } from 'vitest'
import type { PrintSide } from '../../../../../src/shared/core/views/contract.ts'
import type { SideReason, Side } from '../../../../../src/shared/core/market/flow/side.ts'
import type { Print } from '../../../../../src/shared/core/market/market.ts'
import { instrumentId, unixMs } from '../../../../../src/shared/base/units.ts'
import { meterLabel, sideMark, sideSentence, sidesLabel } from '../../../../../src/renderer/core/market/side-labels.ts'
import { Tape } from '../../../../../src/renderer/features/tape/tape.svelte.ts'
import { makePrint } from '../../../../kit/market.ts'
import { TestTransport } from '../../../../kit/transport.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const sided = (print: Print, side: Side, reason: SideReason = 'touch'): PrintSide => ({
  seq: print.seq,
  recvMs: print.recvMs,
  price: print.price,
  side,
  reason,
})
const at = (seq: number, ms: number, parts: Partial<Print> = {}): Print =>
  makePrint(seq, { eventMs: unixMs(ms), recvMs: unixMs(ms + 5), ...parts })

function start(reset: readonly Print[]) {
  const transport = new TestTransport().serve('tape', () => ({ reset, prints: [], skipped: 0, decimals: 2 }))
  let frame: (() => void) | null = null
  const tape = new Tape(transport, (run) => {
    frame = run
    return () => (frame = null)
  })
  tape.follow('live', BTC, true)
  const send = (prints: readonly Print[], sides: readonly PrintSide[]) => {
    transport.send('tape', { reset: null, prints, skipped: 0, decimals: 2, sides })
    frame?.()
  }
  return { tape, transport, send }
}

describe('the tape', () => {
  it('asks for sides only if they are shown', () => {
    const { tape, transport } = start([])
    tape.follow('live', BTC, false)
    expect(transport.argsOf('tape')).toMatchObject([{ limit: 2_000 }])
    expect(JSON.stringify(transport.argsOf('tape'))).not.toContain('sides')
    tape.follow('live', BTC, true)
    expect(transport.argsOf('tape')).toMatchObject([{ sides: true }])
  })

  it('runs for another symbol, although it was paused for the one before', () => {
    const { tape, send } = start([at(1, 100)])
    tape.pause('key')
    send([at(2, 200)], [])
    expect([tape.count, tape.fresh]).toEqual([1, 1])
    tape.follow('live', instrumentId('crypto', 'ETH-USD'), true)
    expect([tape.paused, tape.count, tape.fresh]).toEqual([false, 1, 0])
    send([at(3, 300)], [])
    expect(tape.count).toBe(2)
  })

  it('gives a print its side once it is settled, also without a recording', () => {
    const [stored, fresh] = [at(1, 100), at(0, 200, { price: 101 })]
    const { tape, send } = start([stored])
    expect(tape.sideOf(stored)).toBeNull()
    send([fresh], [sided(stored, 1)])
    expect([tape.sideOf(stored), tape.sideOf(fresh)]).toEqual([{ side: 1, reason: 'touch' }, null])
    send([], [sided(fresh, -1, 'tick')])
    expect(tape.sideOf(fresh)).toEqual({ side: -1, reason: 'tick' })
  })

  it('forgets the sides of earlier prints, too, when a replay goes back: later quotes settled them', () => {
    const [early, late] = [at(1, 100), at(2, 200)]
    const { tape, send } = start([early, late])
    send([], [sided(early, 1)])
    tape.cutAfter(150)
    expect([tape.count, tape.sideOf(early)]).toEqual([1, null])
    send([], [sided(early, 1)])
    tape.cutAfter(150)
    expect(tape.sideOf(early)).toBeNull()
  })

  it('has nothing to show until it is read, not no prints, when a replay goes back behind all of them', () => {
    const { tape, transport, send } = start([at(1, 100), at(2, 200)])
    tape.cutAfter(150)
    expect([tape.ready, tape.count]).toEqual([true, 1])
    tape.cutAfter(50)
    send([], [])
    expect([tape.ready, tape.count]).toEqual([false, 0])
    transport.send('tape', { reset: [], prints: [], skipped: 0, decimals: 2 })
    expect(tape.ready).toBe(true)
  })

  it('shows no earlier prints under a later clock after a replay jumped forward', () => {
    const { tape, transport } = start([at(1, 100), at(2, 200)])
    transport.send('tape', { reset: null, reading: true, prints: [], skipped: 0, decimals: 2 })
    expect([tape.ready, tape.count, tape.meter]).toEqual([false, 0, null])
    transport.send('tape', { reset: [at(3, 900)], prints: [], skipped: 0, decimals: 2 })
    expect([tape.ready, tape.count]).toEqual([true, 1])
  })

  it('joins prints of one millisecond and side, and filters the sum', () => {
    const prints = [
      at(1, 100, { size: 0.1 }),
      at(2, 100, { size: 0.2, price: 101 }),
      at(3, 100, { size: 4 }),
      at(4, 101, { size: 4 }),
      at(5, 101, { size: 4 }),
    ]
    const { tape, send } = start(prints)
    const rows = () => Array.from({ length: tape.count }, (_, i) => tape.at(i))
    tape.setBursts(true)
    expect(rows()).toHaveLength(5)
    send([], [sided(prints[0], 1), sided(prints[1], 1), sided(prints[2], -1), sided(prints[3], -1)])
    // The last one isn't settled, and the two sellers are of different milliseconds.
    expect(rows().map((row) => [row?.seq, row?.size, row?.prints])).toEqual([
      [5, 4, undefined],
      [4, 4, undefined],
      [3, 4, undefined],
      [2, 0.3, 2],
    ])
    expect(tape.at(3)).toMatchObject({ price: 101 })
    const burst = tape.at(3)
    send([], [sided(prints[4], -1)])
    expect(rows().map((row) => row?.size)).toEqual([8, 4, 0.3])
    expect(tape.at(2)).toBe(burst)
    tape.setMinSize(8)
    expect(rows().map((row) => row?.seq)).toEqual([5])
    tape.setBursts(false)
    expect(rows()).toEqual([])
  })

  it('joins prints of one side within a time', () => {
    const prints = [at(1, 100), at(2, 150), at(3, 199), at(4, 200), at(5, 220)]
    const { tape, send } = start(prints)
    send([], [...prints.slice(0, 4).map((print) => sided(print, 1)), sided(prints[4], -1)])
    tape.setBursts(true, 100)
    const rows = () => Array.from({ length: tape.count }, (_, i) => tape.at(i)?.prints ?? 1)
    expect(rows()).toEqual([1, 1, 3])
    tape.setBursts(true)
    expect(rows()).toEqual([1, 1, 1, 1, 1])
  })

  it('changes no row while it is paused', () => {
    const prints = [at(1, 100), at(2, 100)]
    const { tape, send } = start(prints)
    tape.setBursts(true)
    tape.pause('key')
    send([], [sided(prints[0], 1), sided(prints[1], 1)])
    expect(tape.count).toBe(2)
    tape.toggle()
    expect(tape.count).toBe(1)
  })
})

describe('a side in words', () => {
  it.each([
    [{ side: 1, reason: 'message' }, 'B', 'Buyer, known. The message says so.'],
    [{ side: -1, reason: 'touch' }, 'S', 'Seller, inferred. At the bid or ask.'],
    [{ side: 0, reason: 'midpoint' }, '?', 'Side unknown. In the middle of the quote.'],
    [null, '…', 'Side not settled yet: a quote may still arrive.'],
  ] as const)('%j is %s', (side, mark, sentence) => {
    expect([sideMark(side), sideSentence(side)]).toEqual([mark, sentence])
  })

  it.each([
    [null, 'Sides inferred, too few trades to check', 'dim'],
    [0.98765, 'Sides inferred, 98.7 % explained by quotes', 'fine'],
    [0.95, 'Sides inferred, 95.0 % explained by quotes', 'dim'],
    [0.8999, 'Only 89.9 % explained by quotes: sides are unreliable', 'warn'],
    [0, 'No quotes match these trades: sides from price direction', 'warn'],
  ])('a meter of %s is told', (explained, text, tone) => {
    const meter = { join: { by: 'event', ms: 0 }, explained, trades: 400 } as const
    expect(meterLabel(meter)).toMatchObject({ text, tone })
  })
})

it('says how many trades have no side or quote, and how often messages were lost', () => {
  const meter = { join: { by: 'event', ms: 0 }, explained: 0.98, trades: 400 } as const
  const label = (coverage: Partial<Parameters<typeof sidesLabel>[0]['coverage']>) =>
    sidesLabel({ meter, coverage: { trades: 1_000, unknown: 0, unquoted: 0, gaps: 0, breaks: 0, ...coverage } })
  expect(label({})).toMatchObject({ brief: 'sides 98.0 % explained', tone: 'fine' })
  expect(label({ unknown: 12, gaps: 1 })).toMatchObject({
    brief: 'sides 98.0 % explained, 1 gap, 1.2 % unknown',
    tone: 'dim',
  })
  expect(label({ unknown: 12 }).text).toBe('Sides inferred, 98.0 % explained by quotes. 1.2 % of trades have no side.')
  expect(label({ unquoted: 5, gaps: 2 }).text).toBe(
    'Sides inferred, 98.0 % explained by quotes. Trades or quotes were lost 2 times. 0.5 % of trades had no current quote.',
  )
  // The meter tells of the newest trades; most of the period's had no quote at all.
  expect(label({ unquoted: 900, unknown: 1 })).toMatchObject({
    brief: 'sides at most 10.0 % explained, 0.1 % unknown',
    tone: 'warn',
    text: 'At most 10.0 % explained by quotes: sides mostly from price direction. 0.1 % of trades have no side. 90.0 % of trades had no current quote.',
  })
  expect(label({ unquoted: 200 })).toMatchObject({
    text: 'At most 80.0 % explained by quotes: sides are unreliable. 20.0 % of trades had no current quote.',
  })
  expect(label({ unquoted: 40 })).toMatchObject({ brief: 'sides at most 96.0 % explained' })
  // Without any quote, there is nothing to explain.
  for (const explained of [null, 0, 0.98])
    expect(
      sidesLabel({
        meter: { ...meter, explained },
        coverage: { trades: 10, unknown: 0, unquoted: 10, gaps: 0, breaks: 0 },
      }),
    ).toMatchObject({
      brief: 'no quotes: sides from price direction',
      text: 'No current quotes for these trades: sides from price direction.',
      tone: 'warn',
    })
  expect(label({ breaks: 1 })).toMatchObject({ brief: 'sides 98.0 % explained, 1 break', tone: 'dim' })
  expect(label({ gaps: 1, breaks: 2 }).text).toBe(
    'Sides inferred, 98.0 % explained by quotes. Trades or quotes were lost once. 2 breaks between sessions: nothing is stored for those times.',
  )
})
