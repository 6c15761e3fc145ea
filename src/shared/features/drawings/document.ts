/** Drawings as a file: versioned, validated when read, written whole. Pure. */
import * as v from 'valibot'
import { parseInstrument, type InstrumentId } from '../../base/units.ts'
import { tooMany } from './edits.ts'
import { drawingSchema, MAX_DRAWINGS, type Drawing, type DrawingMarket } from './types.ts'

export type Json = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Converts a document to the next version. Invalid parts pass unchanged. */
export type DrawingsMigration = (document: Json) => Json
/** The first converts version 1 to version 2. */
const MIGRATIONS: readonly DrawingsMigration[] = [
  // Version 2 added notes, pitchforks, regression channels and colors of levels, which version 1 would drop.
  (document) => document,
]

export type ReadDrawings =
  | { readonly is: 'read'; readonly drawings: readonly Drawing[]; readonly corrupt: number }
  /** Not a file of this instrument's drawings. */
  | { readonly is: 'garbage' }
  /** Written by a newer version of Tapedeck, so it must not be changed. */
  | { readonly is: 'newer'; readonly version: number }

/** Reads the text of an instrument's file. Never throws. An invalid drawing is skipped and counted. */
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

/** The text of a file. Files from before drawings were saved by market have none. */
export function writeDrawings(instrument: InstrumentId, drawings: readonly Drawing[], market?: DrawingMarket): string {
  return JSON.stringify({ version: MIGRATIONS.length + 1, instrument, market, drawings })
}

/**
 * Whether a file was written before drawings were saved by market. False for anything that isn't a file of drawings.
 */
export function namesNoMarket(text: string): boolean {
  try {
    const document: unknown = JSON.parse(text)
    return isObject(document) && 'instrument' in document && !('market' in document)
  } catch {
    return false
  }
}

/** The name of an instrument's file, valid on every file system for any symbol. */
export function drawingsFile(instrument: InstrumentId): string {
  const { asset, key } = parseInstrument(instrument) ?? { asset: 'none', key: '' }
  const safe = [...new TextEncoder().encode(key)]
    .map((byte) => (/[A-Z0-9-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `_${byte.toString(16)}`))
    .join('')
  return `${asset}-${safe}.json`
}
