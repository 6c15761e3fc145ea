/** The subject of a pane, or of the window outside its panes: an instrument and the time zone of its times. */
import { createContext } from 'svelte'
import type { AssetClass, InstrumentId } from '../../../shared/base/units.ts'

/** Getters are reactive. */
export interface Subject {
  readonly instrument: InstrumentId
  readonly asset: AssetClass
  /** IANA name. */
  readonly zone: string
  /** Changes the instrument here and in linked panes. */
  select(instrument: InstrumentId): void
}

export const [useSubject, provideSubject] = createContext<Subject>()
