/** The settings of watchlists and tapes. */
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'
import { settingsSection } from '../../core/settings/settings.ts'

const schema = v.object({
  activeWatchlist: v.fallback(text(64), 'majors'),
  columns: v.fallback(v.array(text(32)), ['last', 'changePercent', 'spread', 'age']),
  /** Group the symbols of watchlists by asset class. */
  grouped: v.fallback(v.boolean(), true),
  /** The "Connect your account" card was dismissed. */
  cardDismissed: v.fallback(v.boolean(), false),
  tapeMinSize: v.fallback(v.number(), 0),
  /** Prints of this size or more are highlighted; 0: none. */
  tapeLargeSize: v.fallback(v.number(), 0),
  /** Highlight prints above the 99.5th percentile of the day before instead. */
  tapeLargeAuto: v.fallback(v.boolean(), false),
  /** Color prints by the aggressor's side instead of the change of price. */
  tapeSides: v.fallback(v.boolean(), true),
  /** Show prints of the same millisecond and side as one. */
  tapeBursts: v.fallback(v.boolean(), false),
  /** How far such prints may be apart, ms; 0: within one millisecond. */
  tapeBurstMs: v.fallback(v.picklist([0, 100]), 0),
})
export type WorkspaceSettings = v.InferOutput<typeof schema>
export const workspaceSettings = settingsSection('workspace', schema, { isAppearance: true })

declare module '../../core/settings/settings.ts' {
  interface Settings {
    workspace: WorkspaceSettings
  }
}
