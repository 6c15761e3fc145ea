/** Drawings as a file: versioned, validated when read, written whole. Pure. */
import * as v from 'valibot'
import { parseInstrument, type InstrumentId } from '../../base/units.ts'
import { tooMany } from './edits.ts'
import { drawingSchema, MAX_DRAWINGS, type Drawing, type DrawingMarket } from './types.ts'

type Json = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Version 2 added notes, pitchforks, regression channels and colors of levels, which a reader of version 1 would drop. */
const VERSION = 2

export type ReadDrawings =
  | { readonly is: 'read'; readonly drawings: readonly Drawing[]; readonly corrupt: number }
  /** Not a file of this instrument's drawings. */
  | { readonly is: 'garbage' }
  /** Written by a newer version of Tapedeck, so it must not be changed. */
  | { readonly is: 'newer'; readonly version: number }

/** Reads the text of an instrument's file. Never throws. An invalid drawing is skipped and counted. */
export function readDrawings(text: string, instrument: InstrumentId): ReadDrawings {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    return { is: 'garbage' }
  }
  if (!isObject(document) || document['instrument'] !== instrument) return { is: 'garbage' }
  const version = document['version']
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) return { is: 'garbage' }
  if (version > VERSION) return { is: 'newer', version }
  const list: unknown = document['drawings']
  if (!Array.isArray(list)) return { is: 'garbage' }
  const drawings: Drawing[] = []
  const ids = new Set<string>()
  let corrupt = 0
  for (const one of list as unknown[]) {
    const parsed = v.safeParse(drawingSchema, one)
    const whole = parsed.success && !ids.has(parsed.output.id) && drawings.length < MAX_DRAWINGS
    if (!whole || tooMany([...drawings, parsed.output]) !== null) corrupt++
    else {
      ids.add(parsed.output.id)
      drawings.push(parsed.output)
    }
  }
  return { is: 'read', drawings, corrupt: corrupt }
}

/** The text of a file. */
export function writeDrawings(instrument: InstrumentId, drawings: readonly Drawing[], market?: DrawingMarket): string {
  return JSON.stringify({ version: VERSION, instrument, market, drawings })
}

/** The name of an instrument's file, valid on every file system for any symbol. */
export function drawingsFile(instrument: InstrumentId): string {
  const { asset, key } = parseInstrument(instrument) ?? { asset: 'none', key: '' }
  const safe = [...new TextEncoder().encode(key)]
    .map((byte) => (/[A-Z0-9-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `_${byte.toString(16)}`))
    .join('')
  return `${asset}-${safe}.json`
}
