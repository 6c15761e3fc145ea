/**
 * Signatures of recorders: what they cover, as bytes, and how they are stored. Docs: docs/decisions/0059-signed-heads.md.
 *
 * | offset | field | |
 * |---|---|---|
 * | 0 | version | 1 |
 * | 1 | kind | 1 heads, 2 end |
 * | 2 | public key | 56 characters |
 * | 58 | signature | Ed25519, 64 bytes |
 */
import type { SessionId } from '../../../../shared/base/units.ts'
import { equalBytes } from '../../../core/store/format/ledger.ts'
import { newChain, type ChainHeads } from '../frame/frame.ts'
import type { SessionEnd, SessionInfo } from '../session-info.ts'
import { PUBLIC_KEY } from './key-format.ts'
import { isSignedBy, type SigningKey } from './keys.ts'

/** What a session's description says that a signature covers. */
export type SignedSession = Omit<SessionInfo, 'end' | 'key'> & { readonly team: string }

/** The chains of a session at a seq; with `end`, also that it ended there. */
export interface SignedState {
  readonly seq: number
  readonly heads: ChainHeads
  readonly end?: Omit<SessionEnd, 'heads' | 'signature'> | undefined
}

const VERSION = 1
const KINDS = { heads: 1, end: 2 } as const
const KEY_AT = 2
const SIGNATURE_AT = 58
const BYTES = 122

/**
 * What is signed: 0xff, then JSON in UTF-8 without spaces. No UTF-8 text has a byte 0xff, so no server can have a key sign
 * this as the text with which it lets the key's owner log in.
 */
export function statementOf(session: SignedSession, { seq, heads, end }: SignedState): Uint8Array {
  const { team, session: id, shard, shards, recorder, source, startedMs, epoch } = session
  const about = [team, id, shard, shards, recorder, source.kind, source.origin, source.user, startedMs, epoch]
  const chains = chainsOf(id, heads).map(([conn, messages, head]) => [conn, messages, head])
  const ended = end === undefined ? [] : [[end.endedMs, end.clean, end.lastSeq, end.messages, end.entries]]
  const kind = end === undefined ? 'heads' : 'end'
  const text = JSON.stringify(['tapedeck', VERSION, kind, about, seq, chains, ...ended])
  return Buffer.concat([Buffer.of(0xff), Buffer.from(text, 'utf8')])
}

/** Chains with content by connection. Which others were announced by then can't be told from a history. */
function chainsOf(session: SessionId, heads: ChainHeads): (readonly [number, number, string])[] {
  const unused = newChain(session, 0, '').head
  return [...heads]
    .filter(([conn, { head, messages }]) => (conn === 0 ? !equalBytes(head, unused) : messages > 0))
    .sort(([a], [b]) => a - b)
    .map(([conn, { head, messages }]) => [conn, messages, Buffer.from(head).toString('hex')])
}

export function signState(key: SigningKey, session: SignedSession, state: SignedState): Uint8Array {
  const out = Buffer.alloc(BYTES)
  out.writeUInt8(VERSION, 0)
  out.writeUInt8(KINDS[state.end === undefined ? 'heads' : 'end'], 1)
  out.write(key.publicKey, KEY_AT, 'latin1')
  out.set(key.sign(statementOf(session, state)), SIGNATURE_AT)
  return out
}

export type SignatureCheck =
  | { readonly is: 'good'; readonly key: string }
  /** It doesn't match the state. `why`: the end of a sentence. */
  | { readonly is: 'wrong'; readonly why: string }
  /** Of a newer version: nothing can be said about it. */
  | { readonly is: 'newer' }

/** Checks the bytes of a signature. Never throws. */
export function checkSignature(bytes: Uint8Array, session: SignedSession, state: SignedState): SignatureCheck {
  if (bytes.length > 0 && bytes[0] > VERSION) return { is: 'newer' }
  const buffer = Buffer.from(bytes)
  const key = buffer.toString('latin1', KEY_AT, SIGNATURE_AT)
  const kind = KINDS[state.end === undefined ? 'heads' : 'end']
  if (buffer.length !== BYTES || buffer[0] !== VERSION || buffer[1] !== kind || !PUBLIC_KEY.test(key))
    return { is: 'wrong', why: 'can’t be read' }
  return isSignedBy(key, statementOf(session, state), buffer.subarray(SIGNATURE_AT))
    ? { is: 'good', key }
    : { is: 'wrong', why: `by ${key} doesn’t match what is stored` }
}

/** The signature of a session's end, as text and as bytes. */
export const encodeEndSignature = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
export const decodeEndSignature = (text: string): Uint8Array => Buffer.from(text, 'base64')
