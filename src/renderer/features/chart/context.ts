/** The context of the chart components: what other features draw on a chart, and where charts are asked to go. */
import { createContext } from 'svelte'
import type { AlertsService } from '../alerts/feature.ts'
import type { DrawingsService } from '../drawings/feature.ts'
import type { EvidenceState } from '../evidence/evidence.svelte.ts'
import type { JournalBook } from '../journal/journal.svelte.ts'
import type { Replays } from '../replay/replays.ts'
import type { ResearchService } from '../research/feature.ts'

export interface ChartServices {
  readonly alerts: AlertsService
  readonly drawings: DrawingsService
  readonly evidence: EvidenceState
  readonly journal: JournalBook
  readonly replay: Replays
  readonly research: ResearchService
}
export const [useCharts, provideCharts] = createContext<ChartServices>()
