/** Drawings, as other features use them. */
import type { DrawingsEdit } from '../../../shared/features/drawings/edits.ts'
import type { DrawingMarket, DrawingsState } from '../../../shared/features/drawings/types.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'

export interface Drawings {
  /** The current drawings of an instrument, read from its file the first time. Never throws. */
  get(instrument: InstrumentId): DrawingsState
  /**
   * Changes and saves drawings. Throws `too-large`, `store-newer`, `bad-arguments` or `disk-error`, and then changes
   * nothing.
   */
  edit(instrument: InstrumentId, edit: DrawingsEdit): DrawingsState
  /** Calls back after every change; returns a function that removes the listener. */
  onChange(listener: (instrument: InstrumentId) => void): () => void
}

/** The demo market's drawings and a service's, which never mix. */
export type MarketDrawings = Readonly<Record<DrawingMarket, Drawings>>

/** Where drawings are saved: one file per instrument. */
export interface DrawingsFiles {
  /** Null: nothing was saved yet. */
  load(name: string): string | null
  /** Writes atomically. */
  save(name: string, text: string): void
  /** Renames a file that can't be fully read, so that no user data is lost. Returns its new name. */
  setAside(name: string): string
}
