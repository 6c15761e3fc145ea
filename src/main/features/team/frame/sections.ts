/**
 * The content of a frame: sections, each with its kind, whether a reader that doesn't know it may skip it, and its
 * length. Kinds ascend, so that each occurs once.
 */
import { ByteReader, ByteWriter } from '../../../core/store/blocks/bytes.ts'
import { malformed, newer } from './refusal.ts'

/** Kinds by name. Numbers are part of the format. */
export const KINDS = { session: 1, connections: 2, flushes: 3, rows: 4, entries: 5, chains: 6, signature: 7 } as const
export type SectionName = keyof typeof KINDS

const NAMES = new Map<number, SectionName>(Object.entries(KINDS).map(([name, kind]) => [kind, name as SectionName])) // its keys
const REQUIRED = 0
const SKIPPABLE = 1
/** A reader of version 1 that can't check signatures may skip them. */
const flagOf = (name: SectionName): number => (name === 'signature' ? SKIPPABLE : REQUIRED)

/** Writes sections; those without content are left out. */
export function writeSections(sections: Readonly<Record<SectionName, Uint8Array>>): Uint8Array {
  const out = new ByteWriter(1 << 12)
  for (const [kind, name] of NAMES) {
    const content = sections[name]
    if (content.length === 0) continue
    out.byte(kind)
    out.byte(flagOf(name))
    out.block(content)
  }
  return out.finish()
}

/** Reads sections. One that is left out is empty. Throws FrameError, or `store-damaged` where the bytes end early. */
export function readSections(content: Uint8Array): Record<SectionName, Uint8Array> {
  const sections: Record<SectionName, Uint8Array> = {
    session: new Uint8Array(0),
    connections: new Uint8Array(0),
    flushes: new Uint8Array(0),
    rows: new Uint8Array(0),
    entries: new Uint8Array(0),
    chains: new Uint8Array(0),
    signature: new Uint8Array(0),
  }
  const from = new ByteReader(content)
  let last = 0
  while (from.at < from.end) {
    const kind = from.byte()
    const flag = from.byte()
    const section = from.block()
    if (kind <= last || flag > SKIPPABLE) throw malformed('sections')
    last = kind
    const name = NAMES.get(kind)
    if (name === undefined) {
      if (flag !== SKIPPABLE) throw newer(`it has a section of kind ${kind}`)
      continue
    }
    if (flag !== flagOf(name) || section.length === 0) throw malformed('sections')
    sections[name] = section
  }
  return sections
}
