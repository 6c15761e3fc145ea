import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Market } from '../../../../../src/main/core/market/market.ts'
import { joinParts } from '../../../../../src/main/core/playback/parts.ts'
import { Player } from '../../../../../src/main/features/replay/player.ts'
import type { PlayerOptions } from '../../../../../src/main/features/replay/play/player-port.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'
import { emptyMarket, FakeLive, memoryReader, RETRY_MS, rowsOf, T0, type HubOf } from './live.ts'

/** A real clock that only moves when told, and its timers. */
class FakeTime {
  ms = 0
  #timers: { readonly atMs: number; readonly then: () => void }[] = []
  readonly after = (ms: number, then: () => void): (() => void) => {
    const timer = { atMs: this.ms + ms, then }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer)
    }
  }
  async pass(ms: number): Promise<void> {
    const end = this.ms + ms
    for (;;) {
      await settled()
      const next = this.#timers.toSorted((a, b) => a.atMs - b.atMs)[0]
      if (next === undefined || next.atMs > end) break
      this.#timers = this.#timers.filter((one) => one !== next)
      this.ms = Math.max(this.ms, next.atMs)
      next.then()
    }
    this.ms = end
  }
}

/** Every promise and immediate that is on its way has had its turn. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve))
}

interface Replaying {
  readonly player: Player
  readonly time: FakeTime
  readonly of: HubOf
}

function replaying(
  live: FakeLive,
  options: { rows?: number; snapshots?: boolean; busyMs?: number } & Pick<PlayerOptions, 'jumped'> = {},
): Replaying {
  const time = new FakeTime()
  const of = emptyMarket()
  const market: Market = {
    ...of.market,
    digest(...message) {
      time.ms += options.busyMs ?? 0
      return of.market.digest(...message)
    },
  }
  const player = new Player({
    reader: memoryReader(live.sessions, options.rows, options.snapshots),
    parts: joinParts(live.parts()),
    market,
    newMarket: () => emptyMarket().market,
    realMs: () => time.ms,
    after: time.after,
    changed: () => {},
    ...(options.jumped === undefined ? {} : { jumped: options.jumped }),
  })
  return { player, time, of }
}

const FEEDS = ['crypto/XT', 'crypto/XQ'] as const
const SYMBOLS = ['BTC-USD', 'ETH-USD', 'SOL-USD']

/** A calm market: a trade each 100 ms. */
function calm(minutes: number, ends = true): FakeLive {
  const live = new FakeLive()
  live.begin(T0)
  for (const feed of FEEDS) live.connect(feed, SYMBOLS, T0 + 10)
  for (let i = 0; i < minutes * 600; i += 1) {
    const at = T0 + 50 + i * 100
    live.trade(SYMBOLS[i % 3], 100 + Math.sin(i / 7), at, 1 + (i % 4))
    if (i % 5 === 0) live.quote(SYMBOLS[i % 2], 99 + (i % 3), 101 + (i % 3), at + 3)
  }
  if (ends) live.end(T0 + minutes * 60_000 + 1_000)
  return live
}

describe('a replay', () => {
  it('reaches what live had, at the greatest speed', async () => {
    const live = calm(5)
    const { player, of } = replaying(live)
    await player.seekStart()
    player.speed('max')
    player.play(true)
    while (!player.state.ended) await settled()
    expect(player.state).toMatchObject({ playing: false, exactness: { is: 'identical', minutes: 4 } })
    expect(player.state.messages).toBe(live.now.messages.length)
    expect(of.digest()).toBe(live.of.digest())
    expect(rowsOf(of.hub, T0 + 310_000)).toEqual(rowsOf(live.of.hub, T0 + 310_000))
    player.close()
  })

  it.each([false, true])(
    'shows a gap as long as it was if the clock was set back meanwhile (from a snapshot: %s)',
    async (snapshots) => {
      const live = calm(1, false)
      const opened = T0 + 60_000
      live.drop('crypto/XT', opened)
      live.entry(opened - 16_000, { type: 'clock', shiftMs: -20_000 })
      live.connect('crypto/XT', SYMBOLS, opened - 16_000)
      for (let i = 1; i < 600; i += 1) live.trade('BTC-USD', 100 + i, opened - 16_000 + i * 100)
      live.end(opened + 50_000)
      const { player, of } = replaying(live, { snapshots })
      await player.seek(opened + 40_000)
      const gaps = of.hub.gaps('crypto/XT', instrumentId('crypto', 'BTC-USD'))
      expect(gaps.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([[opened, opened + RETRY_MS]])
      player.close()
    },
  )

  it('says from where to where it jumps: by a seek, at each start of a loop, and not while it plays', async () => {
    const jumps: [number, number][] = []
    const { player, time } = replaying(calm(1), { jumped: (from, to) => jumps.push([from.seq, to.seq]) })
    await player.seek(T0 + 10_000)
    const start = player.present.seq
    player.play(true)
    await time.pass(5_000)
    const reached = player.present.seq
    expect(reached).toBeGreaterThan(start)
    await player.seek(T0 + 2_000)
    const second = player.present.seq
    expect(jumps).toEqual([
      [0, start],
      [reached, second],
    ])
    player.options({ loop: { fromMs: T0 + 1_000, toMs: T0 + 3_000 } })
    await time.pass(2_500)
    expect(jumps).toHaveLength(3)
    expect(jumps[2][0]).toBeGreaterThan(second)
    player.close()
  })

  it('keeps pace at 1×, however long its turns take', async () => {
    const { player, time } = replaying(calm(1), { busyMs: 3 })
    await player.seekStart()
    const from = player.nowMs
    const startMs = time.ms
    player.play(true)
    await time.pass(10_000)
    // It moves with each turn, at most a frame and a turn apart.
    const behindMs = time.ms - startMs - (player.nowMs - from)
    expect(behindMs).toBeLessThan(50)
    expect(behindMs).toBeGreaterThanOrEqual(0)
    player.close()
  })

  it('dates a message as live did, where live read fewer time formats', async () => {
    const live = new FakeLive()
    live.begin(T0)
    live.connect('stocks/T', ['AAPL'], T0 + 10)
    for (let i = 0; i < 30; i += 1) live.undatedTrade('AAPL', 100 + i, T0 + 500 + i * 10_000)
    live.end(T0 + 310_000)
    const { player, of } = replaying(live)
    await player.seek(T0 + 310_000)
    expect(player.state.exactness).toMatchObject({ is: 'identical', minutes: 4 })
    expect(of.digest()).toBe(live.of.digest())
    player.close()
  })

  it('goes on with what was recorded since it was opened, from its end and from before it', async () => {
    const live = calm(1, false)
    const { player, of } = replaying(live)
    const play = async () => {
      player.speed('max')
      player.play(true)
      while (!player.state.ended) await settled()
    }
    await player.seek(T0 + 30_000)
    for (let minute = 1; minute < 4; minute += 1) {
      // The first one is played past what it knew; later ones begin where it had ended.
      if (minute > 1) await play()
      const from = T0 + minute * 60_000 + 2_000
      for (let i = 0; i < 100; i += 1) live.trade(SYMBOLS[i % 3], 110 + minute + (i % 9), from + i * 100)
      const [part] = live.parts()
      player.grow(part)
      expect(player.state).toMatchObject({ ended: false, playing: false })
    }
    await play()
    expect(player.state).toMatchObject({ nowMs: live.now.endedMs, exactness: { is: 'identical' } })
    expect(of.digest()).toBe(live.of.digest())
    await player.seek(T0 + 70_000)
    await player.seek(live.now.endedMs)
    expect(of.digest()).toBe(live.of.digest())
    player.close()
  })

  it('tells when a lost feed is tried again, in its own time', async () => {
    const live = calm(1, false)
    live.drop('crypto/XT', T0 + 70_000)
    live.end(T0 + 90_000)
    const { player } = replaying(live)
    await player.seek(T0 + 71_000)
    const state = player.feeds().find(({ feed }) => feed === 'crypto/XT')?.state
    expect(state).toMatchObject({ is: 'waiting', untilMs: T0 + 70_000 + RETRY_MS, attempt: 2 })
    player.close()
  })

  it('shows nothing after its clock, at any speed, and lets the clock flow between messages', async () => {
    const live = calm(1)
    const { player, time } = replaying(live)
    await player.seekStart()
    player.speed(2)
    player.play(true)
    await time.pass(1_000)
    expect(player.nowMs).toBeGreaterThan(T0 + 1_900)
    expect(player.nowMs).toBeLessThanOrEqual(T0 + 2_000)
    const last = live.now.messages.findLast(({ recvMs }) => recvMs <= player.nowMs)
    expect(player.present.seq).toBe(last?.seq)
    player.play(false)
    const { nowMs } = player
    await time.pass(5_000)
    expect(player.nowMs).toBe(nowMs)
    player.speed(1_000)
    player.play(true)
    await time.pass(200)
    expect(player.state).toMatchObject({ ended: true, playing: false, nowMs: T0 + 61_000 })
    player.close()
  })

  it('steps by one message on and back, and the same state is met again', async () => {
    const live = calm(1)
    const { player, of } = replaying(live, { rows: 7 })
    await player.seek(T0 + 20_000)
    await player.stepMessage(true)
    const seen: unknown[] = []
    for (let i = 0; i < 12; i += 1) {
      seen.push([player.present.seq, player.nowMs, rowsOf(of.hub, T0 + 30_000)])
      await player.stepMessage(true)
    }
    for (const one of seen.toReversed()) {
      await player.stepMessage(false)
      expect([player.present.seq, player.nowMs, rowsOf(of.hub, T0 + 30_000)]).toEqual(one)
    }
    player.close()
  })

  it('stands still at its first message when going back from there', async () => {
    const { player } = replaying(calm(1))
    await player.seekStart()
    await player.stepMessage(false)
    expect(player.state).toMatchObject({ nowMs: T0, at: null })
    await player.stepMessage(true)
    expect(player.state.messages).toBe(1)
    await player.stepMessage(false)
    await player.stepMessage(false)
    expect(player.state).toMatchObject({ messages: 0 })
    player.close()
  })

  it('stays at its end when stepping on from there, and plays from the start again', async () => {
    const { player, time } = replaying(calm(1))
    await player.seek(T0 + 61_000)
    await player.stepMessage(true)
    expect(player.nowMs).toBe(T0 + 61_000)
    player.speed('max')
    player.play(true)
    await time.pass(100)
    expect(player.state.ended).toBe(true)
    // A window goes to the start and plays: neither takes the other's place.
    const start = player.seekStart()
    player.play(true)
    await start
    player.speed(1)
    expect(player.state.playing).toBe(true)
    expect(player.nowMs).toBeLessThan(T0 + 1_000)
    player.close()
  })

  it('loops over a range until the loop is cleared', async () => {
    const { player, time } = replaying(calm(1))
    await player.seekStart()
    player.options({ loop: { fromMs: T0 + 10_000, toMs: T0 + 12_000 } })
    player.play(true)
    await settled()
    expect(player.nowMs).toBe(T0 + 10_000)
    await time.pass(1_500)
    expect(player.nowMs).toBeGreaterThan(T0 + 11_400)
    await time.pass(700)
    expect(player.nowMs).toBeGreaterThan(T0 + 10_000)
    expect(player.nowMs).toBeLessThan(T0 + 10_400)
    expect(player.state.playing).toBe(true)
    player.options({ loop: null })
    await time.pass(5_000)
    expect(player.nowMs).toBeGreaterThan(T0 + 13_000)
    player.close()
  })

  it('passes idle stretches at once when asked to', async () => {
    const live = new FakeLive()
    live.begin(T0)
    live.connect('crypto/XT', SYMBOLS, T0)
    for (const at of [1_000, 1_500, 600_000, 600_200]) live.trade('BTC-USD', 100, T0 + at)
    live.end(T0 + 600_300)
    const { player, time } = replaying(live)
    await player.seekStart()
    player.options({ skipIdle: true })
    player.play(true)
    await time.pass(1_700)
    expect(player.nowMs).toBeGreaterThanOrEqual(T0 + 600_000)
    await time.pass(400)
    expect(player.state.ended).toBe(true)
    player.close()
  })

  it('answers the newest of several seeks, and the others as cancelled', async () => {
    const { player } = replaying(calm(3))
    await player.seekStart()
    const early = player.seek(T0 + 170_000)
    const later = player.seek(T0 + 20_000)
    await expect(early).rejects.toMatchObject({ code: 'cancelled' })
    await later
    expect(player.state).toMatchObject({ nowMs: T0 + 20_000, seeking: false })
    const closing = player.seek(T0 + 100_000)
    player.close()
    await expect(closing).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('names the first digest that differs, and tells digests of another version apart', async () => {
    const live = calm(4)
    const at = live.now.entries.findIndex(({ entry }) => entry.type === 'digest')
    const { seq, entry } = live.now.entries[at]
    if (entry.type !== 'digest') throw new Error('no digest')
    live.now.entries[at] = { ...live.now.entries[at], entry: { ...entry, sha256: 'f'.repeat(64) } }
    const { player } = replaying(live)
    await player.seek(T0 + 200_000)
    await player.seekStart()
    await player.stepTo(T0 + 59_000)
    await player.stepTo(T0 + 119_000)
    expect(player.state.exactness).toMatchObject({
      is: 'differs',
      minuteMs: T0,
      seq,
      live: 'f'.repeat(64),
      replay: entry.sha256,
    })
    live.now.entries[at] = { ...live.now.entries[at], entry: { ...entry, fold: 99 } }
    await player.seekStart()
    await player.stepTo(T0 + 59_000)
    await player.stepTo(T0 + 119_000)
    expect(player.state.exactness).toMatchObject({ is: 'not comparable' })
    player.close()
  })

  it('tells a reader that fails, and stops there', async () => {
    const live = calm(1)
    const reader = memoryReader(live.sessions)
    const of = emptyMarket()
    const time = new FakeTime()
    let failing = false
    const player = new Player({
      reader: {
        ...reader,
        async *replay(query) {
          for await (const batch of reader.replay(query)) {
            if (failing) throw new Error('the disk is gone')
            yield batch
          }
        },
      },
      parts: joinParts(live.parts()),
      market: of.market,
      newMarket: () => emptyMarket().market,
      realMs: () => time.ms,
      after: time.after,
      changed: () => {},
    })
    await player.seekStart()
    failing = true
    player.speed('max')
    player.play(true)
    await settled()
    expect(player.state).toMatchObject({ playing: false, problem: { code: 'internal' } })
    player.close()
  })
})

describe('several sessions', () => {
  const two = (): FakeLive => {
    const live = new FakeLive()
    live.begin(T0)
    live.connect('crypto/XT', SYMBOLS, T0)
    for (let i = 0; i < 50; i += 1) live.trade('BTC-USD', 100 + i, T0 + 100 + i * 100)
    live.end(T0 + 6_000)
    const later = T0 + 3_600_000
    live.begin(later)
    live.of.hub.feedState('crypto/XT', { is: 'idle' }, later as never)
    live.connect('crypto/XT', SYMBOLS, later)
    for (let i = 0; i < 50; i += 1) live.trade('ETH-USD', 10 + i, later + 100 + i * 100)
    live.end(later + 6_000)
    return live
  }

  it('are joined: between them feeds are out of reach, and a gap is open', async () => {
    const live = two()
    const { player, of } = replaying(live)
    await player.seek(T0 + 60_000)
    expect(player.feeds().find(({ feed }) => feed === 'crypto/XT')?.state).toEqual({ is: 'idle' })
    const [row] = rowsOf(of.hub, T0 + 60_000)
    expect(row).toMatchObject({ symbol: 'BTC-USD', last: 149, freshness: 'disconnected' })
    expect(of.hub.gaps('crypto/XT', row.instrument)).toMatchObject([{ cause: 'quit', fromMs: T0 + 6_000, toMs: null }])
    player.close()
  })

  it('play through to the same state as a seek gives', async () => {
    const live = two()
    const played = replaying(live)
    await played.player.seekStart()
    played.player.speed('max')
    played.player.play(true)
    while (!played.player.state.ended) await settled()
    const sought = replaying(live)
    await sought.player.seek(T0 + 3_606_000)
    const at = T0 + 3_606_000
    expect(played.player.present).toEqual(sought.player.present)
    expect(rowsOf(played.of.hub, at)).toEqual(rowsOf(sought.of.hub, at))
    expect(rowsOf(played.of.hub, at)).toEqual(rowsOf(live.of.hub, at))
    expect(played.of.digest()).toBe(live.of.digest())
    await played.player.seek(T0 + 3_600_000 + 200)
    await played.player.stepMessage(false)
    await played.player.stepMessage(false)
    await played.player.stepMessage(false)
    expect(played.player.present.session).toBe('r1')
    played.player.close()
    sought.player.close()
  })
})

// -- any cut into live, seek and replay --

const step = fc.record({
  afterMs: fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: 900 }) },
    fc.integer({ min: -3_000, max: 90_000 }),
  ),
  what: fc.oneof(
    { weight: 12, arbitrary: fc.constant('trade' as const) },
    { weight: 5, arbitrary: fc.constant('quote' as const) },
    fc.constantFrom('drop', 'connect', 'stale', 'cut', 'odd', 'unasked', 'roll'),
  ),
  symbol: fc.constantFrom(...SYMBOLS),
  price: fc.integer({ min: 1, max: 400 }),
  lateMs: fc.integer({ min: 0, max: 5_000 }),
})

interface Seen {
  readonly session: string
  readonly seq: number
  readonly nowMs: number
  readonly rows: unknown
  readonly digest: string
}

/** Lets it happen live, and writes down what was known after each step. */
function happen(steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]): {
  readonly live: FakeLive
  readonly seen: readonly Seen[]
} {
  const live = new FakeLive()
  let at = T0
  live.begin(at)
  for (const feed of FEEDS) live.connect(feed, SYMBOLS, at)
  const seen: Seen[] = []
  for (const { afterMs, what, symbol, price, lateMs } of steps) {
    at += afterMs
    const feed = FEEDS[price % 2]
    if (what === 'trade') live.trade(symbol, price / 4, at, price, at - lateMs)
    else if (what === 'quote') live.quote(symbol, price, price + 1, at)
    else if (what === 'drop') live.drop(feed, at)
    else if (what === 'connect') for (const each of FEEDS) live.connect(each, SYMBOLS, at)
    else if (what === 'stale') live.stale(feed, at)
    else if (what === 'cut') live.cut(feed, at)
    else if (what === 'odd') live.message(feed, 'not JSON', at)
    else if (what === 'unasked') live.message('crypto/XT', `{"ev":"XT","pair":"DOGE-USD","p":1,"t":${at}}`, at, true)
    else if (what === 'roll' && live.connected === FEEDS.length) live.roll(SYMBOLS, at)
    // Before a session's first message, what was known before it is not told.
    if (!live.now.messages.some(({ flags }) => flags === 0) && live.sessions.length > 1) continue
    seen.push({
      session: live.now.session,
      seq: live.seq,
      nowMs: at,
      rows: rowsOf(live.of.hub, at),
      digest: live.of.digest(),
    })
  }
  live.end(at)
  return { live, seen }
}

describe('any cut into live, seek and replay', () => {
  it('gives equal rows and an equal fold', async () => {
    const moves = fc.array(
      fc.record({ to: fc.nat(1_000), then: fc.constantFrom('stay', 'on', 'back', 'play', 'second') }),
      { minLength: 1, maxLength: 6 },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 120 }),
        moves,
        fc.boolean(),
        fc.integer({ min: 1, max: 40 }),
        async (steps, walk, snapshots, rows) => {
          const { live, seen } = happen(steps)
          const { player, of, time } = replaying(live, { rows, snapshots })
          await player.seekStart()
          const isAsSeen = (one: Seen) => {
            // What a session began with is known from its snapshot only; a view has it from the store.
            if (snapshots || one.session === 'r1') expect(rowsOf(of.hub, one.nowMs)).toEqual(one.rows)
            expect(of.digest()).toBe(one.digest)
          }
          for (const { to, then } of walk) {
            const one = seen[to % seen.length]
            await player.seekSeq(one.session as never, one.seq, one.nowMs)
            isAsSeen(one)
            if (then === 'on') await player.stepMessage(true)
            else if (then === 'back') await player.stepMessage(false)
            else if (then === 'second') await player.stepTo(player.nowMs + 1_000)
            else if (then === 'play') {
              player.speed(50)
              player.play(true)
              await time.pass(100)
              player.play(false)
            }
            const here = seen.find(
              ({ seq, session }) => seq === player.present.seq && session === player.present.session,
            )
            if (here !== undefined) isAsSeen(here)
          }
          player.speed('max')
          player.play(true)
          while (player.state.playing) await settled()
          const last = seen[seen.length - 1]
          if (last.seq === player.present.seq && last.session === player.present.session) isAsSeen(last)
          expect(player.present.seq).toBe(live.seq)
          expect(['none', 'identical']).toContain(player.state.exactness.is)
          player.close()
        },
      ),
      { numRuns: 100 },
    )
  }, 60_000)
})
