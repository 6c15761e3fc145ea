import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type {
  Piece,
  SessionEffect,
  SessionEvent,
  SessionState,
} from '../../../../../../src/main/features/team/follow/session-model.ts'
import {
  MAX_WAITING_BYTES,
  newSessionState,
  reduceSession,
} from '../../../../../../src/main/features/team/follow/session-state.ts'
import type { Reason } from '../../../../../../src/shared/core/status/status.ts'

const WHY: Reason = { code: 'offline', message: 'Away.', hint: '', closeCode: null }
const piece = (firstSeq: number, lastSeq = firstSeq, bytes = 100): Piece => ({
  firstSeq,
  lastSeq,
  bytes,
  data: { is: 'flushes', flushes: [], signatures: [] },
})

interface Run {
  readonly state: SessionState
  /** Effects of the last event, as short texts. */
  readonly effects: readonly string[]
  /** Pieces taken by all events. */
  readonly taken: readonly (readonly [number, number])[]
}

const textOf = (effect: SessionEffect): string => {
  switch (effect.do) {
    case 'read':
      return `read ${effect.from} from ${effect.fromSeq}`
    case 'take':
      return `take ${effect.piece.firstSeq}-${effect.piece.lastSeq}`
    case 'retry-after':
      return 'retry'
    case 'open':
    case 'stop-reading':
    case 'end':
      return effect.do
  }
}

function run(events: readonly SessionEvent[], options: { isConnected?: boolean; hasHistory?: boolean } = {}): Run {
  let [state, effects] = newSessionState({ isConnected: true, hasHistory: true, ...options })
  const taken: [number, number][] = []
  for (const event of events) {
    ;[state, effects] = reduceSession(state, event)
    for (const effect of effects) {
      if (effect.do === 'take') taken.push([effect.piece.firstSeq, effect.piece.lastSeq])
    }
  }
  return { state, effects: effects.map(textOf), taken }
}

const opened = (lastSeq: number): SessionEvent => ({ is: 'opened', lastSeq })
const frame = (firstSeq: number, lastSeq = firstSeq, bytes = 100): SessionEvent => ({
  is: 'frame',
  piece: piece(firstSeq, lastSeq, bytes),
})
const readPiece = (firstSeq: number, lastSeq = firstSeq, bytes = 100): SessionEvent => ({
  is: 'read',
  piece: piece(firstSeq, lastSeq, bytes),
})
const stored = (seq: number, bytes = 100): SessionEvent => ({ is: 'stored', seq, bytes })
const END: SessionEvent = { is: 'read-end' }
const LIVE = [opened(0), END]

describe('following a session', () => {
  it.each<[title: string, events: readonly SessionEvent[], phase: string, effects: readonly string[]]>([
    ['opens the local copy first', [], 'opening', ['open']],
    ['reads the log after what it has', [opened(40)], 'reading', ['read log from 41']],
    ['is live at the end of the log', LIVE, 'live', []],
    ['takes what it reads', [opened(0), readPiece(1, 9)], 'reading', ['take 1-9']],
    ['ignores what it has', [opened(9), readPiece(1, 9)], 'reading', []],
    ['takes a piece that begins in what it has', [opened(5), readPiece(1, 9)], 'reading', ['take 1-9']],
    ['buffers while it reads', [opened(0), frame(10, 12)], 'reading', []],
    [
      'takes the buffer once the log meets it, without what it has',
      [opened(0), frame(7, 9), frame(10, 12), readPiece(1, 9), END],
      'live',
      ['take 10-12'],
    ],
    [
      'reads the log again if the buffer does not follow',
      [opened(0), frame(10, 12), readPiece(1, 5), END],
      'reading',
      ['read log from 6'],
    ],
    [
      'reads the log again if the buffer overflowed',
      [opened(0), frame(10, 11, MAX_WAITING_BYTES + 1), readPiece(1, 9), END],
      'reading',
      ['read log from 10'],
    ],
    ['takes live frames', [...LIVE, frame(1, 4)], 'live', ['take 1-4']],
    ['ignores a live frame that it has', [...LIVE, frame(1, 4), frame(1, 4)], 'live', []],
    ['reads the log if a live frame is missing', [...LIVE, frame(1), frame(3)], 'reading', ['read log from 2']],
    [
      'reads the log again later if the disk cannot keep up',
      [...LIVE, frame(1, 4, MAX_WAITING_BYTES), frame(5, 6)],
      'reading',
      ['read log from 5'],
    ],
    ['reads the log if it has more', [...LIVE, frame(1), { is: 'log-end', seq: 2 }], 'reading', ['read log from 2']],
    ['knows that it has everything', [...LIVE, frame(1), { is: 'log-end', seq: 1 }], 'live', []],
    [
      'reads the history where the log begins later',
      [opened(0), readPiece(100, 110)],
      'reading',
      ['read history from 1'],
    ],
    [
      'reads the log after the history',
      [opened(0), readPiece(100, 110), readPiece(1, 99), END],
      'reading',
      ['read log from 100'],
    ],
    [
      'waits if the history does not have it either',
      [opened(0), readPiece(100, 110), END],
      'waiting',
      ['stop-reading', 'retry'],
    ],
    [
      'reads the log again after a wait',
      [opened(0), readPiece(100, 110), END, { is: 'retry' }],
      'reading',
      ['read log from 1'],
    ],
    ['waits while the servers are away', [...LIVE, { is: 'disconnected' }], 'away', []],
    ['stops reading then', [opened(0), { is: 'disconnected' }], 'away', ['stop-reading']],
    [
      'fills in when they are back',
      [...LIVE, frame(1, 5), { is: 'disconnected' }, { is: 'connected' }],
      'reading',
      ['read log from 6'],
    ],
    [
      'tries again if reading fails',
      [opened(0), { is: 'read-failed', why: WHY }, { is: 'retry' }],
      'reading',
      ['read log from 1'],
    ],
    [
      'opens the copy again if storing failed',
      [...LIVE, frame(1, 5), { is: 'refused', why: WHY, final: false }, { is: 'retry' }],
      'opening',
      ['open'],
    ],
    [
      'stops at a chain that does not match',
      [opened(0), readPiece(1, 5), { is: 'refused', why: WHY, final: true }],
      'stopped',
      ['stop-reading'],
    ],
    [
      'ignores everything then',
      [...LIVE, frame(1), { is: 'refused', why: WHY, final: true }, frame(2), { is: 'connected' }, opened(3)],
      'stopped',
      [],
    ],
    [
      'ends the copy when the last frame is stored',
      [...LIVE, frame(1, 5), { is: 'closed', lastSeq: 5 }, stored(5)],
      'ending',
      ['end'],
    ],
    [
      'ends the copy when the end comes last',
      [...LIVE, frame(1, 5), stored(5), { is: 'closed', lastSeq: 5 }],
      'ending',
      ['end'],
    ],
    [
      'ends a copy that was complete before reading ended',
      [opened(0), readPiece(1, 5), stored(5), { is: 'closed', lastSeq: 5 }, END],
      'ending',
      ['end'],
    ],
    ['ends a copy that lacks nothing at once', [{ is: 'closed', lastSeq: 5 }, opened(5)], 'ending', ['end']],
    [
      'reads the end that did not arrive',
      [...LIVE, frame(1, 5), { is: 'closed', lastSeq: 9 }],
      'reading',
      ['read log from 6'],
    ],
    [
      'reads the end from the history if the log no longer has it',
      [{ is: 'closed', lastSeq: 9 }, opened(5), END],
      'reading',
      ['read history from 6'],
    ],
    ['has ended if the copy is complete', [{ is: 'opened', lastSeq: 9, isComplete: true }], 'ended', []],
    ['has ended', [{ is: 'closed', lastSeq: 0 }, opened(0), { is: 'copy-ended' }], 'ended', []],
  ])('%s', (_title, events, phase, effects) => {
    const { state, effects: found } = run(events)
    expect([state.phase.is, found]).toEqual([phase, effects])
  })

  it('says what neither the log nor a history has', () => {
    const missing = [opened(0), readPiece(100, 110)]
    const { state, effects } = run(missing, { hasHistory: false })
    expect(effects).toEqual(['stop-reading', 'retry'])
    expect(state.phase).toMatchObject({
      is: 'waiting',
      why: { message: "The team's log no longer has seq 1 to 99 of this session." },
    })
    expect(run([...missing, END]).state.phase).toMatchObject({
      why: { message: "Neither the team's log nor its history has seq 1 to 99 of this session." },
    })
  })

  it('opens the copy without servers, and waits for them', () => {
    expect(run([opened(3)], { isConnected: false }).state.phase.is).toBe('away')
    const { effects } = run([opened(3), { is: 'connected' }], { isConnected: false })
    expect(effects).toEqual(['read log from 4'])
  })
})

/** A log of frames with a reader, a lossy live subject and a store that fails now and then. */
class World {
  readonly #sizes: readonly number[]
  readonly taken: number[] = []
  state: SessionState
  #published = 0
  #reading: { from: 'log' | 'history'; next: number } | null = null
  #storing: Piece[] = []
  #stored = 0

  constructor(sizes: readonly number[], logFrom: number) {
    this.#sizes = sizes
    this.logFrom = Math.min(logFrom, sizes.length - 1)
    const [state, effects] = newSessionState({ isConnected: true, hasHistory: true })
    this.state = state
    this.#run(effects)
  }

  readonly logFrom: number

  get lastSeq(): number {
    return this.#sizes.reduce((sum, size) => sum + size, 0)
  }

  #piece(i: number): Piece {
    const firstSeq = 1 + this.#sizes.slice(0, i).reduce((sum, size) => sum + size, 0)
    return piece(firstSeq, firstSeq + this.#sizes[i] - 1, 4 << 20)
  }

  send(event: SessionEvent): void {
    const [state, effects] = reduceSession(this.state, event)
    this.state = state
    this.#run(effects)
  }

  #run(effects: readonly SessionEffect[]): void {
    for (const effect of effects) {
      if (effect.do === 'open') {
        this.#storing = []
        this.taken.splice(this.#stored)
        this.send({ is: 'opened', lastSeq: this.#stored })
      } else if (effect.do === 'read') this.#reading = { from: effect.from, next: this.#indexOf(effect.fromSeq) }
      else if (effect.do === 'stop-reading') this.#reading = null
      else if (effect.do === 'take') {
        this.#storing.push(effect.piece)
        for (let seq = effect.piece.firstSeq; seq <= effect.piece.lastSeq; seq++) this.taken.push(seq)
      }
    }
  }

  #indexOf(seq: number): number {
    for (let i = 0; i < this.#sizes.length; i++) if (this.#piece(i).lastSeq >= seq) return i
    return this.#sizes.length
  }

  step(act: 'publish' | 'lose' | 'read' | 'store' | 'fail' | 'away' | 'back' | 'retry'): void {
    if (act === 'publish' || act === 'lose') {
      if (this.#published >= this.#sizes.length) return
      const next = this.#piece(this.#published++)
      if (act === 'publish' && this.state.isConnected) this.send({ is: 'frame', piece: next })
    } else if (act === 'read') {
      if (this.#reading === null) return
      const { from, next } = this.#reading
      const start = from === 'log' ? Math.max(next, Math.min(this.logFrom, this.#published)) : next
      const limit = from === 'log' ? this.#published : Math.min(this.#published, this.logFrom + 1)
      if (start >= limit) {
        this.#reading = null
        this.send({ is: 'read-end' })
      } else {
        this.#reading = { from, next: start + 1 }
        this.send({ is: 'read', piece: this.#piece(start) })
      }
    } else if (act === 'store') {
      const one = this.#storing.shift()
      if (one === undefined) return
      this.#stored = one.lastSeq
      this.send({ is: 'stored', seq: one.lastSeq, bytes: one.bytes })
    } else if (act === 'fail') {
      if (this.#storing.length === 0) return
      this.#storing = []
      this.send({ is: 'refused', why: WHY, final: false })
    } else if (act === 'away') this.send({ is: 'disconnected' })
    else if (act === 'back') this.send({ is: 'connected' })
    else this.send({ is: 'retry' })
  }

  settle(): void {
    while (this.#published < this.#sizes.length) this.step('lose')
    this.send({ is: 'closed', lastSeq: this.lastSeq })
    for (let i = 0; i < 1_000 && this.state.phase.is !== 'ending'; i++) {
      for (const act of ['back', 'retry', 'read', 'store'] as const) this.step(act)
    }
  }
}

it('takes every seq once and in order, whatever is lost, fails or goes away', () => {
  const act = fc.constantFrom(
    ...(['publish', 'publish', 'publish', 'lose', 'read', 'read', 'store', 'store', 'fail', 'away', 'back', 'retry'] as const), // oxfmt-ignore
  )
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 20 }),
      fc.nat(10),
      fc.array(act, { maxLength: 120 }),
      (sizes, logFrom, acts) => {
        const world = new World(sizes, logFrom)
        for (const one of acts) world.step(one)
        world.settle()
        expect(world.state.phase.is).toBe('ending')
        expect(world.taken).toEqual(Array.from({ length: world.lastSeq }, (_, i) => i + 1))
        expect(world.state).toMatchObject({ storedSeq: world.lastSeq, storingBytes: 0, missing: null })
      },
    ),
    { numRuns: 300 },
  )
})
