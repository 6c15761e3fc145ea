/**
 * The notes of all markets: saved before listeners are called. Several terminals may have one journal open, so each
 * change reads what another one saved, under a lock that it holds until its own notes are saved.
 */
import { CodedError, messageOf } from '../../../shared/base/errors.ts'
import { readJournal, writeJournal } from '../../../shared/features/journal/document.ts'
import { byTime, MAX_NOTES, type Note, type NoteDraft } from '../../../shared/features/journal/note.ts'
import { matchesSource } from '../../../shared/core/recording/session.ts'
import { Listeners } from '../../../shared/base/listeners.ts'
import { notSaved } from '../../base/whole-file.ts'
import type { JournalFiles } from './journal-files.ts'

export interface JournalOptions {
  readonly files: JournalFiles
  readonly newId: () => string
  /** UTC ms. */
  readonly wallMs: () => number
  /** Reports what was wrong with the file, as a sentence. */
  readonly problem: (text: string, detail?: string) => void
}

export interface Journal {
  readonly revision: number
  /** The notes of a source, oldest first. */
  of(source: string): readonly Note[]
  /** Adds a note (`id` null) or changes one. Throws `not-found`, `too-large`, `store-newer` or `disk-error`. */
  put(source: string, id: string | null, draft: NoteDraft): Note
  /** Removes notes and returns them. Throws `store-newer` or `disk-error`. */
  remove(ids: readonly string[]): readonly Note[]
  /** Puts removed notes back. Throws like `put`. */
  restore(notes: readonly Note[]): void
  /** Saves a picture for a note to come and returns its name. Throws `bad-arguments`. */
  addPicture(bytes: Uint8Array): string
  /** Calls back after every change; returns a function that removes the listener. */
  onChange(listener: () => void): () => void
  /**
   * Deletes the pictures that notes lost since the journal was opened, or that no note ever got. They stay until now,
   * so removing a note can be undone. Other pictures stay, because notes in a file that was set aside may have them.
   */
  close(): void
}

/** Opens the journal. If its file can't be read, the notes are empty and can't be changed, so that nothing is lost. */
export function openJournal({ files, newId, wallMs, problem }: JournalOptions): Journal {
  const { refuses, ...loaded } = load(files, problem)
  /** The notes that the file had when it was last read or saved, and its text. */
  let { notes, text } = loaded
  let revision = 0
  const listeners = new Listeners()
  const unused = new Set<string>()

  /** Takes over what another terminal saved meanwhile. Throws `store-newer`, or `disk-error` if it can't be read. */
  const refresh = (): void => {
    let now: string | null
    try {
      now = files.load()
    } catch (cause) {
      throw unreadable(cause)
    }
    if (now === null || now === text) return
    const found = readJournal(now)
    if (found.is === 'newer') throw newer()
    if (found.is === 'garbage' || found.corrupt > 0) throw unreadable()
    ;[notes, text] = [found.notes, now]
    revision++
  }
  /** Saves notes that were computed after `refresh`, under the same lock. */
  const change = (next: readonly Note[]): void => {
    if (next.length > MAX_NOTES) {
      throw new CodedError('too-large', `A journal holds up to ${MAX_NOTES} notes.`, { hint: 'Remove some first.' })
    }
    const sorted = [...next].sort(byTime)
    const changed = writeJournal(sorted)
    try {
      files.save(changed)
    } catch (cause) {
      throw notSaved('Couldn’t save the note.', cause)
    }
    for (const one of notes) for (const picture of one.pictures) unused.add(picture)
    ;[notes, text] = [sorted, changed]
    revision++
  }
  /**
   * Runs a step on what the file has now, while no other terminal changes it. Calls the listeners afterwards, also if
   * the step failed, because it may have read what another terminal saved. Throws `store-newer` or `disk-error`.
   */
  const onLatest = <T>(step: () => T): T => {
    if (refuses !== null) throw refuses
    const before = revision
    try {
      return files.exclusively(() => {
        refresh()
        return step()
      })
    } catch (thrown) {
      throw thrown instanceof CodedError ? thrown : notSaved('Couldn’t save the note.', thrown)
    } finally {
      if (revision !== before) listeners.call()
    }
  }

  return {
    get revision() {
      return revision
    },
    of: (source) => notes.filter((one) => matchesSource(one.source, source) || matchesSource(source, one.source)),
    put: (source, id, draft) =>
      onLatest(() => {
        const changedMs = wallMs()
        const old = id === null ? undefined : notes.find((one) => one.id === id)
        if (id !== null && old === undefined) {
          throw new CodedError('not-found', 'This note was removed in the meantime.', {
            hint: 'Copy its text to a new note.',
          })
        }
        const note: Note =
          old === undefined
            ? { ...draft, id: newId(), source, createdMs: changedMs, changedMs }
            : { ...old, ...draft, changedMs }
        change([...notes.filter((one) => one !== old), note])
        return note
      }),
    remove: (ids) =>
      onLatest(() => {
        const gone = new Set(ids)
        const removed = notes.filter((one) => gone.has(one.id))
        if (removed.length > 0) change(notes.filter((one) => !gone.has(one.id)))
        return removed
      }),
    restore: (removed) =>
      onLatest(() => {
        const known = new Set(notes.map((one) => one.id))
        change([...notes, ...removed.filter((one) => !known.has(one.id))])
      }),
    addPicture(bytes) {
      const { file, isNew } = files.addPicture(bytes)
      if (isNew) unused.add(file)
      return file
    },
    onChange: listeners.add,
    close() {
      if (unused.size === 0) return
      try {
        onLatest(() => {
          const used = new Set(notes.flatMap((one) => one.pictures))
          for (const file of unused) if (!used.has(file)) files.removePicture(file)
        })
      } catch {
        // The file can't be read or a picture can't be deleted: any picture may be in use, so they stay.
      }
    },
  }
}

const newer = (): CodedError =>
  new CodedError('store-newer', 'The journal is from a newer Tapedeck and can’t be changed.', {
    hint: 'Open it with that version.',
  })
const unreadable = (cause?: unknown): CodedError =>
  new CodedError('disk-error', 'The journal was changed by another program and can’t be read.', {
    hint: 'Copy your text, then restart Tapedeck.',
    cause,
  })

interface Loaded {
  readonly notes: readonly Note[]
  /** The text of the file that has these notes; null: there is none. */
  readonly text: string | null
  /** Why notes can't be changed; null if they can. */
  readonly refuses: CodedError | null
}

function load(files: JournalFiles, problem: JournalOptions['problem']): Loaded {
  const failed = (text: string, cause: unknown): Loaded => {
    problem(text, messageOf(cause))
    const hint = 'Check the permissions of the journal folder, then restart Tapedeck.'
    return { notes: [], text: null, refuses: new CodedError('disk-error', text, { hint, cause }) }
  }
  let found: Loaded | Corrupt
  try {
    found = read(files)
  } catch (cause) {
    return failed('Couldn’t read the journal, so it can’t be changed.', cause)
  }
  if (!('damage' in found)) return found
  const { damage } = found
  try {
    return files.exclusively(() => {
      // Another terminal that starts now may have set it aside already.
      const now = read(files)
      return 'damage' in now ? repair(files, now, problem) : now
    })
  } catch (cause) {
    return failed(`${damage}, and the file couldn’t be set aside.`, cause)
  }
}

/** A file with something that can't be read. */
interface Corrupt {
  readonly notes: readonly Note[]
  /** The start of a sentence. */
  readonly damage: string
}

/** Reads the file as it is. Throws the disk's error. */
function read(files: JournalFiles): Loaded | Corrupt {
  const text = files.load()
  const found = text === null ? null : readJournal(text)
  if (found === null) return { notes: [], text: null, refuses: null }
  if (found.is === 'newer') return { notes: [], text, refuses: newer() }
  if (found.is === 'garbage') return { notes: [], damage: 'The journal was corrupt' }
  const { notes, corrupt } = found
  if (corrupt === 0) return { notes, text, refuses: null }
  return { notes, damage: corrupt === 1 ? 'One note couldn’t be read' : `${corrupt} notes couldn’t be read` }
}

/** Sets the file aside and saves the notes that can be read, under the lock. Throws the disk's error. */
function repair(files: JournalFiles, { notes, damage }: Corrupt, problem: JournalOptions['problem']): Loaded {
  const aside = files.setAside()
  // Save the readable notes now. Otherwise the next start would find no file.
  const text = notes.length > 0 ? writeJournal(notes) : null
  if (text !== null) files.save(text)
  problem(`${damage}; the file was saved as ${aside}.`)
  return { notes, text, refuses: null }
}
