import { describe, expect, it } from 'vitest'
import { joinParts, receivedSince } from '../../../../../src/main/core/playback/parts.ts'
import { Player } from '../../../../../src/main/features/replay/player.ts'
import { SLICE_MS } from '../../../../../src/main/features/replay/seek.ts'
import { emptyMarket, FakeLive, memoryReader, T0, type HubOf } from './live.ts'

const SYMBOLS = ['BTC-USD', 'ETH-USD', 'SOL-USD']
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
/** Timers of a player: each is due in the next turn of the event loop. */
const after = (_ms: number, then: () => void): (() => void) => {
  const timer = setImmediate(then)
  return () => clearImmediate(timer)
}

describe('a replay of sessions that overlap', () => {
  it('applies each message once: where the earlier one ends, the later one begins', async () => {
    const live = new FakeLive()
    live.begin(T0)
    live.connect('crypto/XT', SYMBOLS, T0)
    for (let i = 1; i < 60; i += 1) live.trade('BTC-USD', 100 + i, T0 + i * 1_000)
    live.end(T0 + 60_000)
    // Somebody else recorded half of the same minute, and half of the next one.
    live.begin(T0 + 30_000)
    live.connect('crypto/XT', SYMBOLS, T0 + 30_000)
    for (let i = 31; i < 90; i += 1) live.trade('BTC-USD', 100 + i, T0 + i * 1_000)
    live.end(T0 + 90_000)
    const [first, second] = live.parts()
    const parts = joinParts([first, { ...second, counts: receivedSince(first.toMs) }])
    const times: number[] = []
    const counting = (): HubOf => {
      const of = emptyMarket()
      const { apply } = of.market.sink
      of.market.sink.apply = (feed, seq, atMs, record) => {
        times.push(atMs)
        apply.call(of.market.sink, feed, seq, atMs, record)
      }
      return of
    }
    const of = counting()
    const player = new Player({
      reader: memoryReader(live.sessions, 64, false),
      parts,
      market: of.market,
      newMarket: () => counting().market,
      realMs: () => 0,
      after,
      changed: () => {},
    })
    await player.seekStart()
    times.length = 0
    player.speed('max')
    player.play(true)
    while (!player.state.ended) await turn()
    expect(times).toEqual(Array.from({ length: 89 }, (_, i) => T0 + (i + 1) * 1_000))
    player.close()
  })
})

describe('a replay beside a recording', () => {
  it.each([
    ['a seek', (player: Player, live: FakeLive) => player.seek(live.now.endedMs)],
    ['a step over a minute', (player: Player) => player.stepTo(T0 + 59_990)],
    [
      'playing as fast as it can',
      async (player: Player) => {
        player.speed('max')
        player.play(true)
        while (!player.state.ended) await turn()
      },
    ],
  ])('gives way every few milliseconds: %s', async (_what, run) => {
    const live = new FakeLive()
    live.begin(T0)
    live.connect('crypto/XT', SYMBOLS, T0)
    for (let i = 1; i < 60_000; i += 1) live.trade(SYMBOLS[i % 3], 100 + (i % 50), T0 + i)
    live.end(T0 + 60_000)
    /** A clock that moves half a millisecond each time that it is read. */
    let realMs = 0
    const player = new Player({
      reader: memoryReader(live.sessions, 100_000, false),
      parts: joinParts(live.parts()),
      market: emptyMarket().market,
      newMarket: () => emptyMarket().market,
      realMs: () => (realMs += 0.5),
      after,
      changed: () => {},
    })
    await player.seekStart()
    let longest = 0
    let before = realMs
    let isOver = false
    // Stands for what is received: it gets its turn when the event loop comes round.
    const look = (): void => {
      longest = Math.max(longest, realMs - before)
      before = realMs
      if (!isOver) setImmediate(look)
    }
    setImmediate(look)
    const from = realMs
    await run(player, live)
    await turn()
    isOver = true
    // The whole way takes much longer than what is allowed at a time.
    expect(realMs - from).toBeGreaterThan(200)
    expect(longest).toBeLessThanOrEqual(2 * SLICE_MS + 2)
    expect(SLICE_MS).toBeLessThanOrEqual(4)
    player.close()
  })
})
