/** The journal as a file: versioned, each note validated alone, written whole. Pure. */
import * as v from 'valibot'
import { byTime, MAX_NOTES, noteSchema, type Note } from './note.ts'

const VERSION = 1

export type ReadJournal =
  | { readonly is: 'read'; readonly notes: readonly Note[]; readonly corrupt: number }
  /** Not a journal. */
  | { readonly is: 'garbage' }
  /** Written by a newer version of Tapedeck, so it must not be changed. */
  | { readonly is: 'newer' }

const head = v.object({ version: v.pipe(v.number(), v.integer(), v.minValue(1)), notes: v.optional(v.unknown()) })

/** Reads the text of the file. Never throws. A note that can't be read is skipped and counted. */
export function readJournal(text: string): ReadJournal {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { is: 'garbage' }
  }
  const document = v.safeParse(head, json)
  if (!document.success) return { is: 'garbage' }
  if (document.output.version > VERSION) return { is: 'newer' }
  const list = document.output.notes
  if (!Array.isArray(list)) return { is: 'garbage' }
  const notes = new Map<string, Note>()
  for (const one of list as readonly unknown[]) {
    const parsed = v.safeParse(noteSchema, one)
    if (parsed.success && notes.size < MAX_NOTES && !notes.has(parsed.output.id))
      notes.set(parsed.output.id, parsed.output)
  }
  return { is: 'read', notes: [...notes.values()].sort(byTime), corrupt: list.length - notes.size }
}

export const writeJournal = (notes: readonly Note[]): string => JSON.stringify({ version: VERSION, notes })
