/** The tab of a pane with events: the user's choice, until a request or an event asks for another. */
import { untrack } from 'svelte'
import type { ChartMarker } from '../../charts/model/markers.ts'
import { useSubject } from '../../core/window/subject.ts'
import type { ShownEvent, WindowState } from '../../core/window/window.svelte.ts'
import { takeAsked } from './asked-endpoint.ts'

export class AskedTab<T extends string> {
  tab = $state.raw() as T // set by the constructor
  /** The chart marker that the pane was asked to show. It stays selected until the user picks another tab. */
  sought = $state.raw<ChartMarker | null>(null)

  /** Call it during component initialization. `ofEvents`: the tab that shows the events of a company. */
  constructor(app: WindowState, tabs: readonly (readonly [T, string])[], ofEvents: T, event: () => ShownEvent | null) {
    const subject = useSubject()
    this.tab = tabs[0][0]
    $effect(() =>
      takeAsked(app, (asked) => {
        const found = tabs.find(([one]) => one === asked)
        if (found) this.tab = found[0]
        return found !== undefined
      }),
    )
    $effect(() => {
      const target = event()
      if (target === null) return
      untrack(() => {
        app.event = null
        if (subject.instrument !== target.instrument) subject.select(target.instrument)
        this.tab = ofEvents
        this.sought = target.marker
      })
    })
  }

  choose = (one: T): void => {
    this.tab = one
    this.sought = null
  }
}
