/** Recorders sign what they publish. */
import { afterEach, describe, expect, it } from 'vitest'
import { memoryKeychain, type Keychain } from '../../../../../../src/main/core/account/keychain.ts'
import { SIGN_EVERY_BYTES, SIGN_EVERY_MS } from '../../../../../../src/main/features/team/publish/signing-schedule.ts'
import { findSigningKey } from '../../../../../../src/main/features/team/publish/signing-key.ts'
import { BUNDLE_BYTES } from '../../../../../../src/main/features/team/frame/encode.ts'
import { decodeFrame } from '../../../../../../src/main/features/team/frame/decode.ts'
import { verifyFrame } from '../../../../../../src/main/features/team/frame/verify.ts'
import type { ChainHeads, Frame } from '../../../../../../src/main/features/team/frame/frame.ts'
import { streamName } from '../../../../../../src/main/features/team/names.ts'
import { makeSeed, readSigningKey } from '../../../../../../src/main/features/team/sign/keys.ts'
import { checkSignature, decodeEndSignature } from '../../../../../../src/main/features/team/sign/signature.ts'
import { readNatsTarget } from '../../../../../../src/main/features/team/nats/target.ts'
import { hasNatsServer, startNatsServer, withStreams } from '../../../../../kit/nats-server.ts'
import { EU, openLog, TeamRecorder } from '../../../../../kit/team-recorder.ts'
import { NONE, valueOf } from '../frame/flushes.ts'

describe('the key of a recorder', () => {
  const [TEAM_SEED, NATS_SEED, CREDS_SEED] = [makeSeed(), makeSeed(), makeSeed()]
  const target = readNatsTarget('nats://localhost', {}, {})
  const creds = `-----BEGIN USER NKEY SEED-----\n${CREDS_SEED}\n------END USER NKEY SEED------\n`
  const options = { signingSeed: null, target, recorder: 'r1', team: 'eu' }
  const noKeychain = (): Promise<Keychain> => Promise.reject(new Error('asked for the keychain'))
  const osKeychain = (): Keychain => ({ ...memoryKeychain(''), kind: 'os' })
  const listen = () => {
    const noted: string[] = []
    const warned: string[] = []
    return { noted, warned, note: (one: string) => noted.push(one), warn: (text: string) => warned.push(text) }
  }

  it.each([
    ['that it was given', { signingSeed: TEAM_SEED, target: { ...target, seed: NATS_SEED, creds } }, TEAM_SEED],
    ['of its NATS user', { target: { ...target, seed: NATS_SEED, creds } }, NATS_SEED],
    ['of its credentials file', { target: { ...target, creds } }, CREDS_SEED],
  ])('is the one %s, without a keychain', async (_what, part, seed) => {
    const events = listen()
    const key = await findSigningKey({ ...options, ...part }, noKeychain, events)
    expect(key.publicKey).toBe(readSigningKey(seed).publicKey)
    expect([events.noted, events.warned]).toEqual([[seed], []])
  })

  it('is made once and kept in the keychain, for each recorder of each team', async () => {
    const keychain = osKeychain()
    const events = listen()
    const find = async (part = {}) =>
      (await findSigningKey({ ...options, ...part }, async () => keychain, events)).publicKey
    const first = await find()
    expect(await find()).toBe(first)
    expect(await find({ recorder: 'r2' })).not.toBe(first)
    expect(await find({ team: 'us' })).not.toBe(first)
    expect(events.warned).toEqual([])
    expect(events.noted.length).toBeGreaterThan(0)
  })

  it('lasts as long as the process where there is no keychain, which it says', async () => {
    const events = listen()
    await findSigningKey(options, async () => memoryKeychain('none'), events)
    expect(events.warned).toEqual(['This recorder signs with a key that lasts until it ends.'])
    const failing = listen()
    await findSigningKey(options, noKeychain, failing)
    expect(failing.warned).toEqual([expect.stringContaining('lasts until it ends')])
    expect(failing.warned.join()).not.toContain(failing.noted[0])
  })

  it('is refused if it was given and isn’t one', async () => {
    const given = { ...options, signingSeed: `SU${'A'.repeat(56)}` }
    await expect(findSigningKey(given, noKeychain, listen())).rejects.toMatchObject({ code: 'bad-arguments' })
  })
})

interface ReadFrame {
  readonly frame: Frame
  /** The chains after it. */
  readonly heads: ChainHeads
}

/** Seqs at which the frames are signed. */
const signedSeqs = (frames: readonly ReadFrame[]): number[] =>
  frames.filter(({ frame }) => frame.signature !== null).map(({ frame }) => frame.lastSeq)

/** The frames of a recorder's session in the log. */
async function readBack(servers: string, { session }: TeamRecorder) {
  const log = await openLog(servers)
  const frames: ReadFrame[] = []
  let heads: ChainHeads = NONE
  try {
    const { signal } = new AbortController()
    const hasMessages = await log.lastOf(1, session).catch(() => null)
    if (hasMessages === null) return { frames, heads, info: null }
    for await (const { bytes, pending } of log.read({ shard: 1, session, from: { at: 'first' }, signal })) {
      const frame = valueOf(decodeFrame(bytes))
      ;({ heads } = valueOf(verifyFrame(frame, heads)))
      frames.push({ frame, heads })
      if (pending === 0) break
    }
    return { frames, heads, info: await log.session(session) }
  } finally {
    await log.close()
  }
}

describe.skipIf(!hasNatsServer)('a recorder that publishes [needs nats-server]', () => {
  const recorders: TeamRecorder[] = []
  afterEach(async () => {
    for (const recorder of recorders.splice(0)) await recorder.remove()
  })

  it('signs its first frame, one a minute, and the end, and names its key', async () => {
    const server = await startNatsServer()
    const recorder = new TeamRecorder(server.url)
    recorders.push(recorder)
    const publish = async (count: number): Promise<void> => {
      recorder.commit(count)
      await expect.poll(() => recorder.isCaughtUp(), { timeout: 10_000, interval: 10 }).toBe(true)
    }
    await publish(3)
    await publish(4)
    recorder.aheadMs += SIGN_EVERY_MS
    await publish(5)
    await publish(6)
    recorder.end()
    await expect.poll(() => recorder.publishing.status().unfinished, { timeout: 10_000 }).toBe(0)
    const { frames, info, heads } = await readBack(server.url, recorder)
    if (info?.end?.signature === undefined) throw new Error('its end isn’t signed')
    const about = { ...info, team: EU }
    const good = { is: 'good', key: recorder.key.publicKey }
    for (const { frame, heads } of frames)
      if (frame.signature !== null)
        expect(checkSignature(frame.signature, about, { seq: frame.lastSeq, heads })).toEqual(good)
    expect(signedSeqs(frames)).toEqual([3, 12])
    const state = { seq: 18, heads, end: info.end }
    expect(checkSignature(decodeEndSignature(info.end.signature), about, state)).toEqual(good)
    expect(info.key).toBe(recorder.key.publicKey)
  })

  /** A recorder whose server comes once `commit` has committed everything, and what it published then. */
  async function publishBacklog(commit: (recorder: TeamRecorder) => void): Promise<readonly ReadFrame[]> {
    const server = await startNatsServer()
    await server.kill()
    const recorder = new TeamRecorder(server.url)
    recorders.push(recorder)
    commit(recorder)
    await server.start()
    await expect.poll(() => recorder.isCaughtUp(), { timeout: 20_000, interval: 20 }).toBe(true)
    return (await readBack(server.url, recorder)).frames
  }

  it('signs the start of a session that is read from its store as several frames', async () => {
    const frames = await publishBacklog((recorder) => {
      for (let i = 0; i < 40; i++) recorder.commit(500)
      recorder.seal()
    })
    expect(frames.length).toBeGreaterThan(2)
    expect(frames[0].frame.signature).not.toBeNull()
  })

  it('signs a backlog every few MiB', async () => {
    const frames = await publishBacklog((recorder) => {
      for (let i = 0; i < 100; i++) recorder.commit([{ conn: 1, data: 'x'.repeat(100_000) }])
    })
    expect(frames.length).toBeGreaterThan(signedSeqs(frames).length)
    expect(signedSeqs(frames).length).toBeGreaterThan(1)
    const unsigned = frames.map(({ frame }) => (frame.signature === null ? frame.messages.bytes.length : 0))
    const sums = unsigned.reduce<number[]>((sums, bytes) => [...sums, bytes && (sums.at(-1) ?? 0) + bytes], [])
    // And what is read from the store together.
    expect(Math.max(...sums)).toBeLessThan(SIGN_EVERY_BYTES + 2 * BUNDLE_BYTES)
  })

  it('signs a session from its start again when its stream was deleted', async () => {
    const server = await startNatsServer()
    const recorder = new TeamRecorder(server.url)
    recorders.push(recorder)
    for (let i = 0; i < 3; i++) {
      recorder.commit(3)
      await expect.poll(() => recorder.isCaughtUp(), { timeout: 10_000, interval: 10 }).toBe(true)
    }
    await withStreams(server.port, (streams) => streams.delete(streamName(EU, 1)))
    recorder.commit(3)
    const republished = async (): Promise<number> => (await readBack(server.url, recorder)).frames.at(-1)?.frame.lastSeq ?? 0 // oxfmt-ignore
    await expect.poll(republished, { timeout: 20_000, interval: 100 }).toBe(12)
    const { frames } = await readBack(server.url, recorder)
    expect([frames[0].frame.firstSeq, frames[0].frame.signature !== null]).toEqual([1, true])
  })
})
