/** Splits messages into templates and numbers. */
import type { FeedId } from '../../../../shared/base/units.ts'
import {
  createMessageKernel,
  MAX_COLUMN_ROWS,
  MAX_COLUMNS,
  type MessageKernel,
  type NumberBuffers,
} from '../kernels/message-kernel.ts'
import type { MessageColumns } from '../types/messages.ts'
import { MAX_TEMPLATES } from './format.ts'
import { parseLiteral, type Parsed } from '../kernels/literal.ts'
import type { ArrayScratch } from './open-block.ts'
import type { Gather } from './seal-numbers.ts'
import { shapeKey, shapeOf, type Template } from './template.ts'

/** Memory that is used again for the next block. */
export interface ParseBuffers {
  readonly kernel: MessageKernel | null
  /** By column, those that the kernel has no room for. */
  readonly own: NumberBuffers[]
}

export const createParseBuffers = (): ParseBuffers => ({ kernel: createMessageKernel(), own: [] })

const POOL_COLUMNS = 32

function buffersFor({ kernel, own }: ParseBuffers, at: number, rows: number): NumberBuffers {
  const inKernel = at < MAX_COLUMNS && rows <= MAX_COLUMN_ROWS ? kernel?.columns[at] : undefined
  if (inKernel !== undefined) return inKernel
  let buffers = own[at]
  if (buffers === undefined || buffers.mantissa.length < rows) {
    buffers = {
      mantissa: new Float64Array(rows),
      form: new Uint8Array(rows),
      starts: new Uint32Array(rows),
      ends: new Uint32Array(rows),
    }
    if (at < POOL_COLUMNS) own[at] = buffers
  }
  return buffers
}

interface KnownTemplate extends Template {
  /** parts as 4-byte words; the remaining bytes are compared one by one. */
  readonly words: readonly Int32Array[]

  readonly id: number
  readonly columns: readonly Gather[]
  readonly columnIds: readonly number[]
  /** Its number in the kernel; undefined if only JavaScript can match it. */
  kernelId: number | undefined
  /** Rows that JavaScript matched after the kernel couldn't. */
  missed: number
}

const parsed: Parsed = { mantissa: 0, form: 0, end: 0 }

/** Messages parsed between two yields. */
const ROWS_PER_TURN = 2048
/** Recently seen templates tried before a message is parsed: most feeds alternate between two or three. */
const RECENT_TEMPLATES = 4
/** Rows of a template that the kernel may miss before it isn't asked any more. */
const MAX_MISSED = 256

/** Messages split into templates and numbers. `templateIds` is 0 for the rows listed in `raws`, stored as text. */
export interface ParsedRows {
  readonly templates: readonly KnownTemplate[]
  readonly gathers: readonly Gather[]
  readonly templateIds: Float64Array
  readonly raws: readonly number[]
}

/**
 * Splits all rows into templates and numbers, yielding often. Without `shaped`, all rows are stored as text. The result is
 * valid until the buffers are used again.
 */
export function* parseRows(
  feed: FeedId,
  messages: MessageColumns,
  shaped: boolean,
  { parsing, scratch }: { readonly parsing: ParseBuffers; readonly scratch: ArrayScratch },
): Generator<undefined, ParsedRows, void> {
  const parser = new RowParser(feed, messages, shaped, parsing, scratch.floats(messages.count).fill(0))
  for (let from = 0; from < messages.count; from += ROWS_PER_TURN) {
    parser.parse(from, Math.min(messages.count, from + ROWS_PER_TURN))
    yield
  }
  return parser
}

class RowParser implements ParsedRows {
  readonly gathers: Gather[] = []
  readonly templates: KnownTemplate[] = []
  readonly templateIds: Float64Array
  readonly raws: number[] = []
  readonly #feed: FeedId
  readonly #messages: MessageColumns
  readonly #shaped: boolean
  readonly #buffers: ParseBuffers
  readonly #kernel: MessageKernel | null
  readonly #view: DataView
  readonly #gatherOf = new Map<string, number>()
  readonly #byKey = new Map<string, KnownTemplate>()
  readonly #countOf = (column: number): number => this.gathers[column].n
  #likely: KnownTemplate | undefined

  /** `templateIds`: a zero for each row. */
  constructor(
    feed: FeedId,
    messages: MessageColumns,
    shaped: boolean,
    buffers: ParseBuffers,
    templateIds: Float64Array,
  ) {
    const { bytes, count } = messages
    this.#feed = feed
    this.#messages = messages
    this.#shaped = shaped
    this.#buffers = buffers
    this.#kernel = count <= MAX_COLUMN_ROWS ? buffers.kernel : null
    this.#kernel?.clear()
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.templateIds = templateIds
  }

  /** Parses rows [from, to); those before them must be parsed. */
  parse(from: number, to: number): void {
    const { bytes, offsets } = this.#messages
    for (let row = from; row < to;) {
      const end = this.#shaped ? (this.#kernel?.load(bytes, offsets, row, to) ?? row) : row
      if (end === row) this.#parseOne(row++)
      else this.#parseLoaded(row, end)
      row = Math.max(row, end)
    }
  }

  /** Parses rows [from, to), which the kernel has loaded. */
  #parseLoaded(from: number, to: number): void {
    for (let row = from; row < to;) {
      const likely = this.#likely
      let matched = likely === undefined ? 0 : this.#matchInKernel(likely, row, from)
      for (let i = 0; matched === 0 && i < this.templates.length && i < RECENT_TEMPLATES; i++) {
        const other = this.templates[i]
        if (other !== likely) matched = this.#matchInKernel(other, row, from)
      }
      row += matched
      if (matched === 0) this.#parseOne(row++)
    }
  }

  /** The count of rows from `row` on that match a template. `loaded`: the first row that the kernel has. */
  #matchInKernel(template: KnownTemplate, row: number, loaded: number): number {
    const { kernelId, columnIds, columns, id } = template
    if (kernelId === undefined || this.#kernel === null) return 0
    const matched = this.#kernel.match(kernelId, row - loaded, columnIds, this.#countOf)
    if (matched === 0) return 0
    for (const column of columns) column.n += matched
    this.templateIds.fill(id, row, row + matched)
    this.#likely = template
    return matched
  }

  /** Parses a row without the kernel. */
  #parseOne(row: number): void {
    const template = this.#find(row)
    if (template === undefined) {
      this.raws.push(row)
      return
    }
    if (template.kernelId !== undefined && template === this.#likely && ++template.missed > MAX_MISSED) {
      template.kernelId = undefined
    }
    this.#likely = template
    this.templateIds[row] = template.id
  }

  /** The template that a row matches, its numbers already in their columns. */
  #find(row: number): KnownTemplate | undefined {
    const likely = this.#likely
    if (likely !== undefined && this.#match(likely, row)) return likely
    for (let i = 0; i < this.templates.length && i < RECENT_TEMPLATES; i++) {
      const other = this.templates[i]
      if (other !== likely && this.#match(other, row)) return other
    }
    const added = this.#addTemplate(row)
    return added !== undefined && this.#match(added, row) ? added : undefined
  }

  #match(template: KnownTemplate, row: number): boolean {
    const { bytes, offsets } = this.#messages
    return matchTemplate(template, bytes, this.#view, offsets[row], offsets[row + 1])
  }

  /** The template of a row; undefined if the row has to be stored as text. */
  #addTemplate(row: number): KnownTemplate | undefined {
    if (!this.#shaped) return undefined
    const { bytes, offsets, count } = this.#messages
    const shape = shapeOf(this.#feed, bytes, offsets[row], offsets[row + 1])
    if (shape === undefined) return undefined
    const key = shapeKey(shape)
    const old = this.#byKey.get(key)
    if (old !== undefined) return old
    if (this.templates.length === MAX_TEMPLATES) return undefined
    const columnIds = shape.slots.map(({ path, key }) => {
      let id = this.#gatherOf.get(path)
      if (id === undefined) {
        id = this.gathers.length
        this.#gatherOf.set(path, id)
        this.gathers.push({ path, key, n: 0, ...buffersFor(this.#buffers, id, count) })
      }
      return id
    })
    const known: KnownTemplate = {
      ...shape,
      id: this.templates.length + 1,
      columnIds,
      columns: columnIds.map((id) => this.gathers[id]),
      words: shape.parts.map(wordsOf),
      kernelId: this.#kernel?.addTemplate(shape.parts, columnIds),
      missed: 0,
    }
    this.templates.push(known)
    this.#byKey.set(key, known)
    return known
  }
}

function wordsOf(part: Uint8Array): Int32Array {
  const view = new DataView(part.buffer, part.byteOffset, part.byteLength)
  return Int32Array.from({ length: part.length >> 2 }, (_, i) => view.getInt32(4 * i, true))
}

/**
 * Matches bytes[from, to) against a template. If all text and numbers match, adds the numbers to their columns and
 * returns true.
 */
function matchTemplate(template: KnownTemplate, bytes: Uint8Array, view: DataView, from: number, to: number): boolean {
  const { parts, words, columns } = template
  let at = from
  const n = columns.length
  for (let s = 0; s <= n; s++) {
    const part = parts[s]
    const size = part.length
    if (size > to - at) return false
    const word = words[s]
    const whole = word.length
    for (let i = 0; i < whole; i++) if (view.getInt32(at + 4 * i, true) !== word[i]) return false
    for (let i = 4 * whole; i < size; i++) if (bytes[at + i] !== part[i]) return false
    at += size
    if (s === n) break
    const column = columns[s]
    const row = column.n
    parseLiteral(bytes, at, to, parsed)
    if (parsed.end === at) return false
    column.mantissa[row] = parsed.mantissa
    column.form[row] = parsed.form
    column.starts[row] = at
    column.ends[row] = at = parsed.end
  }
  if (at !== to) return false
  for (let s = 0; s < n; s++) columns[s].n++
  return true
}
