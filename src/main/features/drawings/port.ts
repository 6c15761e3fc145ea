/** Drawings as the rest of the terminal sees them. */
import type { DrawingsEdit } from '../../../shared/features/drawings/edits.ts'
import type { DrawingMarket, DrawingsState } from '../../../shared/features/drawings/types.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'

export interface Drawings {
  /** Those of an instrument as they are now, read from its file the first time. Never throws. */
  get(instrument: InstrumentId): DrawingsState
  /** Changes and keeps them. Throws `too-large`, `store-newer`, `bad-arguments` or `disk-error`, and then nothing changed. */
  edit(instrument: InstrumentId, edit: DrawingsEdit): DrawingsState
  /** Called after every change; answers its undo. */
  onChange(listener: (instrument: InstrumentId) => void): () => void
}

/** Those of the demo market and those of a service, which never mix. */
export type MarketDrawings = Readonly<Record<DrawingMarket, Drawings>>

/** Where drawings are kept: one file an instrument. */
export interface DrawingsFiles {
  /** Null: nothing was kept yet. */
  load(name: string): string | null
  /** Writes the whole or nothing. */
  save(name: string, text: string): void
  /** Keeps a file that cannot be read whole aside, so that nothing of the user's is lost. Answers its new name. */
  setAside(name: string): string
}
