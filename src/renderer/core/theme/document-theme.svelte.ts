/** Applies the theme of the settings and the system to a document. For the root of a window. */
import type { Settings } from '../../../shared/core/settings/settings.ts'
import { useTextScale } from '../../ui/text-size.svelte.ts'
import { useDates } from '../../text/zone-time.ts'
import { LOOK_QUERIES, lookOf, motionOf, wear, wearAccent, type Look } from './theme.ts'

export interface DocumentLook {
  readonly look: Look
  /** Changes whenever canvases must be repainted. */
  readonly key: string
}

/** Call it during component initialization. `systemAccent` is `#rrggbb`, or null if the system has none. */
export function documentLook(settings: () => Settings, systemAccent: () => string | null): DocumentLook {
  const appearance = $derived(settings().appearance)
  let turns = $state(0)
  const prefers = (query: string): boolean => {
    void turns
    return matchMedia(query).matches
  }
  const look = $derived(lookOf(appearance.theme, prefers))
  const motion = $derived(motionOf(appearance.motion, prefers))
  const accent = $derived(appearance.accent === 'system' ? systemAccent() : null)
  let key = $state('')
  $effect(() => {
    const turn = () => void turns++
    const queries = LOOK_QUERIES.map((query) => matchMedia(query))
    for (const query of queries) query.addEventListener('change', turn)
    return () => queries.forEach((query) => query.removeEventListener('change', turn))
  })
  $effect.pre(() => useDates(settings().dates))
  $effect.pre(() => {
    wear(document.documentElement, appearance, look, motion)
    wearAccent(document.documentElement, accent)
    useTextScale(appearance.scale / 100)
    // Changed only after the theme is applied, because panes then read the document's colors.
    key = `${look} ${appearance.direction} ${appearance.scale} ${accent ?? ''}`
  })
  return {
    get look() {
      return look
    },
    get key() {
      return key
    },
  }
}
