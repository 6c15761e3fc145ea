import { describe, expect, test } from 'vitest'
import {
  reduce,
  idleConnection,
  missing,
  shown,
  ACK_WITHIN_MS,
  REJECTIONS,
  STEADY_MS,
  TOKEN_WORKED_MS,
} from '../../../../../../src/main/core/feeds/connection/connection-state.ts'
import type {
  Moment,
  ConnectionEffect,
  ConnectionEvent,
  ConnectionState,
} from '../../../../../../src/main/core/feeds/connection/connection-model.ts'
import { unixMs, type FeedId } from '../../../../../../src/shared/base/units.ts'

const T0 = 1_750_000_000_000
const FEED: FeedId = 'crypto/XT'
const BTC = 'BTC-USD'
const ETH = 'ETH-USD'

/** A session that is driven by events, remembering the effects of the last one. */
class Driver {
  state: ConnectionState
  effects: readonly ConnectionEffect[] = []
  all: ConnectionEffect[] = []
  now = T0
  heard: number | null = null
  roll = 0.5
  tokenEnded = false

  constructor(feed: FeedId = FEED) {
    this.state = idleConnection(feed, 'https://data.example.com')
  }
  send(event: ConnectionEvent): this {
    const at: Moment = {
      wallMs: unixMs(this.now),
      receivedMs: this.heard === null ? null : unixMs(this.heard),
      roll: this.roll,
      tokenEnded: this.tokenEnded,
    }
    ;[this.state, this.effects] = reduce(this.state, event, at)
    this.all.push(...this.effects)
    return this
  }
  /** The generation of the current socket. */
  get g(): number {
    return this.state.generation
  }
  pass(ms: number): this {
    this.now += ms
    return this
  }
  ended(): this {
    this.tokenEnded = true
    return this
  }
  hear(): this {
    this.heard = this.now
    return this
  }
  did(kind: ConnectionEffect['do']): ConnectionEffect[] {
    return this.effects.filter((effect) => effect.do === kind)
  }
  get causes(): string[] {
    return this.state.gaps.map((gap) => gap.cause)
  }
  want(...symbols: string[]): this {
    return this.send({ is: 'wanted', symbols, sinceMs: unixMs(this.now) })
  }
  upgraded(): this {
    return this.hear().send({ is: 'upgraded', generation: this.g })
  }
  acked(...symbols: string[]): this {
    return this.hear().send({ is: 'acknowledged', generation: this.g, symbols })
  }
  closed(code: number, words = ''): this {
    return this.send({ is: 'closed', generation: this.g, code, words })
  }
  error(code: string, message = ''): this {
    return this.hear().send({ is: 'errorFrame', generation: this.g, error: { code, message } })
  }
}

const opened = (...symbols: string[]): Driver => {
  const wanted = symbols.length > 0 ? symbols : [BTC]
  return new Driver()
    .want(...wanted)
    .upgraded()
    .acked(...wanted)
}
const redial = (d: Driver): Driver => d.send({ is: 'timer', timer: 'retry' }).upgraded()

describe('connecting', () => {
  test('a subscription dials and opens a gap of cause connect from its time on', () => {
    const d = new Driver()
    d.send({ is: 'wanted', symbols: [BTC], sinceMs: unixMs(T0 - 40) })
    expect(shown(d.state)).toEqual({ is: 'connecting', attempt: 1 })
    expect(d.did('dial')).toEqual([{ do: 'dial', generation: 1 }])
    expect(d.did('gapOpen')).toEqual([
      { do: 'gapOpen', gap: { id: 1, cause: 'connect', symbols: [BTC], fromMs: T0 - 40 } },
    ])
  })

  test('the upgrade subscribes; only the acknowledgement opens the feed and closes the gap', () => {
    const d = new Driver().want(BTC, ETH).upgraded()
    expect(shown(d.state).is).toBe('connecting')
    expect(d.did('send')).toEqual([{ do: 'send', action: 'subscribe', symbols: [BTC, ETH] }])
    expect(missing(d.state)).toEqual([BTC, ETH])
    d.pass(30).acked('BTCUSD', 'X:ETHUSD')
    expect(shown(d.state)).toEqual({ is: 'open', sinceMs: T0 + 30 })
    expect(d.did('gapClose')).toEqual([{ do: 'gapClose', id: 1, toMs: T0 + 30 }])
    expect(d.state.gaps).toEqual([])
    expect(missing(d.state)).toEqual([])
  })

  test('data before the acknowledgement opens the feed, but the gap stays', () => {
    const d = new Driver().want(BTC).upgraded()
    d.send({ is: 'frame', generation: d.g })
    expect(shown(d.state).is).toBe('open')
    expect(d.causes).toEqual(['connect'])
  })

  test('symbols missing from the acknowledgement get their own gap and are shown as missing', () => {
    const d = new Driver().want(BTC, ETH).upgraded().pass(10).acked('BTC-USD')
    expect(missing(d.state)).toEqual([ETH])
    expect(d.did('gapClose')).toHaveLength(1)
    expect(d.state.gaps).toEqual([{ id: 2, cause: 'unacknowledged', symbols: [ETH], fromMs: T0 + 10 }])
    d.pass(50).want(BTC, ETH, 'SOL-USD')
    d.acked('BTC-USD', 'ETH-USD', 'SOL-USD')
    expect(d.state.gaps).toEqual([])
  })

  test('the acknowledgement of the first of two subscribes reports nothing missing yet', () => {
    const d = new Driver().want(BTC).upgraded().want(BTC, ETH).acked(BTC)
    expect(d.causes).toEqual(['connect'])
    expect(d.state.gaps[0]?.symbols).toEqual([ETH])
    d.acked(BTC, ETH)
    expect(d.state.gaps).toEqual([])
  })

  test('without acknowledgement and data in time it retries and the gap stays open', () => {
    const d = new Driver().want(BTC).upgraded()
    expect(d.effects).toContainEqual({ do: 'armTimer', timer: 'ack', ms: ACK_WITHIN_MS })
    d.pass(ACK_WITHIN_MS).send({ is: 'timer', timer: 'ack' })
    expect(d.state.phase).toMatchObject({ is: 'waiting', why: { code: 'protocol' } })
    expect(d.did('close')).toEqual([{ do: 'close', generation: 1, how: 'normal' }])
    expect(d.causes).toEqual(['connect'])
  })

  test('an acknowledgement that never comes on an open feed becomes a gap, not a disconnection', () => {
    const d = opened(BTC).pass(100).want(BTC, ETH).pass(ACK_WITHIN_MS).send({ is: 'timer', timer: 'ack' })
    expect(d.state.phase.is).toBe('open')
    expect(d.state.gaps).toMatchObject([{ cause: 'unacknowledged', symbols: [ETH] }])
    expect(d.did('problem')).toHaveLength(1)
  })
})

describe('subscriptions', () => {
  test('another symbol is subscribed alone, with a gap until its acknowledgement', () => {
    const d = opened(BTC).pass(1_000).want(BTC, ETH)
    expect(d.did('send')).toEqual([{ do: 'send', action: 'subscribe', symbols: [ETH] }])
    expect(d.state.gaps).toMatchObject([{ cause: 'connect', symbols: [ETH], fromMs: T0 + 1_000 }])
    expect(d.acked(BTC, ETH).state.gaps).toEqual([])
  })
  test('a symbol that is no longer wanted is unsubscribed and its open gap closes', () => {
    const d = opened(BTC).want(BTC, ETH).want(BTC)
    expect(d.did('send')).toEqual([{ do: 'send', action: 'unsubscribe', symbols: [ETH] }])
    expect(d.did('gapClose')).toHaveLength(1)
    d.send({ is: 'released', generation: d.g, symbols: [ETH] })
    expect(d.state.acknowledged).toEqual([BTC])
  })
  test('a gap of a lost connection ends for the symbol that is no longer wanted, and begins again for the others', () => {
    const d = opened(BTC, ETH).hear().closed(1006)
    const [before] = d.state.gaps
    d.pass(5_000).want(ETH)
    expect(d.effects).toEqual([
      { do: 'gapOpen', gap: { id: before.id + 1, cause: 'drop', symbols: [ETH], fromMs: d.now } },
      { do: 'gapClose', id: before.id, toMs: d.now },
    ])
    d.want(ETH)
    expect(d.effects).toEqual([])
    expect(redial(d).acked(ETH).state.gaps).toEqual([])
  })
  test('a symbol that is subscribed again before its release stays acknowledged', () => {
    const d = opened(BTC).want(BTC, ETH).acked(BTC, ETH).want(BTC).want(BTC, ETH)
    d.send({ is: 'released', generation: d.g, symbols: [ETH] })
    expect(d.state.acknowledged).toEqual([BTC, ETH])
  })
  test('a release of thousands of symbols is walked a few times, not once for each', () => {
    const many = Array.from({ length: 1_000 }, (_, i) => `T${i}`)
    const d = opened(BTC).acked(BTC, ...many)
    let reads = 0
    const symbols = new Proxy(many, {
      get(target, key, self): unknown {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads++
        return Reflect.get(target, key, self)
      },
    })
    d.send({ is: 'released', generation: d.g, symbols })
    expect(d.state.acknowledged).toEqual([BTC])
    expect(reads).toBeGreaterThan(0)
    expect(reads).toBeLessThanOrEqual(4 * many.length)
  })
  test('removing the last symbol closes with 1000; an empty list is never sent', () => {
    const d = opened(BTC).want()
    expect(shown(d.state)).toEqual({ is: 'idle' })
    expect(d.did('close')).toEqual([{ do: 'close', generation: 1, how: 'normal' }])
    expect(d.did('send')).toEqual([])
    d.closed(1000)
    expect(d.state.phase.is).toBe('idle')
    expect(d.effects).toEqual([])
  })
  test('an alias of the same instrument sends nothing', () => {
    expect(opened(BTC).want('BTCUSD').did('send')).toEqual([])
  })
  test('subscriptions while waiting do not dial early and are all sent later', () => {
    const d = opened(BTC).closed(1006).want(BTC, ETH)
    expect(d.did('dial')).toEqual([])
    expect(redial(d).did('send')).toEqual([{ do: 'send', action: 'subscribe', symbols: [BTC, ETH] }])
  })
})

/** Every documented end of a connection: section 3, 7.1 of the service document, and the network's own. */
const ENDS: readonly {
  readonly name: string
  readonly end: (d: Driver) => Driver
  readonly phase: string
  readonly code: string
  readonly cause: string
  readonly hint?: RegExp
}[] = [
  { name: '1000', end: (d) => d.closed(1000), phase: 'waiting', code: 'offline', cause: 'drop' },
  { name: '1006, network gone', end: (d) => d.closed(0), phase: 'waiting', code: 'offline', cause: 'drop' },
  {
    name: '1012 restart',
    end: (d) => d.closed(1012, 'upgrade of the plant'),
    phase: 'waiting',
    code: 'offline',
    cause: 'drop',
  },
  {
    name: '4400',
    end: (d) => d.closed(4400, 'unknown feed'),
    phase: 'refused',
    code: 'unknown-feed',
    cause: 'refused',
  },
  {
    name: 'error unknown_feed, then a close without a code',
    end: (d) => d.error('unknown_feed', 'no such feed').closed(0),
    phase: 'refused',
    code: 'unknown-feed',
    cause: 'refused',
  },
  {
    name: 'error authentication_failed, then 4401',
    end: (d) => d.error('authentication_failed', 'expired').closed(4401, 'expired'),
    phase: 'connecting',
    code: '',
    cause: 'token',
  },
  { name: '4401 alone', end: (d) => d.closed(4401, 'expired'), phase: 'connecting', code: '', cause: 'token' },
  {
    name: 'error authentication_failed and no close at all',
    end: (d) => d.error('authentication_failed').pass(3_000).send({ is: 'timer', timer: 'closing' }),
    phase: 'connecting',
    code: '',
    cause: 'token',
  },
  {
    name: 'protocol_error',
    end: (d) => d.error('protocol_error', 'tickers must be a list').closed(1000),
    phase: 'waiting',
    code: 'protocol',
    cause: 'drop',
  },
  {
    name: 'an error code that no document names',
    end: (d) => d.error('weather', 'rain').closed(1008),
    phase: 'waiting',
    code: 'protocol',
    cause: 'drop',
    hint: /[Yy]our plan may not/,
  },
  {
    name: 'an error that speaks of the plan',
    end: (d) => d.error('plan_required', 'Premium only').closed(1008),
    phase: 'refused',
    code: 'plan',
    cause: 'refused',
    hint: /Your plan may not/,
  },
  {
    name: '4401 that speaks of the plan',
    end: (d) => d.closed(4401, 'your plan does not include XT'),
    phase: 'refused',
    code: 'plan',
    cause: 'refused',
    hint: /Your plan may not/,
  },
  {
    name: 'half-open',
    end: (d) => d.send({ is: 'halfOpen', generation: d.g }),
    phase: 'waiting',
    code: 'timeout',
    cause: 'half-open',
  },
  {
    name: 'reset',
    end: (d) => d.send({ is: 'socketError', generation: d.g, code: 'ECONNRESET' }),
    phase: 'waiting',
    code: 'offline',
    cause: 'drop',
  },
  {
    name: 'a broken frame',
    end: (d) => d.send({ is: 'socketError', generation: d.g, code: 'WS_ERR_INVALID_OPCODE' }),
    phase: 'waiting',
    code: 'protocol',
    cause: 'drop',
  },
  {
    name: 'an oversize frame',
    end: (d) => d.send({ is: 'oversize', generation: d.g, limitBytes: 1024 }),
    phase: 'waiting',
    code: 'protocol',
    cause: 'drop',
  },
]

describe.each(ENDS)('an open connection ends: $name', ({ end, phase, code, cause, hint }) => {
  test(`→ ${phase}, with a gap from the last receipt`, () => {
    const d = opened(BTC, ETH)
    d.pass(10_000).hear().pass(700)
    end(d)
    expect(d.state.phase.is).toBe(phase)
    const why = 'why' in d.state.phase ? d.state.phase.why : null
    if (code !== '') expect(why?.code).toBe(code)
    if (hint) expect(why?.hint).toMatch(hint)
    if (why) expect(why.hint.length).toBeGreaterThan(10)
    const gap = d.all.filter((e) => e.do === 'gapOpen').at(-1)?.gap
    expect(gap?.cause).toBe(cause)
    expect(gap?.symbols).toEqual([BTC, ETH])
    // An error frame is a sign of life too, so the gap starts no earlier than what was last heard.
    const first = d.all.filter((e) => e.do === 'gapOpen').find((e) => e.gap.fromMs >= T0 + 10_000)
    expect(first?.gap.fromMs).toBe(d.heard)
    if (phase === 'connecting') expect(d.all.some((e) => e.do === 'renewToken')).toBe(true)
    if (phase === 'waiting') {
      expect(d.did('armTimer')).toMatchObject([{ timer: 'retry' }])
      redial(d).pass(20).acked(BTC, ETH)
      expect(d.state.gaps).toEqual([])
      expect(shown(d.state).is).toBe('open')
    }
    if (phase === 'refused') {
      expect(d.did('armTimer')).toEqual([])
      d.send({ is: 'timer', timer: 'retry' })
      expect(d.state.phase.is).toBe('refused')
      d.send({ is: 'retry' })
      expect(d.did('dial')).toHaveLength(1)
    }
  })
})

describe('an upgrade that is refused', () => {
  const cases: readonly (readonly [number, string, string, RegExp])[] = [
    [403, 'refused', 'forbidden-origin', /origin https:\/\/data\.example\.com/],
    [404, 'refused', 'unknown-feed', /\/ws\/crypto\/XT\//],
    [302, 'refused', 'bad-url', /redirects/],
    [402, 'refused', 'plan', /account has no access/],
    [429, 'waiting', 'offline', /too many/],
    [503, 'waiting', 'offline', /isn’t available/],
    [200, 'waiting', 'bad-url', /didn’t open a WebSocket/],
  ]
  test.each(cases)('HTTP %i → %s %s', (status, phase, code, message) => {
    const d = new Driver().want(BTC)
    d.send({ is: 'upgradeRefused', generation: 1, status, retryAfterMs: null })
    expect(d.state.phase).toMatchObject({ is: phase, why: { code } })
    expect('why' in d.state.phase && d.state.phase.why.message).toMatch(message)
  })
  test('HTTP 401 renews the token', () => {
    const d = new Driver().want(BTC).send({ is: 'upgradeRefused', generation: 1, status: 401, retryAfterMs: null })
    expect(d.did('renewToken')).toHaveLength(1)
  })
  test('Retry-After is honored', () => {
    const d = new Driver().want(BTC).send({ is: 'upgradeRefused', generation: 1, status: 429, retryAfterMs: 60_000 })
    expect(d.did('armTimer')).toEqual([{ do: 'armTimer', timer: 'retry', ms: 60_000 }])
  })
  test('a refusal changes the cause of the gap from connect to refused without an interruption', () => {
    const d = new Driver()
      .want(BTC)
      .pass(80)
      .send({ is: 'upgradeRefused', generation: 1, status: 403, retryAfterMs: null })
    expect(d.did('gapClose')).toEqual([{ do: 'gapClose', id: 1, toMs: T0 + 80 }])
    expect(d.state.gaps).toMatchObject([{ cause: 'refused', fromMs: T0 + 80 }])
  })
})

describe('tokens', () => {
  test('4401 renews once, dials again, and a token that worked for a while is renewed again', () => {
    const d = opened(BTC).pass(STEADY_MS).closed(4401)
    expect(shown(d.state)).toMatchObject({ is: 'connecting' })
    d.send({ is: 'tokenReady' })
    expect(d.did('dial')).toEqual([{ do: 'dial', generation: 2 }])
    d.upgraded().acked(BTC)
    expect(d.state.gaps).toEqual([])
    d.pass(TOKEN_WORKED_MS).closed(4401)
    expect(d.did('renewToken')).toHaveLength(1)
  })
  /** After a renewal: how long the connection is open, and what else ends it, until 4401 comes again. */
  const AGAIN: readonly {
    readonly name: string
    readonly then: (d: Driver) => Driver
    readonly phase: 'refused' | 'connecting'
  }[] = [
    { name: 'at once', then: (d) => d.closed(4401), phase: 'refused' },
    { name: 'after seconds', then: (d) => d.pass(STEADY_MS + 2_000).closed(4401), phase: 'refused' },
    { name: 'just before it counts', then: (d) => d.pass(TOKEN_WORKED_MS - 1).closed(4401), phase: 'refused' },
    { name: 'after a minute', then: (d) => d.pass(TOKEN_WORKED_MS).closed(4401), phase: 'connecting' },
    {
      name: 'after seconds, a drop and seconds',
      then: (d) => redial(d.pass(10_000).closed(1006)).acked(BTC).pass(10_000).closed(4401),
      phase: 'refused',
    },
    {
      name: 'after a minute, a drop and seconds',
      then: (d) => redial(d.pass(TOKEN_WORKED_MS).closed(1006)).acked(BTC).pass(10_000).closed(4401),
      phase: 'connecting',
    },
    { name: 'at the end of its short life', then: (d) => d.pass(STEADY_MS).ended().closed(4401), phase: 'connecting' },
    { name: 'ended when it came', then: (d) => d.pass(100).ended().closed(4401), phase: 'refused' },
    {
      name: 'after a person said retry',
      then: (d) => d.closed(4401).send({ is: 'retry' }).upgraded().acked(BTC).closed(4401),
      phase: 'connecting',
    },
  ]
  test.each(AGAIN)('a renewed token is refused again $name: $phase', ({ then, phase }) => {
    const d = opened(BTC).pass(STEADY_MS).closed(4401).send({ is: 'tokenReady' }).upgraded().acked(BTC)
    then(d)
    expect(d.state.phase.is).toBe(phase)
    expect(d.did('renewToken')).toHaveLength(phase === 'connecting' ? 1 : 0)
  })
  test('a service that refuses each token after seconds gets two, then the user has to retry', () => {
    const d = opened(BTC)
    for (let i = 0; i < 20 && shown(d.state).is === 'open'; i++) {
      d.pass(8_000).closed(4401).send({ is: 'tokenReady' }).upgraded().acked(BTC)
    }
    expect(d.all.filter((effect) => effect.do === 'renewToken')).toHaveLength(1)
    expect(d.state.phase).toMatchObject({ is: 'refused', why: { code: 'token-expired' } })
  })
  test('4401 with the renewed token too: refused, with the plan as a possible reason', () => {
    const d = new Driver()
      .want(BTC)
      .upgraded()
      .closed(4401)
      .send({ is: 'tokenReady' })
      .upgraded()
      .closed(4401, 'bad token')
    expect(d.did('renewToken')).toEqual([])
    expect(d.state.phase).toMatchObject({ is: 'refused', why: { code: 'token-expired', closeCode: 4401 } })
    expect('why' in d.state.phase && d.state.phase.why).toMatchObject({
      message: 'The service refused a new access token too. The service replied “bad token” (code 4401).',
      hint: expect.stringMatching(/Sign in again.*your plan may not/s) as string,
    })
    expect(d.causes).toEqual(['token'])
  })
  test('a service that acknowledges and then refuses the token at once is not a hot loop', () => {
    const d = opened(BTC).closed(4401).send({ is: 'tokenReady' }).upgraded().acked(BTC).pass(100).closed(4401)
    expect(d.state.phase.is).toBe('refused')
  })
  test.each(['offline', 'timeout', 'tls'] as const)('no token because %s: waits and tries again', (code) => {
    const d = new Driver().want(BTC).send({ is: 'tokenFailed', failure: { code, message: 'm', hint: 'h' } })
    expect(d.state.phase).toMatchObject({ is: 'waiting', why: { code, message: 'm', hint: 'h' } })
  })
  test.each(['wrong-password', 'token-missing', 'bad-url', 'insecure-url', 'keychain'] as const)(
    'no token because %s: stops',
    (code) => {
      const d = new Driver().want(BTC).send({ is: 'tokenFailed', failure: { code, message: 'm' } })
      expect(d.state.phase).toMatchObject({ is: 'refused', why: { code } })
      expect(d.causes).toEqual(['token'])
    },
  )
})

describe('retries', () => {
  test('continue without end, between 0.5 and 30 s', () => {
    const d = new Driver().want(BTC)
    for (let i = 0; i < 200; i++) {
      d.roll = (i * 0.618) % 1
      d.send({ is: 'socketError', generation: d.g, code: i % 2 === 0 ? 'ENOTFOUND' : 'ECONNREFUSED' })
      const [timer] = d.did('armTimer')
      expect(timer).toMatchObject({ timer: 'retry' })
      const ms = timer?.do === 'armTimer' ? timer.ms : 0
      expect(ms).toBeGreaterThanOrEqual(500)
      expect(ms).toBeLessThanOrEqual(30_000)
      expect(shown(d.state)).toMatchObject({ is: 'waiting', attempt: i + 1, untilMs: T0 + ms })
      d.send({ is: 'timer', timer: 'retry' })
    }
    expect(d.causes).toEqual(['connect'])
  })
  test('rejections in a row stop after a few', () => {
    const d = new Driver().want(BTC)
    for (let i = 1; i <= REJECTIONS; i++) {
      d.upgraded().error('protocol_error', 'no').closed(1000)
      expect(d.state.phase.is).toBe(i < REJECTIONS ? 'waiting' : 'refused')
      if (i < REJECTIONS) d.send({ is: 'timer', timer: 'retry' })
    }
  })
  test('retry ends a wait at once and forgets the failures', () => {
    const d = opened(BTC).closed(0).send({ is: 'retry' })
    expect(d.did('dial')).toHaveLength(1)
    expect(d.state.attempt).toBe(0)
  })
  test('retry of an open feed changes nothing', () => {
    const d = opened(BTC)
    const before = d.state
    expect(d.send({ is: 'retry' }).state).toBe(before)
  })
  test.each(['wake', 'networkUp'] as const)('%s ends a wait, probes an open socket, leaves a refusal', (is) => {
    expect(opened(BTC).closed(0).send({ is }).did('dial')).toHaveLength(1)
    expect(opened(BTC).send({ is }).effects).toEqual([{ do: 'probe' }])
    expect(opened(BTC).closed(4400).send({ is }).state.phase.is).toBe('refused')
  })
})

describe('generations', () => {
  test('events of an earlier socket are ignored', () => {
    const d = opened(BTC).closed(0)
    redial(d).acked(BTC)
    const before = d.state
    const late: ConnectionEvent[] = [
      { is: 'closed', generation: 1, code: 4400, words: '' },
      { is: 'socketError', generation: 1, code: 'ECONNRESET' },
      { is: 'acknowledged', generation: 1, symbols: [] },
      { is: 'released', generation: 1, symbols: [BTC] },
      { is: 'errorFrame', generation: 1, error: { code: 'unknown_feed', message: '' } },
      { is: 'frame', generation: 1 },
      { is: 'halfOpen', generation: 1 },
      { is: 'upgraded', generation: 1 },
      { is: 'oversize', generation: 1, limitBytes: 1 },
      { is: 'upgradeRefused', generation: 1, status: 403, retryAfterMs: null },
    ]
    for (const event of late) {
      d.send(event)
      expect(d.state).toBe(before)
      expect(d.effects).toEqual([])
    }
  })
  test('the close that follows an error of the same socket is not counted again', () => {
    const d = opened(BTC).send({ is: 'socketError', generation: 1, code: 'ECONNRESET' })
    const { attempt } = d.state
    d.closed(0)
    expect(d.state.attempt).toBe(attempt)
    expect(d.effects).toEqual([])
  })
})

describe('freshness', () => {
  test('unusual silence is stale, without a gap; a frame ends it', () => {
    const d = opened(BTC).pass(9_000).send({ is: 'tick', silentMs: 5_001, staleAfterMs: 5_000, mute: false })
    expect(shown(d.state)).toEqual({ is: 'stale', sinceMs: T0, lastMs: T0 + 9_000 - 5_001 })
    expect(d.state.gaps).toEqual([])
    d.send({ is: 'frame', generation: d.g })
    expect(shown(d.state)).toEqual({ is: 'open', sinceMs: T0 })
  })
  test('acknowledged and then mute: stale, and says "perhaps your plan"', () => {
    const d = opened(BTC).send({ is: 'tick', silentMs: 30_001, staleAfterMs: 30_000, mute: true })
    expect(d.state.phase.is).toBe('stale')
    expect(d.effects).toMatchObject([{ do: 'problem', why: { code: 'plan' } }])
  })
  test('usual silence changes nothing', () => {
    expect(opened(BTC).send({ is: 'tick', silentMs: 5_000, staleAfterMs: 5_000, mute: false }).state.phase.is).toBe(
      'open',
    )
  })
  test('a stale feed that drops has a gap from its last receipt', () => {
    const d = opened(BTC).pass(9_000).send({ is: 'tick', silentMs: 9_000, staleAfterMs: 5_000, mute: false })
    d.hear().pass(400).closed(0)
    expect(d.state.gaps).toMatchObject([{ cause: 'drop', fromMs: T0 + 9_000 }])
  })
})

describe('sleep', () => {
  test('closes with 1000, opens a gap of cause sleep, and wake dials', () => {
    const d = opened(BTC).pass(60).send({ is: 'sleep' })
    expect(d.did('close')).toMatchObject([{ how: 'normal' }])
    expect(d.state.gaps).toMatchObject([{ cause: 'sleep', fromMs: T0 }])
    expect(shown(d.state).is).toBe('waiting')
    d.closed(1000)
    d.pass(3_600_000).send({ is: 'wake' })
    d.upgraded().acked(BTC)
    expect(d.did('gapClose')).toEqual([{ do: 'gapClose', id: 2, toMs: T0 + 3_600_060 }])
  })
  test('a wake that is never reported does not keep it asleep', () => {
    const d = opened(BTC).send({ is: 'sleep' })
    expect(d.did('armTimer')).toMatchObject([{ timer: 'retry' }])
    expect(d.send({ is: 'timer', timer: 'retry' }).did('dial')).toHaveLength(1)
  })
  test('a pause noticed afterwards probes the open connection', () => {
    const d = opened(BTC).pass(60_000).send({ is: 'paused' })
    expect(d.state.gaps).toMatchObject([{ cause: 'sleep', fromMs: T0 }])
    expect(d.did('send')).toEqual([{ do: 'send', action: 'subscribe', symbols: [BTC] }])
    expect(d.did('probe')).toHaveLength(1)
    d.pass(50).acked(BTC)
    expect(d.did('gapClose')).toEqual([{ do: 'gapClose', id: 2, toMs: T0 + 60_050 }])
  })
})

describe('a probed connection', () => {
  test('without an acknowledgement has received nothing since, whatever it acknowledged before', () => {
    const d = opened(BTC).pass(60_000).send({ is: 'paused' })
    d.pass(ACK_WITHIN_MS).send({ is: 'timer', timer: 'ack' })
    expect(d.state.gaps).toMatchObject([{ cause: 'unacknowledged', symbols: [BTC] }])
    expect(d.did('problem')).toHaveLength(1)
  })
  test('is not proven by the acknowledgement of an earlier request', () => {
    const d = opened(BTC).want(BTC, ETH) // on its way when the machine stops
    d.pass(60_000).send({ is: 'paused' }).pass(5).acked(BTC, ETH)
    expect(d.causes).toEqual(['connect', 'sleep'])
    expect(d.did('gapClose')).toEqual([])
    expect(missing(d.state)).toEqual([BTC, ETH])
    d.pass(5).acked(BTC, ETH)
    expect(d.state.gaps).toEqual([])
    expect(d.did('gapClose')).toMatchObject([{ toMs: d.now }, { toMs: d.now }])
  })
  test('that is probed twice waits for the response to the second probe', () => {
    const d = opened(BTC).pass(60_000).send({ is: 'paused' }).pass(60_000).send({ is: 'paused' })
    d.pass(5).acked(BTC)
    expect(d.causes).toEqual(['sleep'])
    d.pass(5).acked(BTC)
    expect(d.causes).toEqual([])
  })
  test('counts the first response of the next socket, whatever was pending on the last', () => {
    const d = opened(BTC).want(BTC, ETH).pass(60_000).send({ is: 'paused' }).closed(1006)
    redial(d).acked(BTC, ETH)
    expect(d.state.gaps).toEqual([])
  })
})

describe('a clock that was set', () => {
  test.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('%s by an hour: a gap of cause clock in the new time, and the connection proves itself', (_, shiftMs) => {
    const d = opened(BTC).pass(1_000)
    d.now += shiftMs
    d.send({ is: 'clock', shiftMs, elapsedMs: 1_000 })
    expect(d.state.gaps).toMatchObject([{ cause: 'clock', symbols: [BTC], fromMs: T0 + shiftMs }])
    expect(d.did('send')).toEqual([{ do: 'send', action: 'subscribe', symbols: [BTC] }])
    expect(shown(d.state)).toEqual({ is: 'open', sinceMs: T0 + shiftMs })
    d.pass(50).acked(BTC)
    expect(d.did('gapClose')).toEqual([{ do: 'gapClose', id: 2, toMs: d.now }])
  })
  test('by less than seconds: no gap, and remembered times move along', () => {
    const d = opened(BTC).pass(STEADY_MS)
    d.now -= 2_000
    d.send({ is: 'clock', shiftMs: -2_000, elapsedMs: 1_000 })
    expect(d.effects).toEqual([])
    expect(shown(d.state)).toEqual({ is: 'open', sinceMs: T0 - 2_000 })
    d.closed(1006)
    expect(d.state.attempt).toBe(1)
    const untilMs = d.state.phase.is === 'waiting' ? d.state.phase.untilMs : NaN
    d.send({ is: 'clock', shiftMs: 60_000, elapsedMs: 1_000 })
    expect(d.state.phase).toMatchObject({ is: 'waiting', untilMs: untilMs + 60_000 })
    expect(d.did('dial')).toEqual([])
  })
})

describe('quit', () => {
  test('leaves a gap of cause quit open for symbols that no other gap covers', () => {
    const d = opened(BTC).pass(100).hear().pass(5).send({ is: 'quit' })
    expect(d.state.gaps).toMatchObject([{ cause: 'quit', symbols: [BTC], fromMs: T0 + 100 }])
    expect(shown(d.state)).toEqual({ is: 'idle' })
  })
  test('a wall clock that was set back does not put the edge of a gap into the future', () => {
    const d = opened(BTC)
    d.now -= 3_600_000
    d.closed(0)
    expect(d.state.gaps[0]?.fromMs).toBe(d.now)
  })
})
