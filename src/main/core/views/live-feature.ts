/** The live market: connects the feeds to recorder and hub, turns recording on and off, and reports the status. */
import { DAY_MS } from '../../../shared/base/durations.ts'
import { sourceKey, type Source } from '../../../shared/core/recording/session.ts'
import { SOURCE_CALLS } from '../../../shared/core/account/contract.ts'
import { LIVE_CALLS } from '../../../shared/core/status/contract.ts'
import type { StatusState } from '../../../shared/core/status/status.ts'
import { keepTime } from './ticker.ts'
import { respond, type Responder } from '../../rpc/respond.ts'
import { wholeStreams, type WholeStreams } from '../../rpc/state-stream.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { account } from '../account/feature.ts'
import { createFeeds, type LiveFeeds } from '../feeds/feeds.ts'
import { log } from '../log/feature.ts'
import type { HubSink, MarketContext, RecordSink } from '../market/hub-types.ts'
import { createMarket } from '../market/market.ts'
import { recording } from '../recording/feature.ts'
import { createRecorderControl, type RecorderControl } from '../recording/recorder-control.ts'
import { tellOfRecorder } from '../recording/recorder-events.ts'
import { createSnapshots } from '../recording/snapshots.ts'
import { createStatus, type Status } from '../recording/status.ts'
import { settings } from '../settings/feature.ts'
import { store } from '../store/feature.ts'
import type { StoreReader } from '../store/types/reader.ts'
import { createLiveListener } from './live-listener.ts'
import { market } from './market-feature.ts'
import { ShownFeeds, type FollowedFeeds } from './shown-feeds.ts'
import { createSourceSwitch, type SourceSwitch } from './source-switch.ts'

export interface LiveService extends SourceSwitch {
  readonly feeds: LiveFeeds
  /** Takes the records of a team, in the order of each session's seqs. */
  readonly followed: HubSink
  /** Reads the hub from the store again, with these feed states and gaps. */
  refresh(context: MarketContext): void
  /** Shows the state of these feeds; null: of this terminal's own. */
  showFeeds(feeds: FollowedFeeds | null): void
  readonly recorderControl: RecorderControl
  readonly status: Status
  readonly statusStreams: WholeStreams<StatusState>
  setRecording(on: boolean): Promise<void>
  /** `sink` gets every record and feed state, unconflated and on the tick path. Call it during startup. */
  onRecords(sink: RecordSink): void
  /** Calls back when the source changes: data of the previous source no longer applies. */
  onSourceChange(listener: () => void): void
  /** Calls back when recording is turned on or off. */
  onRecordingSet(listener: () => void): void
  /** Calls back four times a second. */
  onTick(listener: () => void): void
  /** Calls back once a second, after the hub, with UTC ms. */
  onSweep(listener: (nowMs: number) => void): void
  /** Runs `work` before the first session of this start begins. Call it during startup. */
  beforeRecording(work: () => Promise<void>): void
  /** Ends the session and closes the feeds. Every call returns the same promise. */
  end(): Promise<void>
}

const RECORDING_OFF = 'Recording is off: new messages aren’t saved.'

export const live = defineFeature({
  name: 'live',
  needs: { settings, log, store, account, recording, market },
  start({ settings, log, store, account: { credentials, source: control }, recording, market }, host) {
    const { clock, notes = [] } = host
    const { recorder, commits, skew, growth } = recording
    const { hub, fold } = market
    const wallMs = () => clock.wallMs()
    const say: typeof log.add = (...entry) => log.add(...entry)
    const sourceChanges: (() => void)[] = []
    const recordingListeners: (() => void)[] = []
    const ticks: (() => void)[] = []
    const sweeps: ((nowMs: number) => void)[] = []
    const before: (() => Promise<void>)[] = []

    const statusStreams = wholeStreams(() => status.read())
    const status = createStatus({
      wallMs,
      feeds: () => feeds.status(wallMs()),
      recorder,
      trouble: () => recorderControl.trouble(),
      source: () => control.source,
      isSimulated: () => feeds.shown?.isSimulated() ?? false,
      storePath: () => store.place.shown,
      skew,
      growth,
    })
    const snapshots = createSnapshots(createMarket(hub, fold), store.writer)
    const listener = createLiveListener({ recorder, fold, hub, commits, snapshots, skew, status, wallMs, log: say })
    const ownFeeds = createFeeds({
      baseUrl: () => credentials.baseUrl(),
      token: credentials.tokenSource,
      recorder,
      skewMs: () => skew.ms,
      listener,
      clock,
      allowSharding: () => host.allowSharding?.() ?? settings.get().account.allowSharding,
    })
    const feeds = new ShownFeeds(ownFeeds)
    if (control.source.kind === 'team') void ownFeeds.stop()
    const recorderControl = createRecorderControl({
      wanted: host.record ?? settings.get().recording.enabled,
      recorder,
      writer: store.writer,
      feeds,
      source: () => control.source,
      status,
      gaps: listener.followed,
      clock,
      log: say,
    })
    tellOfRecorder({ recorder, status, fold, log, changed: () => statusStreams.changed() })

    const countGaps = async (): Promise<void> => {
      const gaps = await readGapsOfToday(store.reader, control.source, wallMs())
      status.gapsBefore(gaps.filter((gap) => gap.session !== recorder.session))
    }
    const sources = createSourceSwitch({
      control,
      credentials,
      settings,
      feeds,
      recorderControl,
      status,
      changed() {
        hub.reset()
        for (const tell of sourceChanges) tell()
        market.seeder.forget()
        status.forget()
        skew.forget()
        void countGaps()
      },
      settled: () => statusStreams.changed(),
    })
    const setRecording = (on: boolean): Promise<void> =>
      recorderControl.serially(async () => {
        recorderControl.want(on)
        if (settings.get().recording.enabled !== on) settings.set({ recording: { enabled: on } })
        await recorderControl.apply()
        for (const tell of recordingListeners) tell()
        status.say(on ? (recorderControl.trouble()?.why.message ?? 'Recording.') : RECORDING_OFF)
        statusStreams.changed()
      })
    settings.onPatch(async ({ recording: { enabled: on } = {} }) => {
      if (typeof on === 'boolean' && on !== recorderControl.wanted) await setRecording(on)
    })
    const offSettings = settings.onChange((now, was) => {
      if (now.account.allowSharding !== was.account.allowSharding) feeds.replan()
    })

    let stopTime = (): void => {}
    let ended: Promise<void> | null = null
    const end = (): Promise<void> => {
      ended ??= endRecording(recorderControl, feeds, () => {
        stopTime()
        offSettings()
      })
      return ended
    }

    const beat = (): void => {
      if (statusStreams.count > 0) statusStreams.changed()
      for (const tell of ticks) tell()
    }
    const sweep = (now: number): void => {
      hub.sweep(now)
      for (const tell of sweeps) tell(now)
      hub.setSkew(skew.ms ?? 0)
      const { storeBytes } = recorder.stats()
      if (storeBytes > 0) growth.sized(storeBytes, now)
    }

    const service: LiveService = {
      ...sources,
      feeds,
      followed: listener.followed,
      refresh(context) {
        hub.restore(null, context)
        market.seeder.forget()
      },
      showFeeds(shown) {
        feeds.shown = shown
        statusStreams.changed()
      },
      recorderControl,
      status,
      statusStreams,
      setRecording,
      onRecords: (sink) => listener.passOn(sink),
      onSourceChange: (tell) => void sourceChanges.push(tell),
      onRecordingSet: (tell) => void recordingListeners.push(tell),
      onTick: (tell) => void ticks.push(tell),
      onSweep: (tell) => void sweeps.push(tell),
      beforeRecording: (work) => void before.push(work),
      end,
    }
    return {
      service,
      responders: respondersOf(service),
      async begin() {
        for (const work of before) await work()
        await recorderControl.serially(() => recorderControl.begin())
        void countGaps()
        stopTime = keepTime(clock, { status: beat, sweep })
        const { source } = control
        status.say([watchedText(source), ...notes].join(' '))
        log.add('info', 'terminal', `Started: ${nameOf(source)}, store ${store.place.shown}.`)
      },
      stop: end,
    }
  },
})

const respondersOf = (live: LiveService): Responder[] => [
  ...respond(LIVE_CALLS, {
    'feeds.retry': ({ feed }) => live.feeds.retry(feed),
    'recording.set': ({ on }) => live.setRecording(on),
    'app.networkChanged': () => live.feeds.networkChanged(),
  }),
  ...respond(SOURCE_CALLS, {
    'account.connect': (input) => live.connect(input),
    'account.disconnect': () => live.disconnect(),
  }),
]

/** Ends the session, after the feeds have recorded what still arrives. `stop` runs before that. */
async function endRecording(control: RecorderControl, feeds: LiveFeeds, stop: () => void): Promise<void> {
  control.close()
  stop()
  await control.settled()
  try {
    await feeds.close()
  } finally {
    await control.end()
  }
}

const nameOf = ({ kind, origin }: Source): string =>
  kind === 'demo' ? 'demo market' : kind === 'team' ? `team ${origin}` : origin

const watchedText = (source: Source): string =>
  source.kind === 'demo' ? 'The demo market is running.' : `Watching ${nameOf(source)}.`

/** The gaps of a source that began today, as UTC has it; none if they can't be read. */
async function readGapsOfToday(reader: StoreReader, source: Source, nowMs: number) {
  const fromMs = Math.floor(nowMs / DAY_MS) * DAY_MS
  const gaps = await reader.gaps({ source: sourceKey(source), fromMs, skipCorrupt: true }).catch(() => [])
  return gaps.filter((gap) => gap.fromMs >= fromMs)
}
