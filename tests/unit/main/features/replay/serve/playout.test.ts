/** The clock of a served replay: what it gives an outlet, when, and in which order. */
import { afterEach, expect, it } from 'vitest'
import { Playout, type Outlet, type PlayoutOptions } from '../../../../../../src/main/features/replay/serve/playout.ts'
import { loadRecorded, rangeOf } from '../../../../../../src/main/features/replay/serve/recorded.ts'
import type { ReplayBatch } from '../../../../../../src/main/core/store/types/replay.ts'
import { monoNs } from '../../../../../../src/shared/base/units.ts'
import { manualClock } from '../../../../../kit/clock.ts'
import { T0, type Item } from '../../../core/store/harness.ts'
import { recorded, type RecordedStore } from '../../export/recorded.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A message received at a time after the start, ms. */
const at = (ms: number): Item => ({ conn: 1, data: `{"ms":${ms}}`, recvMs: T0 + ms })

class Notes implements Outlet {
  readonly notes: string[] = []
  isFull = false
  /** It can take no more after the next messages. */
  fillsUp = false
  free: () => void = () => undefined
  take({ bytes, offsets }: ReplayBatch, from: number, to: number): void {
    this.isFull = this.fillsUp
    for (let row = from; row < to; row++) {
      const { ms } = JSON.parse(Buffer.from(bytes.subarray(offsets[row], offsets[row + 1])).toString()) as {
        ms: number
      }
      this.notes.push(String(ms))
    }
  }
  flush(): void {}
  /** It takes everything from now on. */
  empty(): void {
    this.isFull = this.fillsUp = false
    this.free()
  }
  whenFree(): Promise<void> {
    return new Promise((resolve) => (this.free = resolve))
  }
  between(): void {
    this.notes.push('between')
  }
  jumped(): void {
    this.notes.push('jumped')
  }
  ended(): void {
    this.notes.push('ended')
  }
}

type Reader = PlayoutOptions['reader']

async function play(
  lists: readonly (readonly Item[])[],
  options: Partial<PlayoutOptions> = {},
  changed: (reader: Reader, sessions: readonly string[]) => Reader = (reader) => reader,
) {
  const store: RecordedStore = await recorded(lists, { feeds: ['crypto/XT'] })
  const clock = manualClock(0)
  const outlet = new Notes()
  const { parts } = await loadRecorded(store.reader, { sessions: store.sessions })
  const playout = new Playout({
    reader: changed(store.reader, store.sessions),
    parts,
    range: rangeOf(parts, { fromMs: undefined, toMs: undefined }),
    speed: 1,
    loop: false,
    clock,
    outlet,
    ...options,
  })
  closing.push(
    () => store.close(),
    async () => {
      playout.close()
      outlet.free()
      await playout.done.catch(() => undefined) // a test that expects this says so
    },
  )
  /** Lets reads settle; the manual clock doesn't move. */
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 40; i++) await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    playout,
    outlet,
    settle,
    async pass(ms: number): Promise<readonly string[]> {
      await settle()
      await clock.pass(ms)
      await settle()
      return outlet.notes.splice(0)
    },
  }
}

it('gives each message at its time, and nothing before it plays', async () => {
  const { playout, pass } = await play([[at(0), at(10), at(10), at(500)]])
  expect(await pass(100)).toEqual(['jumped'])
  playout.setPlaying(true)
  expect(await pass(0)).toEqual(['0'])
  expect(await pass(9)).toEqual([])
  expect(await pass(1)).toEqual(['10', '10'])
  expect(await pass(489)).toEqual([])
  expect(await pass(1)).toEqual(['500'])
})

it.each([
  [10, 49, 1],
  [0.25, 1_999, 1],
])('at speed %s', async (speed, before, more) => {
  const { playout, pass } = await play([[at(0), at(500)]], { speed })
  playout.setPlaying(true)
  expect(await pass(before)).toEqual(['jumped', '0'])
  expect(await pass(more)).toEqual(['500'])
})

it('counts the time until a pause or a change of speed at the speed it passed at', async () => {
  const { playout, pass } = await play([[at(0), at(500)]])
  playout.setPlaying(true)
  await pass(300)
  playout.setPlaying(false)
  expect(playout.state.atMs).toBe(T0 + 300)
  expect(await pass(10_000)).toEqual([])
  playout.setPlaying(true)
  await pass(100)
  playout.setSpeed(10)
  expect(await pass(9)).toEqual([])
  expect(await pass(1)).toEqual(['500'])
})

it('plays everything without waiting at full speed, but not while the outlet is full', async () => {
  const { playout, outlet, pass } = await play([[at(0), at(1_000_000)]], { speed: 'max' })
  outlet.isFull = true
  playout.setPlaying(true)
  await pass(0)
  expect(playout.messages).toBeLessThanOrEqual(2)
  outlet.isFull = false
  outlet.free()
  await pass(0)
  expect(playout.messages).toBe(2)
  expect(playout.state).toMatchObject({ playing: false, ended: true })
})

it('plays a range with its start and without its end', async () => {
  const { playout, pass } = await play([[at(0), at(10), at(20), at(30)]], {
    speed: 'max',
    range: { fromMs: T0 + 10, toMs: T0 + 30 },
  })
  playout.setPlaying(true)
  expect(await pass(0)).toEqual(['jumped', '10', '20', 'ended'])
})

it('seeks to the first message at an instant, and plays on', async () => {
  const { playout, pass } = await play([[at(0), at(100), at(200)]])
  playout.seek(T0 + 100)
  await pass(0)
  playout.setPlaying(true)
  expect(await pass(0)).toEqual(['100'])
  playout.seek(T0)
  expect(await pass(0)).toEqual(['jumped', '0'])
})

it('plays on from where it is sent after its end, not from its start', async () => {
  const { playout, pass } = await play([[at(0), at(100), at(200)]], { speed: 'max' })
  playout.setPlaying(true)
  expect((await pass(0)).at(-1)).toBe('ended')
  playout.control({ atMs: T0 + 100, playing: true })
  expect(await pass(0)).toEqual(['jumped', '100', '200', 'ended'])
  playout.control({ playing: true })
  expect(await pass(0)).toEqual(['jumped', '0', '100', '200', 'ended'])
})

/** Holds a seek where it waits for the store. */
function holdSeeks() {
  let held: PromiseWithResolvers<void> | null = null
  let isWaiting = false
  return {
    changed: (reader: Reader): Reader => ({
      replay: (query, spares) => reader.replay(query, spares),
      async findPosition(query) {
        isWaiting = held !== null
        await held?.promise
        return reader.findPosition(query)
      },
    }),
    hold() {
      const { promise, resolve } = (held = Promise.withResolvers<void>())
      closing.push(() => (resolve(), promise)) // a playout that is closed waits for it
    },
    release: () => held?.resolve(),
    get isWaiting() {
      return isWaiting
    },
  }
}

it('plays on from where it was sent, also if it is told to play while the store looks for that', async () => {
  const seeks = holdSeeks()
  const { playout, pass } = await play([[at(0), at(100), at(200)]], { speed: 'max' }, seeks.changed)
  playout.setPlaying(true)
  expect((await pass(0)).at(-1)).toBe('ended')
  seeks.hold()
  playout.control({ atMs: T0 + 100 })
  expect([await pass(0), seeks.isWaiting]).toEqual([[], true])
  expect(playout.state.atMs).toBe(T0 + 100)
  playout.control({ playing: true })
  seeks.release()
  expect(await pass(0)).toEqual(['jumped', '100', '200', 'ended'])
})

it('does not end where it was while the store looks for where it was sent', async () => {
  const seeks = holdSeeks()
  const range = { fromMs: T0, toMs: T0 + 1_000 }
  const { playout, pass } = await play([[at(0), at(100)]], { range }, seeks.changed)
  playout.setPlaying(true)
  expect(await pass(150)).toEqual(['jumped', '0', '100'])
  seeks.hold()
  playout.seek(T0 + 50)
  expect([await pass(2_000), seeks.isWaiting]).toEqual([[], true])
  playout.setSpeed(2)
  seeks.release()
  expect(await pass(0)).toEqual(['jumped'])
  expect(await pass(25)).toEqual(['100'])
})

it('makes the last of several seeks', async () => {
  const seeks = holdSeeks()
  const { playout, pass } = await play([[at(0), at(100), at(200)]], {}, seeks.changed)
  await pass(0)
  seeks.hold()
  playout.seek(T0 + 100)
  expect([await pass(0), seeks.isWaiting]).toEqual([[], true])
  playout.seek(T0 + 200)
  playout.setPlaying(true)
  seeks.release()
  expect(await pass(0)).toEqual(['jumped', '200'])
})

it('starts again at the end of a loop, and never ends', async () => {
  const { playout, pass } = await play([[at(0), at(50)]], { loop: true, range: { fromMs: T0, toMs: T0 + 51 } })
  playout.setPlaying(true)
  const notes: string[] = []
  for (let i = 0; i < 12; i++) notes.push(...(await pass(10)))
  expect(notes.slice(0, 6)).toEqual(['jumped', '0', '50', 'jumped', '0', '50'])
  expect(notes).not.toContain('ended')
})

it('plays sessions one after another, and says where nothing was received between them', async () => {
  const { playout, pass } = await play([[at(0)], [at(3_600_000)]], { speed: 'max' })
  playout.setPlaying(true)
  expect(await pass(0)).toEqual(['jumped', '0', 'between', '3600000', 'ended'])
})

it('stops where a session can’t be read, and never goes on to the next one as if it had been whole', async () => {
  const { playout, outlet, pass } = await play([[at(0)], [at(3_600_000)]], {}, (reader, [first]) => ({
    findPosition: (query) => reader.findPosition(query),
    async *replay(query, spares) {
      yield* reader.replay(query, spares)
      if (query.session === first) throw new Error('can’t be read')
    },
  }))
  const failed = expect(playout.done).rejects.toThrow('can’t be read')
  outlet.fillsUp = true
  playout.setSpeed('max')
  playout.setPlaying(true)
  expect(await pass(0)).toEqual(['jumped', '0'])
  // The clock is asked while the failure is known but not yet met.
  playout.setSpeed(1_000)
  outlet.empty()
  expect(await pass(0)).toEqual([])
  await failed
})

/** Messages of more than one turn. */
const many = (count: number): Item[] => Array.from({ length: count }, (_, i) => at(i * 10))

it('is where its last message was when it is paused or slowed down at full speed', async () => {
  const { playout, outlet, pass } = await play([many(5_000)], { speed: 'max' })
  outlet.fillsUp = true
  playout.setPlaying(true)
  const first = await pass(0)
  const lastMs = Number(first.at(-1))
  expect(lastMs).toBeLessThan(40_960)
  playout.setPlaying(false)
  expect(playout.state.atMs).toBe(T0 + lastMs)
  outlet.empty()
  expect(await pass(0)).toEqual([])
  playout.setSpeed(1)
  playout.setPlaying(true)
  // Neither from the start again, nor all that was due at full speed.
  expect(await pass(10)).toEqual([String(lastMs + 10)])
})

it('keeps pace, however long its readings of the clock take', async () => {
  const clock = manualClock(0)
  let readings = 0
  const elapsedMs = (): number => clock.monoNs() / 1e6 + readings * 0.02
  const slow = {
    monoNs() {
      readings++
      return monoNs(elapsedMs() * 1e6)
    },
    after: clock.after,
  }
  const messages = Array.from({ length: 1_000 }, (_, ms) => at(ms))
  const { playout, outlet } = await play([messages], { clock: slow })
  playout.setPlaying(true)
  // From here on, everything has been read.
  while (!outlet.notes.includes('0')) await new Promise((resolve) => setImmediate(resolve))
  const aheadMs = playout.state.atMs - elapsedMs()
  for (let i = 0; i < 500; i++) {
    await clock.pass(1)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(readings).toBeGreaterThan(500)
  expect(Math.abs(playout.state.atMs - elapsedMs() - aheadMs)).toBeLessThan(1)
})
