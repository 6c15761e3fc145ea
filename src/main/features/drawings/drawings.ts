/** The drawings of every instrument: read once, changed by edits, and saved before listeners are called. */
import { CodedError, messageOf } from '../../../shared/base/errors.ts'
import { drawingsFile, readDrawings, writeDrawings } from '../../../shared/features/drawings/document.ts'
import { applyEdit, isNoEdit, tooMany } from '../../../shared/features/drawings/edits.ts'
import type { DrawingMarket, DrawingsState } from '../../../shared/features/drawings/types.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import { Listeners } from '../../../shared/base/listeners.ts'
import { notSaved } from '../../base/whole-file.ts'
import type { Drawings, DrawingsFiles } from './port.ts'

export interface DrawingsOptions {
  readonly files: DrawingsFiles
  /** The market these drawings belong to. Each market has its own files. */
  readonly market: DrawingMarket
  /** Reports what was wrong with a file, as a sentence. */
  readonly problem: (text: string, detail?: string) => void
}

/** Longest file name that every file system accepts once the suffix for writing is added. */
const LONGEST_NAME = 200

interface Held {
  state: DrawingsState
  /** Why the drawings can't be changed; null if they can. */
  readonly refuses: CodedError | null
}

/** Opens the drawings of a market. A file is read when its drawings are first requested. */
export function createDrawings({ files, market, problem }: DrawingsOptions): Drawings {
  const held = new Map<InstrumentId, Held>()
  const listeners = new Listeners<[instrument: InstrumentId]>()

  function read(instrument: InstrumentId): Held {
    const none: DrawingsState = { instrument, revision: 0, drawings: [] }
    const name = drawingsFile(instrument)
    if (name.length > LONGEST_NAME) {
      return { state: none, refuses: new CodedError('bad-arguments', 'This symbol is too long to save drawings for.') }
    }
    let text: string | null
    try {
      text = files.load(name)
    } catch (cause) {
      problem(`Couldn’t read the drawings of ${instrument}.`, messageOf(cause))
      // Don't overwrite the file: it may be readable again later.
      return {
        state: none,
        refuses: new CodedError('disk-error', 'Couldn’t read the drawings of this symbol, so they can’t be changed.', {
          hint: `Check the permissions of ${name} in the drawings folder, then restart Tapedeck.`,
          cause,
        }),
      }
    }
    if (text === null) return { state: none, refuses: null }
    const found = readDrawings(text, instrument)
    switch (found.is) {
      case 'newer':
        return {
          state: none,
          refuses: new CodedError(
            'store-newer',
            'The drawings on this chart are from a newer Tapedeck and can’t be changed.',
            {
              hint: 'Open them with that version.',
            },
          ),
        }
      case 'garbage':
        return { refuses: null, ...aside(none, `The drawings of ${instrument} were corrupt`) }
      case 'read': {
        const state = { ...none, drawings: found.drawings }
        if (found.corrupt === 0) return { state, refuses: null }
        const what = found.corrupt === 1 ? 'One drawing' : `${found.corrupt} drawings`
        return { refuses: null, ...aside(state, `${what} of ${instrument} couldn’t be read`) }
      }
    }
  }

  function aside(state: DrawingsState, what: string): Pick<Held, 'state'> & Partial<Held> {
    const { instrument, drawings } = state
    const name = drawingsFile(instrument)
    try {
      const aside = files.setAside(name)
      // Save the readable drawings now. Otherwise the next start would find no file.
      if (drawings.length > 0) files.save(name, writeDrawings(instrument, drawings, market))
      const text = `${what}; the file was saved as ${aside}.`
      problem(text)
      return { state: { ...state, problem: text } }
    } catch (cause) {
      const text = `${what}, and the file couldn’t be replaced.`
      problem(text, messageOf(cause))
      return { state: { ...state, problem: text }, refuses: new CodedError('disk-error', text, { cause }) }
    }
  }

  function of(instrument: InstrumentId): Held {
    let one = held.get(instrument)
    if (one === undefined) {
      one = read(instrument)
      held.set(instrument, one)
    }
    return one
  }

  return {
    get: (instrument) => of(instrument).state,
    edit(instrument, edit) {
      const one = of(instrument)
      if (one.refuses !== null) throw one.refuses
      if (isNoEdit(edit)) return one.state
      const drawings = applyEdit(one.state.drawings, edit)
      const limit = tooMany(drawings)
      if (limit !== null) throw new CodedError('too-large', limit, { hint: 'Delete some, then try again.' })
      try {
        files.save(drawingsFile(instrument), writeDrawings(instrument, drawings, market))
      } catch (cause) {
        throw notSaved('Couldn’t save the drawings.', cause)
      }
      one.state = { instrument, revision: one.state.revision + 1, drawings }
      listeners.call(instrument)
      return one.state
    },
    onChange: listeners.add,
  }
}
