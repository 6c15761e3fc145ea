/** What publishing does next, for each event in each situation, and that no order of events makes it stop for good. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  IDLE,
  step,
  type Effect,
  type PublishEvent,
  type PublishState,
  type SessionWork,
  type Trouble,
} from '../../../../../../src/main/features/team/publish/state.ts'
import type { ErrorCode } from '../../../../../../src/shared/base/errors.ts'
import { sessionId } from '../../../../../../src/shared/base/units.ts'

const [A, B] = [sessionId('01kccccccc0000000000000001'), sessionId('01kccccccc0000000000000002')]
const trouble = (code: ErrorCode): Trouble => ({ code, message: code, hint: undefined })
const at = (seq: number) => ({ seq, sequence: seq * 10 })
const session = (id: typeof A, more: Partial<SessionWork> = {}): SessionWork => ({
  id,
  isAnnounced: true,
  cursor: at(5),
  hasMore: false,
  isClosed: false,
  ...more,
})
const READY: PublishState = { ...IDLE, isConnected: true, isPrepared: true }
const state = (more: Partial<PublishState>): PublishState => ({ ...READY, sessions: [session(A)], ...more })
const publishing = state({ busy: 'publish' })

/** What is done, with the session as a letter. */
const brief = (effects: readonly Effect[]): string[] =>
  effects.map((effect) => {
    const of = 'session' in effect ? ` ${effect.session === A ? 'A' : 'B'}` : ''
    if (effect.do === 'wait') return `wait ${effect.ms}`
    if (effect.do === 'report') return `report ${effect.trouble?.code ?? 'over'}`
    return effect.do + of
  })

const CASES: readonly [string, PublishState, PublishEvent, readonly string[]][] = [
  ['reads a session back of which the log dropped frames', state({}), { is: 'dropped', session: A }, ['locate A']],
  ['finishes a publish first when the log dropped frames', publishing, { is: 'dropped', session: A }, []],
  ['reads it back after that publish', publishing, { is: 'dropped', session: A, ends: true }, ['locate A']],
  [
    'goes on without a session that the history has',
    state({ sessions: [session(A, { cursor: null })] }),
    { is: 'released', session: A },
    [],
  ],
  ['describes a session again that the team lacks', state({}), { is: 'undescribed', session: A }, ['announce A']],
  ['connects before there is anything to publish', IDLE, { is: 'started' }, ['connect']],
  ['connects for the first session', IDLE, { is: 'session', session: A, isClosed: false }, ['connect']],
  ['prepares once connected', { ...IDLE, busy: 'connect' }, { is: 'connected' }, ['prepare']],
  [
    'announces a session first',
    state({ sessions: [session(A, { isAnnounced: false, cursor: null })], busy: 'prepare' }),
    { is: 'prepared', isNew: true },
    ['announce A'],
  ],
  [
    'announces sessions again after a stream or bucket was made again',
    state({ sessions: [session(A)], busy: 'prepare', isPrepared: false }),
    { is: 'prepared', isNew: true },
    ['announce A'],
  ],
  [
    'reads them back and goes on where only a leader was missing',
    state({ sessions: [session(A, { cursor: null })], busy: 'prepare', isPrepared: false }),
    { is: 'prepared', isNew: false },
    ['locate A'],
  ],
  ['prepares again where a bucket is gone', state({}), { is: 'unprepared' }, ['prepare']],
  [
    'then reads it back from the log',
    state({ sessions: [session(A, { isAnnounced: false, cursor: null })], busy: 'announce' }),
    { is: 'announced', session: A },
    ['locate A'],
  ],
  [
    'then publishes behind that',
    state({ sessions: [session(A, { cursor: null })], busy: 'locate' }),
    { is: 'located', session: A, cursor: at(7) },
    ['publish A'],
  ],
  ['publishes on', publishing, { is: 'published', session: A, cursor: at(9) }, ['publish A']],
  ['rests once the store has no more', publishing, { is: 'caught-up', session: A }, []],
  [
    'publishes again what was committed while it looked',
    state({ busy: 'publish', sessions: [session(A, { hasMore: true })] }),
    { is: 'caught-up', session: A },
    ['publish A'],
  ],
  ['wakes for a commit', state({}), { is: 'committed', session: A }, ['publish A']],
  ['does one thing at a time', publishing, { is: 'committed', session: A }, []],
  ['ignores commits of other sessions', state({}), { is: 'committed', session: B }, []],
  ['looks for the rest of a session that ended', state({}), { is: 'closed', session: A }, ['publish A']],
  [
    'announces the end behind the last frame',
    state({ busy: 'publish', sessions: [session(A, { isClosed: true })] }),
    { is: 'caught-up', session: A },
    ['finish A'],
  ],
  [
    'goes on to the next session',
    state({ busy: 'finish', sessions: [session(A), session(B, { hasMore: true })] }),
    { is: 'finished', session: A },
    ['publish B'],
  ],
  [
    'publishes older sessions first',
    state({ busy: 'publish', sessions: [session(A, { hasMore: true }), session(B, { hasMore: true })] }),
    { is: 'published', session: B, cursor: at(9) },
    ['publish A'],
  ],
  [
    'passes by an older session that is still open',
    state({ sessions: [session(A), session(B)] }),
    { is: 'committed', session: B },
    ['publish B'],
  ],
  ['reads the log back after a conflict', publishing, { is: 'conflict', session: A }, ['locate A']],
  [
    'reports the ninth conflict in a row',
    state({ busy: 'publish', failures: 8 }),
    { is: 'conflict', session: A },
    ['report busy', 'wait 30000'],
  ],
  [
    'waits when NATS is away',
    publishing,
    { is: 'failed', session: A, trouble: trouble('offline') },
    ['report offline', 'wait 250'],
  ],
  [
    'asks again soon when a server replies with an error',
    state({ busy: 'publish', trouble: trouble('server-error'), failures: 1 }),
    { is: 'failed', session: A, trouble: trouble('server-error') },
    ['wait 500'],
  ],
  [
    'waits longer each time',
    state({ busy: 'publish', failures: 3, trouble: trouble('offline') }),
    { is: 'failed', session: A, trouble: trouble('offline') },
    ['wait 2000'],
  ],
  [
    'waits no longer than two seconds',
    state({ busy: 'publish', failures: 60, trouble: trouble('server-error') }),
    { is: 'failed', session: A, trouble: trouble('server-error') },
    ['wait 2000'],
  ],
  [
    'asks soon again where nothing was replied, because the time limit was the wait',
    state({ busy: 'publish', failures: 60, trouble: trouble('timeout') }),
    { is: 'failed', session: A, trouble: trouble('timeout') },
    ['wait 250'],
  ],
  [
    'doesn’t wait for a connection that is back',
    state({ busy: 'wait', sessions: [session(A, { cursor: null })] }),
    { is: 'link', isUp: true },
    ['stop-waiting', 'locate A'],
  ],
  [
    'waits briefly again on a connection that is back',
    step(state({ busy: 'locate', failures: 9 }), { is: 'link', isUp: true }).state,
    { is: 'failed', session: A, trouble: trouble('server-error') },
    ['report server-error', 'wait 250'],
  ],
  ['leaves a running operation alone when the connection is lost', publishing, { is: 'link', isUp: false }, []],
  ['connects anew after the connection was closed', state({}), { is: 'lost' }, ['connect']],
  [
    'makes a missing stream again',
    publishing,
    { is: 'failed', session: A, trouble: trouble('not-found') },
    ['report not-found', 'wait 250'],
  ],
  [
    'asks again later where a person has to act',
    publishing,
    { is: 'failed', session: A, trouble: trouble('forbidden') },
    ['report forbidden', 'wait 30000'],
  ],
  [
    'gives up a session that is corrupt, and goes on',
    state({ busy: 'publish', sessions: [session(A), session(B, { hasMore: true })] }),
    { is: 'failed', session: A, trouble: trouble('store-damaged') },
    ['give-up A', 'publish B'],
  ],
  [
    'forgets a session that was erased',
    state({ busy: 'locate', sessions: [session(A), session(B, { hasMore: true })] }),
    { is: 'erased', session: A },
    ['publish B'],
  ],
  [
    'reports when trouble is over',
    state({ busy: 'publish', trouble: trouble('offline'), failures: 4 }),
    { is: 'published', session: A, cursor: at(9) },
    ['report over', 'publish A'],
  ],
  [
    'takes up its work after a wait',
    state({ busy: 'wait', sessions: [session(A, { hasMore: true })] }),
    { is: 'waited' },
    ['publish A'],
  ],
  ['ignores a wait that was ended before', publishing, { is: 'waited' }, []],
]

describe('publishing', () => {
  it.each(CASES)('%s', (_, before, event, expected) => {
    expect(brief(step(before, event).effects)).toEqual(expected)
  })

  it('reads back the cursor of a session after a failure, and those of all after a stream was lost', () => {
    const two = state({ busy: 'publish', sessions: [session(A), session(B)] })
    const cursors = (code: ErrorCode) =>
      step(two, { is: 'failed', session: A, trouble: trouble(code) }).state.sessions.map(
        ({ cursor }) => cursor?.seq ?? null,
      )
    expect(cursors('offline')).toEqual([null, 5])
    expect(cursors('not-found')).toEqual([null, null])
    expect(cursors('forbidden')).toEqual([null, 5])
  })

  it('publishes everything once faults end, whatever happened before', () => {
    const codes = fc.constantFrom<ErrorCode>('offline', 'timeout', 'not-found', 'server-error', 'unauthorized', 'busy')
    const fault = fc.oneof(
      { weight: 3, arbitrary: fc.constant('ok' as const) },
      { weight: 1, arbitrary: fc.constant('conflict' as const) },
      { weight: 1, arbitrary: fc.constant('lost' as const) },
      { weight: 2, arbitrary: codes },
    )
    fc.assert(
      fc.property(
        fc.array(fault, { maxLength: 60, size: 'max' }),
        fc.array(fc.nat(3), { maxLength: 60 }),
        (faults, commits) => {
          const model = new Model()
          for (const [i, one] of faults.entries()) {
            for (let n = commits[i] ?? 0; n > 0; n--) model.commit(i % 2 === 0 ? A : B)
            model.turn(one)
          }
          for (const id of [A, B]) model.close(id)
          for (let turns = 0; model.isBusy; turns++) {
            model.turn('ok')
            expect(turns).toBeLessThan(200)
          }
          expect(model.log).toEqual(model.store)
          expect(model.finished).toEqual([A, B])
        },
      ),
      { numRuns: 300 },
    )
  })
})

/** A store, a log and the operations between them, without time. Each commit has the next seq. */
class Model {
  readonly store = new Map([
    [A, 0],
    [B, 0],
  ])
  readonly log = new Map([
    [A, 0],
    [B, 0],
  ])
  readonly finished: string[] = []
  #state: PublishState = IDLE
  #pending: Effect | null = null

  constructor() {
    this.#send({ is: 'session', session: A, isClosed: false })
    this.#send({ is: 'session', session: B, isClosed: false })
  }

  get isBusy(): boolean {
    return this.#pending !== null
  }

  commit(id: typeof A): void {
    this.store.set(id, (this.store.get(id) ?? 0) + 1)
    this.#send({ is: 'committed', session: id })
  }

  close(id: typeof A): void {
    this.#send({ is: 'closed', session: id })
  }

  /** Ends the pending operation as asked. A failed publish may have stored its message all the same. */
  turn(how: 'ok' | 'conflict' | 'lost' | ErrorCode): void {
    const effect = this.#pending
    if (effect === null) return
    this.#pending = null
    if (effect.do === 'wait') return this.#send({ is: 'waited' })
    const id = 'session' in effect ? effect.session : null
    if (how === 'lost') {
      this.#send({ is: 'lost' })
      return this.#send({ is: 'failed', session: id, trouble: trouble('offline') })
    }
    if (how === 'ok' || (how === 'conflict' && effect.do !== 'publish')) return this.#send(this.#perform(effect))
    if (how === 'conflict' && id !== null) return this.#send({ is: 'conflict', session: id })
    if (effect.do === 'publish' && how === 'timeout') this.#perform(effect)
    this.#send({ is: 'failed', session: id, trouble: trouble(how as ErrorCode) })
  }

  #perform(effect: Effect): PublishEvent {
    switch (effect.do) {
      case 'connect':
        return { is: 'connected' }
      case 'prepare':
        return { is: 'prepared', isNew: true }
      case 'announce':
        return { is: 'announced', session: effect.session }
      case 'locate':
        return { is: 'located', session: effect.session, cursor: at(this.log.get(effect.session) ?? 0) }
      case 'publish': {
        const { session, cursor } = effect
        if (cursor.seq === this.store.get(session)) return { is: 'caught-up', session }
        if (cursor.seq !== this.log.get(session)) return { is: 'conflict', session }
        this.log.set(session, cursor.seq + 1)
        return { is: 'published', session, cursor: at(cursor.seq + 1) }
      }
      case 'finish':
        expect(effect.lastSeq).toBe(this.store.get(effect.session))
        this.finished.push(effect.session)
        return { is: 'finished', session: effect.session }
      default:
        throw new Error(`not an operation: ${effect.do}`)
    }
  }

  #send(event: PublishEvent): void {
    const next = step(this.#state, event)
    this.#state = next.state
    for (const effect of next.effects) {
      if (effect.do === 'report' || effect.do === 'give-up') continue
      if (effect.do === 'stop-waiting') this.#pending = null
      else {
        expect(this.#pending).toBeNull()
        this.#pending = effect
      }
    }
  }
}
