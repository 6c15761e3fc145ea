/**
 * The examples in `docs/format.md`: bytes of a tiny store and its session file, written again and compared with the
 * page. After an intended change of the format: `npx vitest run tests/unit/docs/format.test.ts -u`.
 */
import Database from 'better-sqlite3'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ByteReader } from '../../../src/main/core/store/blocks/bytes.ts'
import { VERSION as BLOCK_VERSION } from '../../../src/main/core/store/blocks/format.ts'
import { BY } from '../../../src/main/core/store/blocks/ints.ts'
import { STYLE } from '../../../src/main/core/store/kernels/number-form.ts'
import { openStoreReader } from '../../../src/main/core/store/open.ts'
import { LATEST_VERSION } from '../../../src/main/core/store/schema/migrations.ts'
import { StoreEngine } from '../../../src/main/core/store/threads/engine.ts'
import { FOLD_VERSION } from '../../../src/main/core/market/digest.ts'
import { exportPackage } from '../../../src/main/features/sessions/pack.ts'
import { VERSION as FILE_VERSION } from '../../../src/main/features/sessions/parts.ts'
import { FLAG, GAP_CAUSES } from '../../../src/shared/core/recording/session.ts'
import { sessionId, unixMs } from '../../../src/shared/base/units.ts'
import { makeFolder } from '../../kit/folder.ts'
import { tradeText } from '../../kit/market.ts'
import { findPython } from '../../kit/python.ts'
import { DEMO, T0, Writer } from '../main/core/store/harness.ts'
import { commandsOf } from './blocks.ts'

const PAGE = fileURLToPath(new URL('../../../docs/format.md', import.meta.url))
const FIRST = sessionId('01kexample0000000000000001')
const SECOND = sessionId('01kexample0000000000000002')

let db: Database.Database
let sessionFile: Buffer
/** Where the store and its session file are. */
let folder: string
beforeAll(async () => {
  folder = makeFolder('format')
  const file = join(folder, 'tapedeck.db')
  const engine = new StoreEngine(file, () => T0)
  engine.begin(FIRST, DEMO, unixMs(T0))
  const writer = new Writer(['crypto/XT'])
  engine.commit([
    writer.batch([
      { entry: { type: 'subscribe', feed: 'crypto/XT', conn: 1, symbols: ['BTC-USD'] } },
      { conn: 1, data: tradeText('BTC-USD', '61837.63', '0.5', T0 - 40) },
      { conn: 1, data: tradeText('BTC-USD', '61837.60', '0.25', T0 + 15) },
    ]),
  ])
  engine.commit([
    writer.batch([
      { conn: 1, data: tradeText('BTC-USD', '61838.05', '1e-7', T0 + 21) },
      { entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: ['BTC-USD'], fromMs: unixMs(T0 + 4) } },
      { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 5 } },
    ]),
  ])
  engine.end(unixMs(T0 + 60), [])
  engine.drain()
  engine.begin(SECOND, DEMO, unixMs(T0 + 60))
  engine.commit([new Writer(['crypto/XT']).batch([{ conn: 1, data: tradeText('BTC-USD', '61839', '2', T0 + 80) }])])
  engine.close()
  const reader = await openStoreReader({ file })
  await exportPackage(reader, FIRST, join(folder, 'first.tapedeck'), '0.1.0')
  await reader.close()
  sessionFile = readFileSync(join(folder, 'first.tapedeck'))
  db = new Database(file, { readonly: true })
})
afterAll(() => db.close())

const one = (sql: string): Buffer => {
  const value = db.prepare<[], Buffer>(sql).pluck().get()
  if (value === undefined) throw new TypeError(`nothing for ${sql}`)
  return value
}

/** Reads bytes from beginning to end and describes each field in a line: offset, hex, value, meaning. */
class Description {
  readonly #reader: ByteReader
  readonly #lines: string[] = []

  constructor(bytes: Uint8Array) {
    this.#reader = new ByteReader(bytes)
  }

  #field<T>(meaning: string, read: () => T, show: (value: T) => string): T {
    const from = this.#reader.at
    const value = read()
    const hex = Buffer.from(this.#reader.bytes.subarray(from, this.#reader.at)).toString('hex')
    const rows = hex.match(/.{1,32}/g) ?? ['']
    const text = `${show(value)}  ${meaning}`.trim()
    rows.forEach((row, i) => {
      const offset = (from + 16 * i).toString(16).padStart(4, '0')
      this.#lines.push(`${offset}  ${row.padEnd(32)}  ${i === 0 ? text : ''}`.trimEnd())
    })
    return value
  }

  raw(bytes: number, meaning: string): Uint8Array {
    return this.#field(meaning, () => this.#reader.raw(bytes), () => '') // oxfmt-ignore
  }
  text(bytes: number, meaning: string): void {
    this.#field(meaning, () => this.#reader.raw(bytes), (raw) => JSON.stringify(Buffer.from(raw).toString('latin1'))) // oxfmt-ignore
  }
  u16(meaning: string): number {
    return this.#field(meaning, () => Buffer.from(this.#reader.raw(2)).readUInt16LE(), String)
  }
  u32(meaning: string): number {
    return this.#field(meaning, () => Buffer.from(this.#reader.raw(4)).readUInt32LE(), String)
  }
  double(meaning: string): number {
    return this.#field(meaning, () => Buffer.from(this.#reader.raw(8)).readDoubleLE(), String)
  }
  byte(meaning: string): number {
    return this.#field(meaning, () => this.#reader.byte(), String)
  }
  varint(meaning: string): number {
    return this.#field(meaning, () => this.#reader.varint(), String)
  }
  signed(meaning: string): number {
    return this.#field(meaning, () => this.#reader.signed(), String)
  }
  /** A text after its length. */
  sized(meaning: string): void {
    this.#field(
      meaning,
      () => this.#reader.block(),
      (raw) => JSON.stringify(Buffer.from(raw).toString()),
    )
  }
  note(text: string): void {
    this.#lines.push(`; ${text}`)
  }

  /** The lines. Throws if bytes are left. */
  end(): string {
    expect(this.#reader.at).toBe(this.#reader.end)
    return this.#lines.join('\n')
  }
}

const nameOf = (names: Readonly<Record<string, number>>, value: number): string =>
  Object.keys(names).find((name) => names[name] === value) ?? 'unknown'

/** Bytes that a column takes in a section; they follow the head, in the order of the columns. */
interface Section {
  readonly name: string
  readonly bytes: number
}

/** Describes a column's description. */
function describeColumn(d: Description, name: string, sections: Section[], high: 'hot' | 'cold' = 'hot'): number {
  const n = d.varint(`${name}: count`)
  if (n === 0) return n
  const by = d.byte('encoding')
  d.note(`encoding ${by}: ${nameOf(BY, by)}`)
  if (by === BY.constant) d.signed('the value')
  if (by === BY.constant || by === BY.doubles) {
    if (by === BY.doubles) sections.push({ name: `${high}: ${name}`, bytes: 8 * n })
    return n
  }
  d.signed('first value')
  if (by === BY.ref || by === BY.refDelta || by === BY.clock) {
    d.varint('reference: column')
    d.varint(by === BY.clock ? 'base, ns' : 'scale')
  }
  d.varint('divisor')
  d.signed('floor')
  const lowBits = d.byte('low bits')
  const planes = d.byte('planes')
  const patches = d.varint('patches')
  const patchBytes = patches > 0 ? d.varint('bytes of the patches') : 0
  sections.push({ name: `${high}: ${name}`, bytes: planes * (n - 1) + patchBytes })
  if (lowBits > 0) sections.push({ name: `low: ${name}`, bytes: Math.ceil(((n - 1) * lowBits) / 8) })
  return n
}

const blockData = (): Buffer => one('SELECT data FROM block ORDER BY id LIMIT 1')

const EXAMPLES: Readonly<Record<string, () => string>> = {
  block: () => Buffer.from(blockData()).toString('hex').replace(/.{1,96}/g, '$&\n').trimEnd(), // oxfmt-ignore
  'block-sections': () => {
    const data = blockData()
    const head = data.readUInt32LE(12)
    const [hotPacked, coldPacked] = [data.readUInt32LE(20), data.readUInt32LE(28)]
    const hot = zstdDecompressSync(data.subarray(32, 32 + hotPacked))
    const cold = zstdDecompressSync(data.subarray(32 + hotPacked, 32 + hotPacked + coldPacked))
    const low = data.subarray(32 + hotPacked + coldPacked)
    const d = new Description(Buffer.concat([data.subarray(0, 32), hot, cold, low]))
    d.note('header')
    d.text(4, 'magic')
    for (const name of ['CRC-32 of everything after it', 'version', 'bytes of the head', 'bytes of head and hot']) d.u32(name) // oxfmt-ignore
    for (const name of ['the same, compressed', 'bytes of cold', 'the same, compressed']) d.u32(name)
    d.note('head, decompressed')
    d.sized('feed')
    d.varint('messages')
    const columns = d.varint('columns of numbers')
    for (let i = 0; i < columns; i++) {
      d.byte('has a key')
      d.sized('key')
    }
    d.varint('templates')
    d.sized('template 1: symbol')
    const slots = d.varint('numbers')
    for (let i = 0; i < slots; i++) d.varint('column')
    for (let i = 0; i <= slots; i++) d.sized(i === 0 ? 'text before the first' : i === slots ? 'text after the last' : 'text between') // oxfmt-ignore
    d.varint('messages stored as text')
    const sections: Section[] = []
    const names = ['seq', 'conn', 'conn_seq', 'mono_ns', 'recv_ms', 'flags', 'template', 'rows stored as text']
    for (const [id, name] of names.entries()) describeColumn(d, name, sections, id >= 1 && id <= 4 ? 'cold' : 'hot')
    for (let i = 0; i < columns; i++) {
      const style = d.byte(`column ${i}: style`)
      d.note(`style ${style}: ${nameOf(STYLE, style)}`)
      d.byte('decimals')
      describeColumn(d, 'mantissas', sections)
      if (style === STYLE.explicit) describeColumn(d, 'decimals', sections)
      const exceptions = describeColumn(d, 'exceptions', sections)
      for (let n = 0; n < exceptions; n++) d.sized('its text')
    }
    if (d.byte('event time: from a column') === 1) {
      d.varint('which')
      d.byte('unit: 0 is ms')
    }
    for (const section of ['hot', 'cold', 'low']) {
      d.note(section === 'low' ? 'low, not compressed' : `${section}, decompressed`)
      for (const { name, bytes } of sections) if (name.startsWith(section)) d.raw(bytes, name.slice(section.length + 2))
    }
    d.raw(4, 'padding')
    expect(head).toBeGreaterThan(0)
    return d.end()
  },
  journal: () => {
    const data = one('SELECT data FROM journal')
    const d = new Description(data)
    const leaves = d.u32('leaves')
    const n = d.u32('messages')
    for (let i = 0; i < leaves; i++) {
      d.u32('connection')
      d.u32('messages, or entries for connection 0')
      d.raw(32, 'head of its chain')
    }
    for (const name of ['seq', 'recv_ms', 'mono_ns']) for (let i = 0; i < n; i++) d.double(name)
    for (const name of ['conn', 'conn_seq']) for (let i = 0; i < n; i++) d.u32(name)
    for (let i = 0; i <= n; i++) d.u32('offset')
    for (let i = 0; i < n; i++) d.byte('flags')
    d.text(data.length - 8 - 40 * leaves - 37 * n - 4, '')
    const crc = db.prepare<[], number>('SELECT crc FROM journal').pluck().get()
    return `${d.end()}\n; crc of this row (recording 2, first_seq 1, last_seq 1): ${crc}`
  },
  chains: () => {
    const rows = db
      .prepare<[], { conn: number; part: number; flushes: Buffer; head: Buffer }>(
        'SELECT conn, part, flushes, head FROM chain',
      )
      .all()
    return rows
      .map(
        ({ conn, part, flushes, head }) =>
          `conn ${conn}  part ${part}  flushes ${flushes.toString('hex')}\n  head ${head.toString('hex')}`,
      )
      .join('\n')
  },
  log: () =>
    db
      .prepare<[], { n: number; kind: string; body: string; hash: Buffer }>(
        'SELECT n, kind, body, hash FROM store_log ORDER BY n',
      )
      .all()
      .map(({ n, kind, body, hash }) => `${n}  ${kind}  ${body}\n   hash ${hash.toString('hex')}`)
      .join('\n'),
  'session-file': () => {
    const d = new Description(sessionFile)
    d.text(8, 'magic')
    d.u16('version')
    d.raw(6, 'zero')
    for (let at = 16; at < sessionFile.length;) {
      const [kind, content, stored] = [sessionFile.toString('latin1', at, at + 4), sessionFile.readUInt32LE(at + 8), sessionFile.readUInt32LE(at + 12)] // oxfmt-ignore
      d.text(4, 'kind')
      d.u32('number')
      d.u32('bytes of the content')
      d.u32('bytes stored')
      d.raw(32, 'SHA-256 of the 16 bytes above and the content')
      if (kind === 'chns' || kind === 'rows' || stored === content) d.raw(stored, stored < content ? 'zstd' : 'content')
      else d.raw(stored, 'zstd')
      at += 48 + stored
    }
    return d.end()
  },
  'session-file-parts': () => {
    const lines: string[] = []
    for (let at = 16; at < sessionFile.length;) {
      const [kind, content, stored] = [sessionFile.toString('latin1', at, at + 4), sessionFile.readUInt32LE(at + 8), sessionFile.readUInt32LE(at + 12)] // oxfmt-ignore
      const bytes = sessionFile.subarray(at + 48, at + 48 + stored)
      const body = stored < content ? zstdDecompressSync(bytes) : bytes
      lines.push(`; ${kind}`)
      lines.push(kind === 'chns' || kind === 'rows' ? body.toString('hex').replace(/.{1,96}/g, '$&\n').trimEnd() : body.toString()) // oxfmt-ignore
      at += 48 + stored
    }
    return lines.join('\n')
  },
}

it('has the bytes that Tapedeck writes', async () => {
  const used = new Set<string>()
  const page = readFileSync(PAGE, 'utf8').replace(
    /(<!-- example: ([\w-]+) -->\n\n```text\n)[\s\S]*?(```\n\n<!-- end -->)/g,
    (_, before: string, name: string, after: string) => {
      used.add(name)
      return `${before}${EXAMPLES[name]?.() ?? 'no such example'}\n${after}`
    },
  )
  expect([...used].sort()).toEqual(Object.keys(EXAMPLES).sort())
  await expect(page).toMatchFileSnapshot(PAGE)
})

it('names every table, flag and gap cause, and the current version', () => {
  const page = readFileSync(PAGE, 'utf8')
  const columns = db
    .prepare<[], { table: string; column: string }>(
      `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'`,
    )
    .all()
  expect(columns.length).toBeGreaterThan(50)
  const sections = new Map(page.split(/^### /m).map((section) => [/^`(\w+)`/.exec(section)?.[1] ?? '', section]))
  const missing = columns.filter(({ table, column }) => !sections.get(table)?.includes(`\`${column}\``))
  expect(missing).toEqual([])
  for (const [name, bit] of Object.entries(FLAG)) expect(page).toContain(`| ${bit} | \`${name}\` |`)
  for (const cause of GAP_CAUSES) expect(page).toContain(`\`${cause}\``)
  expect(page).toContain(`\`user_version\` is ${LATEST_VERSION}`)
  const versions = [...page.matchAll(/^\| (store|block|session file|digest) \| .* \| (\d+) \|/gm)].map(([, of, n]) => [
    of,
    n,
  ])
  expect(versions.map(([of, n]) => `${of} ${n}`)).toEqual([
    `store ${LATEST_VERSION}`,
    `block ${BLOCK_VERSION}`,
    `session file ${FILE_VERSION}`,
    `digest ${FOLD_VERSION}`,
  ])
})

const python = findPython('import numpy, zstandard')
it.skipIf(python === undefined)('has commands that read a store and a session file [needs python]', () => {
  const home = makeFolder('home')
  mkdirSync(join(home, '.local/share/tapedeck'), { recursive: true })
  copyFileSync(join(folder, 'tapedeck.db'), join(home, '.local/share/tapedeck/tapedeck.db'))
  copyFileSync(join(folder, 'first.tapedeck'), join(home, 'monday.tapedeck'))
  const [change = '', ...commands] = commandsOf('docs/format.md')
  expect(change).toBe('cd clients/python')
  const printed = commands.map((line) => {
    const script = `${change}; python3() { "${python}" "$@"; }; ${line.replace('--session ID', `--session ${FIRST}`)}`
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
      env: { ...process.env, HOME: home, PYTHONDONTWRITEBYTECODE: '1' },
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
    return stdout
  })
  expect(printed).toEqual([
    expect.stringMatching(
      /^\{"session": "01kexample0000000000000001", .*\n\{"session": "01kexample0000000000000002", .*\n$/,
    ),
    expect.stringMatching(/^(?:\{"feed":"crypto\/XT","recv_ms":\d+,"seq":\d,"raw":"\{.*\}"\}\n){3}$/),
    'All as recorded.\n',
  ])
})
