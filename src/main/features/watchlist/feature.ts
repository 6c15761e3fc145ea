/** Watchlists as a feature: their symbols are subscribed to while recording is on, so that they are recorded. */
import { settings } from '../../core/settings/feature.ts'
import { live } from '../../core/views/live-feature.ts'
import { market } from '../../core/views/market-feature.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { subscribeWatchlists } from './watchlist-subscriptions.ts'

export const watchlist = defineFeature({
  name: 'watchlist',
  needs: { settings, market, live },
  start({ settings, market, live }, { wantWatchlists }) {
    const subscribe = subscribeWatchlists({
      feeds: live.feeds,
      settings: () => settings.get(),
      always: wantWatchlists,
      recording: () => live.recorderControl.wanted,
      symbolOf: market.symbolOf,
    })
    live.onRecordingSet(subscribe)
    const offSettings = settings.onChange((now, before) => {
      if (now.watchlists !== before.watchlists || now.recording !== before.recording) subscribe()
    })
    return { service: null, begin: subscribe, stop: () => void offSettings() }
  },
})
