/** Drawings as a file: versioned, read with care, written whole. Pure. */
import * as v from 'valibot'
import { parseInstrument, type InstrumentId } from '../../base/units.ts'
import { tooMany } from './edits.ts'
import { drawingSchema, MOST_DRAWINGS, type Drawing, type DrawingMarket } from './types.ts'

export type Json = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Makes a document of the next version; damaged parts pass as they are. */
export type DrawingsMigration = (document: Json) => Json
/** The first makes version 2 of version 1. */
const MIGRATIONS: readonly DrawingsMigration[] = []

export type ReadDrawings =
  | { readonly is: 'read'; readonly drawings: readonly Drawing[]; readonly damaged: number }
  /** Not a file of drawings of this instrument. */
  | { readonly is: 'garbage' }
  /** By a newer Tapedeck: to be left as it is. */
  | { readonly is: 'newer'; readonly version: number }

/** Reads the text of a file of one instrument; never throws. A damaged drawing is left out, and counted. */
export function readDrawings(text: string, instrument: InstrumentId, migrations = MIGRATIONS): ReadDrawings {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    return { is: 'garbage' }
  }
  if (!isObject(document) || document['instrument'] !== instrument) return { is: 'garbage' }
  const version = document['version']
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) return { is: 'garbage' }
  if (version > migrations.length + 1) return { is: 'newer', version }
  const now: Json = migrations.slice(version - 1).reduce((older, migrate) => migrate(older), document)
  const list: unknown = now['drawings']
  if (!Array.isArray(list)) return { is: 'garbage' }
  const drawings: Drawing[] = []
  const ids = new Set<string>()
  let damaged = 0
  for (const one of list as unknown[]) {
    const parsed = v.safeParse(drawingSchema, one)
    const whole = parsed.success && !ids.has(parsed.output.id) && drawings.length < MOST_DRAWINGS
    if (!whole || tooMany([...drawings, parsed.output]) !== null) damaged++
    else {
      ids.add(parsed.output.id)
      drawings.push(parsed.output)
    }
  }
  return { is: 'read', drawings, damaged }
}

/** The text of a file. Files from before drawings were kept by market name none. */
export function writeDrawings(instrument: InstrumentId, drawings: readonly Drawing[], market?: DrawingMarket): string {
  return JSON.stringify({ version: MIGRATIONS.length + 1, instrument, market, drawings })
}

/** Whether a file was written before drawings were kept by market; false for what is no file of drawings. */
export function namesNoMarket(text: string): boolean {
  try {
    const document: unknown = JSON.parse(text)
    return isObject(document) && 'instrument' in document && !('market' in document)
  } catch {
    return false
  }
}

/** Name of an instrument's file: any spelling makes one that every file system takes. */
export function drawingsFile(instrument: InstrumentId): string {
  const { asset, key } = parseInstrument(instrument) ?? { asset: 'none', key: '' }
  const safe = [...new TextEncoder().encode(key)]
    .map((byte) => (/[A-Z0-9-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `_${byte.toString(16)}`))
    .join('')
  return `${asset}-${safe}.json`
}
