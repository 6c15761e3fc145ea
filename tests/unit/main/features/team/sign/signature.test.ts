import { fromSeed } from '@nats-io/nkeys'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isSignedBy,
  makeSeed,
  readSigningKey,
  seedOfCreds,
} from '../../../../../../src/main/features/team/sign/keys.ts'
import {
  checkSignature,
  signState,
  statementOf,
  type SignedSession,
  type SignedState,
} from '../../../../../../src/main/features/team/sign/signature.ts'
import { advanceHeads } from '../../../../../../src/main/features/team/frame/encode.ts'
import { newChain } from '../../../../../../src/main/features/team/frame/frame.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { flushesOf, NONE, SESSION, trades } from '../frame/flushes.ts'

const KEY = readSigningKey(makeSeed())
const ABOUT: SignedSession = {
  team: 'eu',
  session: SESSION,
  shard: 1,
  shards: 2,
  recorder: 'München "1"',
  source: { kind: 'service', origin: 'https://data.example.com', user: 'you' },
  startedMs: unixMs(1_767_571_200_000.5),
  epoch: 3,
}
const HEADS = advanceHeads(SESSION, NONE, flushesOf([[{ entry: { type: 'clock', shiftMs: 5 } }, ...trades(3)]]))
const STATE: SignedState = { seq: 4, heads: HEADS }
const END = { endedMs: unixMs(1_767_574_800_000), clean: true, lastSeq: 4, messages: 3, entries: 1 }

describe('what a recorder signs', () => {
  it('is a byte that no text has, then JSON that any language can make', () => {
    const bytes = statementOf(ABOUT, { ...STATE, end: END })
    expect(bytes[0]).toBe(0xff)
    const hex = (conn: number): string => Buffer.from(HEADS.get(conn)?.head ?? []).toString('hex')
    expect(Buffer.from(bytes.subarray(1)).toString('utf8')).toBe(
      `["tapedeck",1,"end",["eu","${SESSION}",1,2,"München \\"1\\"","service","https://data.example.com","you",1767571200000.5,3],4,` +
        `[[0,0,"${hex(0)}"],[1,2,"${hex(1)}"],[2,1,"${hex(2)}"]],[1767574800000,true,4,3,1]]`,
    )
  })

  it('doesn’t depend on the order of chains, nor on connections without messages', () => {
    const silent = [9, newChain(SESSION, 9, 'crypto/XQ')] as const
    const heads = new Map([...HEADS, silent].toReversed())
    expect(statementOf(ABOUT, { seq: 4, heads })).toEqual(statementOf(ABOUT, STATE))
    const entriesOnly = new Map([[0, newChain(SESSION, 0, '')], silent])
    expect(statementOf(ABOUT, { seq: 4, heads: entriesOnly })).toEqual(statementOf(ABOUT, { seq: 4, heads: NONE }))
  })
})

describe('a signature', () => {
  const signed = signState(KEY, ABOUT, STATE)
  const signedEnd = signState(KEY, ABOUT, { ...STATE, end: END })

  it('names its key, and matches only what was signed', () => {
    expect(checkSignature(signed, ABOUT, STATE)).toEqual({ is: 'good', key: KEY.publicKey })
    expect(checkSignature(signedEnd, ABOUT, { ...STATE, end: END })).toEqual({ is: 'good', key: KEY.publicKey })
  })

  it.each<[string, Partial<SignedSession>, Partial<SignedState>]>([
    ['team', { team: 'us' }, {}],
    ['shard', { shard: 2 }, {}],
    ['count of shards', { shards: 3 }, {}],
    ['recorder', { recorder: 'r2' }, {}],
    ['source', { source: { ...ABOUT.source, kind: 'demo' } }, {}],
    ['user', { source: { ...ABOUT.source, user: 'me' } }, {}],
    ['start', { startedMs: unixMs(ABOUT.startedMs + 0.5) }, {}],
    ['epoch', { epoch: 4 }, {}],
    ['seq', {}, { seq: 5 }],
    ['head', {}, { heads: new Map([...HEADS, [1, { head: Buffer.alloc(32), messages: 2 }]]) }],
    ['count of messages', {}, { heads: new Map([...HEADS, [1, { head: HEADS.get(1)!.head, messages: 3 }]]) }],
    ['connection', {}, { heads: new Map([...HEADS].filter(([conn]) => conn !== 2)) }],
    ['end', {}, { end: END }],
  ])('of another %s is wrong', (_what, about, state) => {
    expect(checkSignature(signed, { ...ABOUT, ...about }, { ...STATE, ...state }).is).toBe('wrong')
  })

  it.each<[string, Partial<typeof END>]>([
    ['time', { endedMs: unixMs(0) }],
    ['cleanness', { clean: false }],
    ['last seq', { lastSeq: 3 }],
    ['messages', { messages: 4 }],
    ['entries', { entries: 0 }],
  ])('of an end with other %s is wrong', (_what, end) => {
    expect(checkSignature(signedEnd, ABOUT, { ...STATE, end: { ...END, ...end } }).is).toBe('wrong')
  })

  it('is wrong with any bit changed, and of a newer version says nothing', () => {
    for (let at = 0; at < signed.length; at++) {
      const bytes = Buffer.from(signed)
      bytes[at] ^= 1
      expect([at, checkSignature(bytes, ABOUT, STATE).is]).toEqual([at, 'wrong'])
    }
    expect(checkSignature(Uint8Array.of(2, 9, 9), ABOUT, STATE)).toEqual({ is: 'newer' })
  })

  it('may be any bytes without an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200, size: 'max' }), (bytes) => {
        expect(['wrong', 'newer']).toContain(checkSignature(bytes, ABOUT, STATE).is)
      }),
    )
  })
})

describe('a signing key', () => {
  it('signs as the library of NATS does', () => {
    for (let i = 0; i < 8; i++) {
      const seed = makeSeed()
      const key = readSigningKey(seed)
      const bytes = Buffer.from(`text ${i}`)
      const theirs = fromSeed(Buffer.from(seed))
      expect(Buffer.from(key.sign(bytes))).toEqual(Buffer.from(theirs.sign(bytes)))
      expect(isSignedBy(theirs.getPublicKey(), bytes, theirs.sign(bytes))).toBe(true)
      expect(isSignedBy(theirs.getPublicKey(), Buffer.from('text'), theirs.sign(bytes))).toBe(false)
    }
  })

  it('comes from a seed, and from a credentials file', () => {
    const seed = makeSeed()
    const creds = `-----BEGIN NATS USER JWT-----\neyJ0\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`
    expect(seedOfCreds(creds)).toBe(seed)
    expect(seedOfCreds('nothing')).toBeNull()
    expect(readSigningKey(seed).publicKey).toMatch(/^U[A-Z2-7]{55}$/)
  })

  it('is refused without repeating it if it isn’t one', () => {
    const seed = makeSeed()
    // The last letter ends with bits that mean nothing.
    const mistyped = `${seed.slice(0, -2)}${seed.at(-2) === 'A' ? 'B' : 'A'}${seed.slice(-1)}`
    for (const text of ['', 'secret', seed.toLowerCase(), mistyped]) {
      let thrown: unknown
      try {
        readSigningKey(text)
      } catch (error) {
        thrown = error
      }
      expect(thrown).toMatchObject({ code: 'bad-arguments' })
      if (text !== '') expect(JSON.stringify(thrown) + String((thrown as Error).stack)).not.toContain(text)
    }
  })
})
