/** Session files that are whole to every sum, and lie; names and files that lead elsewhere. */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { exportPackage } from '../../../../../src/main/features/sessions/pack.ts'
import { importPackage, isPackage } from '../../../../../src/main/features/sessions/unpack.ts'
import { decodeEntries } from '../../../../../src/main/features/sessions/meta.ts'
import {
  encodePart,
  fileHeader,
  HEADER_BYTES,
  PART_HEADER_BYTES,
  readPart,
  readPartHeader,
  type PartKind,
} from '../../../../../src/main/features/sessions/parts.ts'
import { encodeRows } from '../../../../../src/main/core/store/format/row-codec.ts'
import { newColumns } from '../../../../../src/main/core/store/format/message-columns.ts'
import { MAX_FLUSH_ENTRIES, MAX_SESSION_GAPS } from '../../../../../src/shared/core/recording/session-bounds.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openStoreReader, openStoreWriter } from '../../../../../src/main/core/store/open.ts'
import type { LibraryWriter } from '../../../../../src/main/core/store/types/writer.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { DEMO, readEverything, T0, Writer, type Item } from '../../core/store/harness.ts'
import { tradeText } from '../../../../kit/market.ts'
import { makeFolder } from '../../../../kit/folder.ts'

interface Part {
  kind: PartKind
  content: Buffer
}

let folder: string
let parts: readonly Part[]
let into: LibraryWriter
let reader: StoreReader
let names = 0
const path = (suffix: string): string => join(folder, `${names++}${suffix}`)

/** A closed recording as a session file. */
async function packed(flushes: readonly (readonly Item[])[]): Promise<Buffer> {
  const file = path('.db')
  const engine = new StoreEngine(file)
  const session = newSessionId(T0 + names)
  engine.begin(session, DEMO, unixMs(T0))
  const writer = new Writer(['crypto/XT', 'crypto/XQ'])
  for (const items of flushes) engine.commit([writer.batch(items)])
  engine.end(unixMs(T0 + 60_000), [])
  engine.drain()
  engine.close()
  const from = await openStoreReader({ file })
  const out = path('.tapedeck')
  await exportPackage(from, session, out, '1.0')
  await from.close()
  return readFileSync(out)
}

async function partsOf(bytes: Buffer): Promise<Part[]> {
  const found: Part[] = []
  for (let at = HEADER_BYTES; at < bytes.length;) {
    const head = bytes.subarray(at, at + PART_HEADER_BYTES)
    const header = readPartHeader(head, found.length)
    const from = at + PART_HEADER_BYTES
    const content = await readPart(header, head, bytes.subarray(from, from + header.storedBytes))
    found.push({ kind: header.kind, content })
    at = from + header.storedBytes
  }
  return found
}

/** A file of these parts with every sum made anew. */
async function sealed(all: readonly Part[]): Promise<Buffer> {
  const written = [fileHeader()]
  for (const [i, { kind, content }] of all.entries()) {
    const whole = Buffer.concat(written)
    const end = Buffer.from(createHash('sha256').update(whole).digest('hex'))
    written.push(await encodePart(kind, i, kind === 'done' ? end : content))
  }
  return Buffer.concat(written)
}
/** The honest file with one part changed. */
const lie = (kind: PartKind, change: (content: Buffer) => Buffer): Promise<Buffer> =>
  sealed(parts.map((part) => (part.kind === kind ? { kind, content: change(part.content) } : part)))
const metaLie = (change: object | ((meta: Record<string, unknown>) => object)): Promise<Buffer> =>
  lie('meta', (content) => {
    const meta = JSON.parse(content.toString()) as Record<string, unknown> // our own writing
    return Buffer.from(JSON.stringify({ ...meta, ...(typeof change === 'function' ? change(meta) : change) }))
  })

async function outcome(content: Buffer): Promise<{ code: string; message: string } | null> {
  const file = path('.bad')
  writeFileSync(file, content)
  const thrown: unknown = await importPackage(file, into.library).then(
    () => null,
    (failure: unknown) => failure,
  )
  rmSync(file)
  return thrown as { code: string; message: string } | null // checked by those who call
}
/** That nothing of what follows is taken for what is there already. */
afterEach(async () => expect(await reader.sessions()).toEqual([]))

async function refused(content: Buffer): Promise<void> {
  const failure = await outcome(content)
  expect(failure).toHaveProperty('code', 'store-damaged')
  expect(failure?.message).toMatch(/^The session file is corrupt: .*\.$|ledger head/)
}

beforeAll(async () => {
  folder = makeFolder('attacks')
  parts = await partsOf(
    await packed([
      Array.from({ length: 20 }, (_, i) => ({ conn: 1 + (i % 2), data: tradeText('BTC-USD', i + 1, 1, T0 + i) })),
      [{ entry: { type: 'clock', shiftMs: 5 } }, { conn: 1, data: 'x' }],
    ]),
  )
  const file = path('-into.db')
  into = await openStoreWriter({ file })
  reader = await openStoreReader({ file })
})
afterAll(async () => {
  await reader.close()
  await into.close()
})

describe('a session file that is whole to every sum, and lies', () => {
  it('is the honest file where nothing is changed', async () => {
    const original = await sealed(parts)
    expect((await partsOf(original)).map(({ kind }) => kind)).toEqual(parts.map(({ kind }) => kind))
  })

  it.each([
    ['2^53 messages', { messages: 2 ** 53 - 1 }],
    ['a count that is no number', { messages: '1; DROP TABLE recording' }],
    [
      'a million connections',
      () => ({ connections: Array.from({ length: 1_000_001 }, (_, i) => ({ conn: i + 1, feed: 'crypto/XT' })) }),
    ],
    [
      'the same connection twice',
      (meta: Record<string, unknown>) => ({
        connections: [...(meta['connections'] as object[]), { conn: 1, feed: 'crypto/XT' }],
      }),
    ],
    ['heads that are none', { heads: {} }],
    ['an end before all calendars', { endedMs: -8.65e15 }],
    [
      'bookmarks without number',
      () => ({ bookmarks: Array.from({ length: 10_001 }, () => ({ atMs: T0, seq: 1, text: '' })) }),
    ],
    ['a session that is a path', { session: '../../../etc/passwd' }],
    ['a word of its own', { run: 'calc.exe' }],
  ])('%s: refused', async (_what, change) => {
    await refused(await metaLie(change))
  })

  it.each([
    [
      'sizes of flushes for ever',
      Buffer.from(Uint32Array.of(0, 1, 1, 1, 1, 1, 1, 0xffff_ffff, 2, 1, 1, 0xffff_ffff).buffer),
    ],
    ['flushes of nothing', Buffer.from(Uint32Array.of(0, 1, 0, 0xffff_ffff, 1, 1, 0, 0xffff_ffff, 2, 1, 0, 1).buffer)],
    ['more runs than there is file', Buffer.from(Uint32Array.of(1, 0xffff_ffff, 1, 1).buffer)],
    ['a connection that is none', Buffer.from(Uint32Array.of(77, 1, 1, 1).buffer)],
    ['half a number', Buffer.from([1, 2, 3])],
  ])('%s: refused', async (_what, content) => {
    await refused(await lie('chns', () => content))
  })

  it.each([
    ['nested deeper than any stack', `{"type":"clock","shiftMs":1,"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
    ['that says itself twice', '{"type":"clock","type":"clock","shiftMs":1}'],
    ['with a number beyond numbers', '{"type":"clock","shiftMs":1e309}'],
    ['with a NUL spelt as it is', '{"type":"state","feed":"crypto/XT","conn":1,"state":"\u0000"}'],
    [
      'of an instant no calendar has',
      '{"type":"gap-open","feed":"crypto/XT","cause":"drop","symbols":[],"fromMs":9e15}',
    ],
  ])('an entry %s: refused', async (_what, body) => {
    const line = JSON.stringify([21, T0, 1, body])
    await refused(await lie('entr', (content) => (content.length === 0 ? content : Buffer.from(line))))
  })

  it('overlong UTF-8, which spells what was refused, is taken for no text of ours', async () => {
    // C0 AF is how "/" must not be spelt; E0 80 80 how NUL must not.
    for (const odd of [[0xc0, 0xaf], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80], [0xff]]) {
      const spoilt = await lie('entr', (content) =>
        content.length === 0
          ? content
          : Buffer.concat([content.subarray(0, 20), Buffer.from(odd), content.subarray(20)]),
      )
      await refused(spoilt)
    }
  })

  it('parts in another order, twice, or none: refused', async () => {
    const [meta, chains, ...rest] = parts
    const end = rest.at(-1)
    if (end === undefined) throw new Error('no end')
    for (const all of [
      [chains, meta, ...rest],
      [meta, chains, ...rest.slice(0, -1), meta, end],
      [meta, chains, ...rest.slice(0, -1), ...rest],
      [meta, chains, ...rest.slice(0, -1), end, end],
      [meta, chains, end],
      [meta, end],
      [end],
    ]) {
      await refused(await sealed(all))
    }
  })
})

describe('a session file that is honest and far too large', () => {
  const gap = { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: T0 } as const
  const gapLine = (i: number): string => JSON.stringify([i + 1, T0, 1, JSON.stringify(gap)])
  /** A session of nothing but gaps, each opened and never closed; `meta` false: it does not say so at once. */
  const gaps = (count: number, meta: boolean): Promise<Buffer> =>
    sealed(
      parts.map(({ kind, content }) => {
        if (kind === 'entr') {
          const lines = Array.from({ length: count }, (_, i) => gapLine(i)).join('\n')
          return { kind, content: content.length === 0 ? content : Buffer.from(lines) }
        }
        if (kind === 'chns') return { kind, content: Buffer.from(Uint32Array.of(0, 1, 1, count).buffer) }
        if (kind !== 'meta') return { kind, content }
        const told = JSON.parse(content.toString()) as Record<string, unknown> // our own writing
        return { kind, content: Buffer.from(JSON.stringify({ ...told, gaps: meta ? Array(count).fill(0) : [] })) }
      }),
    )

  it.each([true, false])(
    'is refused with a sentence for more gaps than a session may have (told: %s)',
    async (meta) => {
      const failure = await outcome(await gaps(MAX_SESSION_GAPS + 1, meta))
      expect(failure).toMatchObject({ code: 'too-large', message: 'The session has more than 20,000 gaps.' })
    },
  )

  it('is refused with a sentence for more gaps in several parts than a session may have', async () => {
    const count = Math.ceil((MAX_SESSION_GAPS + 1) / 2)
    const halves = [0, count].map((from) => Array.from({ length: count }, (_, i) => gapLine(from + i)).join('\n'))
    const [meta] = parts
    const end = parts[parts.length - 1]
    const told = JSON.parse(meta.content.toString()) as Record<string, unknown> // our own writing
    const failure = await outcome(
      await sealed([
        { kind: 'meta', content: Buffer.from(JSON.stringify({ ...told, gaps: [] })) },
        { kind: 'chns', content: Buffer.from(Uint32Array.of(0, 1, 1, 2 * count).buffer) },
        ...halves.flatMap((half): Part[] => [
          { kind: 'rows', content: encodeRows(newColumns(0, 0)) },
          { kind: 'entr', content: Buffer.from(half) },
        ]),
        end,
      ]),
    )
    expect(failure).toMatchObject({ code: 'too-large', message: 'The session has more than 20,000 gaps.' })
  })

  it('is refused with a sentence for more entries than one transaction takes, before any is read', async () => {
    const content = Buffer.from(Uint32Array.of(0, 1, MAX_FLUSH_ENTRIES + 1, 1).buffer)
    const failure = await outcome(await lie('chns', () => content))
    expect(failure).toMatchObject({
      code: 'too-large',
      message: 'The session has more than 50,000 entries in one flush.',
    })
  })

  it('gives others their turn while its entries are read', async () => {
    const lines = Array.from({ length: 5_000 }, (_, i) => gapLine(i)).join('\n')
    let turns = 0
    const count = (): void => {
      turns += 1
      if (turns < 100) setImmediate(count)
    }
    setImmediate(count)
    expect(await decodeEntries(Buffer.from(lines))).toHaveLength(5_000)
    expect(turns).toBeGreaterThanOrEqual(4)
  })
})

describe('a session of instants that no clock shows', () => {
  it.each([NaN, Infinity, -Infinity, 1e300, -1e300, 8.64e15 + 1, -8.64e15 - 1])(
    'received at %d: it is refused, or read to its end like any other',
    async (recvMs) => {
      const items: Item[] = [
        { conn: 1, data: tradeText('BTC-USD', 1, 1, T0) },
        { conn: 1, data: tradeText('BTC-USD', 2, 1, T0), recvMs },
        { conn: 1, data: tradeText('BTC-USD', 3, 1, T0 + 2) },
      ]
      const content = await packed([items]).catch(() => null)
      if (content === null) return // no store holds it, so no file does
      const file = path('.db')
      const store = await openStoreWriter({ file })
      const hostile = path('.tapedeck')
      writeFileSync(hostile, content)
      const failure: unknown = await importPackage(hostile, store.library).then(
        () => null,
        (thrown: unknown) => thrown,
      )
      await store.close()
      const there = await openStoreReader({ file })
      try {
        if (failure === null) {
          expect((await readEverything(there)).length).toBe(3)
          expect((await there.verify(null)).problems).toEqual([])
        } else {
          expect(failure).toHaveProperty('code', 'store-damaged')
          expect(await there.sessions()).toEqual([])
        }
      } finally {
        await there.close()
      }
    },
  )
})

describe('what is no file at all', () => {
  it('folders, devices and links to them are no session files, and nobody waits for them', async () => {
    const link = path('.tapedeck')
    symlinkSync('/dev/zero', link)
    const place = path('.tapedeck')
    mkdirSync(place)
    const nothing = path('.tapedeck')
    symlinkSync(join(folder, 'nothing'), nothing)
    for (const one of [link, place, nothing]) expect(await isPackage(one)).toBe(false)
    for (const one of [link, place, nothing]) {
      await expect(importPackage(one, into.library)).rejects.toHaveProperty('code')
    }
  })
})
