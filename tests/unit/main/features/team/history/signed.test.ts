/** Histories whose owner rewrites them consistently: only the recorder's signatures can tell. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Archive } from '../../../../../../src/main/features/team/history/archive.ts'
import type { Database } from '../../../../../../src/main/features/team/history/database.ts'
import { verifyHistory } from '../../../../../../src/main/features/team/history/verify-history.ts'
import type { TrustedKeys } from '../../../../../../src/main/features/team/sign/authorship.ts'
import { makeSeed, readSigningKey, type SigningKey } from '../../../../../../src/main/features/team/sign/keys.ts'
import { encodeEndSignature, signState } from '../../../../../../src/main/features/team/sign/signature.ts'
import { advanceHeads } from '../../../../../../src/main/features/team/frame/encode.ts'
import type { CommittedFlush } from '../../../../../../src/main/features/team/frame/frame.ts'
import type { SessionEnd } from '../../../../../../src/main/features/team/session-info.ts'
import { runCommandLine } from '../../../../../../src/main/hosts/cli/run.ts'
import { makeFolder } from '../../../../../kit/folder.ts'
import { hasPostgres } from '../../../../../kit/postgres-server.ts'
import { commandContext } from '../../../hosts/cli/context.ts'
import type { Item } from '../../../core/store/harness.ts'
import { encode, flushesOf, NONE, SESSION, trades } from '../frame/flushes.ts'
import { ABOUT, endOf, newHistory, sealAll, testServer } from './kit.ts'

const KEY = readSigningKey(makeSeed())
const OTHER = readSigningKey(makeSeed())
const TRUSTED: TrustedKeys = new Map([[KEY.publicKey, 'r1']])

const ITEMS: readonly (readonly Item[])[] = [trades(4), trades(3, 'ETH-USD'), [{ entry: { type: 'clock', shiftMs: 5 } }], trades(5)] // oxfmt-ignore
const FLUSHES = flushesOf(ITEMS)
/** One message differs, and with it every head after it. */
const REWRITTEN = flushesOf([trades(4, 'SOL-USD'), ...ITEMS.slice(1)])
/** The seqs at which frames end. */
const ENDS = [4, 7, 8, 13]

/** A frame for each flush; those that end at `signedAt` are signed. */
function framesOf(
  team: string,
  flushes: readonly CommittedFlush[],
  key: SigningKey | null,
  signedAt: readonly number[],
) {
  return flushes.map((flush, i) => {
    const heads = advanceHeads(SESSION, NONE, flushes.slice(0, i))
    const isSigned = key !== null && signedAt.includes(ENDS[i])
    const sign = (seq: number, after: typeof heads): Uint8Array =>
      signState(key ?? KEY, { ...ABOUT, team }, { seq, heads: after })
    return encode([flush], { heads, ...(isSigned ? { sign } : {}) })[0].bytes
  })
}

function signedEnd(team: string, flushes: readonly CommittedFlush[], key: SigningKey | null): SessionEnd {
  const end = endOf(flushes)
  if (key === null) return end
  const heads = advanceHeads(SESSION, NONE, flushes)
  return { ...end, signature: encodeEndSignature(signState(key, { ...ABOUT, team }, { seq: end.lastSeq, heads, end })) }
}

/** Stores a session, sealed in one part. */
async function fill(
  db: Database,
  flushes: readonly CommittedFlush[],
  key: SigningKey | null,
  signedAt: readonly number[],
) {
  const archive = new Archive(db)
  await archive.putSession({ ...ABOUT, end: signedEnd(db.team, flushes, key) })
  expect((await archive.store(SESSION, framesOf(db.team, flushes, key, signedAt))).is).toBe('stored')
  await sealAll(db)
  expect(await archive.complete(SESSION)).toBeNull()
}

/** What the owner of the database does: replaces the whole session. Returns what was signed of the original. */
async function wipe(db: Database) {
  const signatures = await db.rows<{ seq: number; signature: Buffer }>(
    `SELECT seq, signature FROM ${db.schema}.signature`,
  )
  const [{ ended }] = await db.rows<{ ended: SessionEnd }>(`SELECT ended FROM ${db.schema}.session`)
  for (const table of ['tail', 'signature', 'chain', 'part', 'block', 'entry_block', 'connection', 'session'])
    await db.run(`DELETE FROM ${db.schema}.${table}`)
  return { signatures, end: ended.signature }
}

async function putSignatures(db: Database, signatures: readonly { seq: number; signature: Buffer }[], end?: string) {
  const [{ id }] = await db.rows<{ id: number }>(`SELECT id FROM ${db.schema}.session`)
  for (const { seq, signature } of signatures)
    await db.run(`INSERT INTO ${db.schema}.signature VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, [id, seq, signature])
  if (end !== undefined)
    await db.run(`UPDATE ${db.schema}.session SET ended = jsonb_set(ended, '{signature}', to_jsonb($1::text))`, [end])
}

const details = async (db: Database, trusted: TrustedKeys | null = null): Promise<string> =>
  (await verifyHistory(db, null, { trusted })).problems.map(({ kind, detail }) => `${kind}: ${detail}`).join('\n')

describe.skipIf(!hasPostgres)('a signed history [needs postgresql]', () => {
  it('is proven by the key of its recorder, also within a part', async () => {
    const { db } = await newHistory()
    await fill(db, FLUSHES, KEY, [4, 8])
    const { ok, authors } = await verifyHistory(db, null, { trusted: TRUSTED })
    expect(ok).toBe(true)
    expect(authors).toEqual([
      { session: SESSION, keys: [{ key: KEY.publicKey, name: 'r1' }], signedSeq: 13, lastSeq: 13, isEnded: true, isEndSigned: true }, // oxfmt-ignore
    ])
  })

  it('says up to where it is signed, and doesn’t ask for more without trusted keys', async () => {
    const { db } = await newHistory()
    const archive = new Archive(db)
    await archive.putSession({ ...ABOUT, end: endOf(FLUSHES) })
    await archive.store(SESSION, framesOf(db.team, FLUSHES, KEY, [7]))
    const { ok, authors } = await verifyHistory(db, null)
    expect(ok).toBe(true)
    expect(authors).toMatchObject([{ keys: [{ key: KEY.publicKey, name: null }], signedSeq: 7, isEndSigned: false }])
    expect(await details(db, TRUSTED)).toBe('signature: unsigned after seq 7')
  })

  it('rewritten with the old signatures is noticed by anyone', async () => {
    const { db } = await newHistory()
    await fill(db, FLUSHES, KEY, [4, 8])
    const { signatures, end } = await wipe(db)
    await fill(db, REWRITTEN, null, [])
    // Every hash is consistent.
    expect(await details(db)).toBe('')
    await putSignatures(db, signatures, end)
    const why = `by ${KEY.publicKey} doesn’t match what is stored`
    expect(await details(db)).toBe(
      `signature: the signature at seq 4 ${why}\nsignature: the signature at seq 8 ${why}\nsignature: the signature of its end ${why}`,
    )
  })

  it.each<[string, SigningKey | null, readonly number[], string]>([
    ['without signatures', null, [], 'signature: unsigned'],
    ['signed by somebody else', OTHER, [4, 8], `signature: signed by an unknown key, ${OTHER.publicKey}`],
  ])('rewritten %s is noticed with trusted keys', async (_what, key, signedAt, problem) => {
    const { db } = await newHistory()
    await fill(db, FLUSHES, KEY, [4, 8])
    await wipe(db)
    await fill(db, REWRITTEN, key, signedAt)
    expect(await details(db)).toBe('')
    expect(await details(db, TRUSTED)).toBe(problem)
  })

  it('cut at a signature is noticed, by what is left over or because the end isn’t signed', async () => {
    const { db } = await newHistory()
    await fill(db, FLUSHES, KEY, [4, 8])
    const { signatures, end } = await wipe(db)
    await fill(db, FLUSHES.slice(0, 2), null, [])
    await putSignatures(db, signatures)
    expect(await details(db)).toBe('signature: it was signed up to seq 8, and ends at seq 7')
    await db.run(`DELETE FROM ${db.schema}.signature WHERE seq > 7`)
    expect(await details(db)).toBe('')
    expect(await details(db, TRUSTED)).toBe('signature: unsigned after seq 4')
    await putSignatures(db, [], end)
    expect(await details(db)).toMatch(/^signature: the signature of its end by .* doesn’t match/)
  })

  it('with another description than its recorder gave is noticed', async () => {
    const { db } = await newHistory()
    await fill(db, FLUSHES, KEY, [4])
    await db.run(`UPDATE ${db.schema}.session SET source = jsonb_set(source, '{kind}', '"service"')`)
    expect(await details(db)).toMatch(/the signature at seq 4 by .* doesn’t match/)
  })

  it('takes no frame and no end with a wrong signature', async () => {
    const { db, archive } = await newHistory()
    await archive.putSession(ABOUT)
    const frames = framesOf('another', FLUSHES, KEY, [7])
    const outcome = await archive.store(SESSION, frames)
    expect(outcome).toMatchObject({ is: 'refused', lastSeq: 4, refusal: { code: 'bad-signature' } })
    const unsigned = framesOf(db.team, FLUSHES, null, [])
    await archive.store(SESSION, unsigned)
    await archive.putSession({ ...ABOUT, end: signedEnd('another', FLUSHES, KEY) })
    expect(await archive.complete(SESSION)).toMatch(/^the signature of its end by .* doesn’t match/)
  })

  it('keeps a signature of a newer version, and says nothing about it', async () => {
    const { db, archive } = await newHistory()
    await archive.putSession(ABOUT)
    const newer = encode(FLUSHES, { sign: () => Uint8Array.of(9, 1, 2) }).map(({ bytes }) => bytes)
    expect((await archive.store(SESSION, newer)).is).toBe('stored')
    expect(await verifyHistory(db, null)).toMatchObject({ ok: true, authors: [{ keys: [], signedSeq: 0 }] })
    expect(await db.rows(`SELECT seq FROM ${db.schema}.signature`)).toEqual([{ seq: 13 }])
  })
})

describe.skipIf(!hasPostgres)('verify --history and fetch-session of signed sessions [needs postgresql]', () => {
  async function run(...args: string[]) {
    const context = commandContext({ env: process.env })
    const code = await runCommandLine(args, context)
    return { code, out: context.output(), err: context.errors() }
  }
  async function signed() {
    const server = await testServer()
    const { db } = await newHistory()
    await fill(db, FLUSHES, KEY, [4, 8])
    return { db, args: ['--history', server.url(), '--team', db.team] }
  }

  it('name who signed, by the name in the file of trusted keys', async () => {
    const { args } = await signed()
    const file = join(makeFolder('trust'), 'keys.txt')
    writeFileSync(file, `# our recorders\n\n${OTHER.publicKey}\n${KEY.publicKey}  recorder one \n`)
    const head = '1 session, 12 messages: all as recorded\n'
    expect(await run('verify', ...args)).toMatchObject({
      code: 0,
      out: `${head}${SESSION}: signed by ${KEY.publicKey}\nTo prove whose keys these are, name your recorders’ public keys with --trust.\n`,
    })
    expect(await run('verify', ...args, '--trust', file)).toMatchObject({
      code: 0,
      out: `${head}${SESSION}: signed by recorder one, ${KEY.publicKey}\n`,
    })
    const { code, out } = await run('verify', ...args, '--trust', OTHER.publicKey)
    expect([code, out]).toEqual([1, expect.stringContaining(`signed by an unknown key, ${KEY.publicKey}`)])
    const json = await run('verify', ...args, '--trust', file, '--json')
    expect(JSON.parse(json.out)).toMatchObject({ authors: [{ keys: [{ name: 'recorder one' }], isEndSigned: true }] })
  })

  it('refuse what isn’t a public key, with code 2', async () => {
    const { args } = await signed()
    const folder = makeFolder('trust')
    const empty = join(folder, 'empty')
    const wrong = join(folder, 'wrong')
    writeFileSync(empty, '# nothing\n')
    writeFileSync(wrong, 'r1 UABC\n')
    const seed = makeSeed()
    for (const [trust, text] of [
      [join(folder, 'none'), 'couldn’t read'],
      [empty, 'has no key'],
      [wrong, 'a line without a public key'],
      [seed, 'Keep the seed'],
    ]) {
      // oxfmt-ignore
      const { code, err } = await run('verify', ...args, '--trust', trust)
      expect([code, err]).toEqual([2, expect.stringContaining(text)])
      expect(err).not.toContain(seed)
    }
    expect(await run('verify', '--trust', KEY.publicKey)).toMatchObject({ code: 2, err: expect.stringContaining('--trust requires --history') as string }) // oxfmt-ignore
  })

  it('fetch a session only if a trusted key signed all of it', async () => {
    const { args, db } = await signed()
    const store = ['--store', join(makeFolder('fetch'), 'tapedeck.db')]
    const refused = await run('fetch-session', SESSION, ...args, ...store, '--trust', OTHER.publicKey)
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining('isn’t signed with a trusted key') as string,
    })
    expect((await run('sessions', ...store)).out).toBe('')
    expect(await run('fetch-session', SESSION, ...args, ...store, '--trust', KEY.publicKey)).toMatchObject({
      code: 0,
      out: `${SESSION}: 12 messages, signed by a trusted key, ${KEY.publicKey}\n`,
    })
    // What is in the store already is read again for its signatures.
    expect(await run('fetch-session', SESSION, ...args, ...store, '--trust', OTHER.publicKey)).toMatchObject({
      code: 1,
    })
    await db.run(`UPDATE ${db.schema}.signature SET signature = set_byte(signature, 100, get_byte(signature, 100) # 1)`)
    const other = ['--store', join(makeFolder('fetch'), 'tapedeck.db')]
    const changed = await run('fetch-session', SESSION, ...args, ...other)
    expect(changed).toMatchObject({ code: 1, err: expect.stringContaining('isn’t what its recorder signed') as string })
    expect((await run('sessions', ...other)).out).toBe('')
  })
})
