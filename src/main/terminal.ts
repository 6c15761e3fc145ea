/** The terminal: builds the features and joins them. Knows no host; `terminal/port.ts` says what it can do. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { countText } from '../shared/count-text.ts'
import { toFailure } from '../shared/base/errors.ts'
import { fixedText } from '../shared/base/fixed-text.ts'
import { PLAIN_NUMBERS } from '../shared/features/alerts/labels.ts'
import { sourceKey } from '../shared/core/recording/recording.ts'
import type { AppInfo } from '../shared/core/status/status.ts'
import { DRAWING_MARKETS, type Drawing, type DrawingMarket } from '../shared/features/drawings/types.ts'
import { recordingId, type InstrumentId } from '../shared/base/units.ts'
import { systemClock } from './base/clock.ts'
import { zstdProblem } from './base/zstd.ts'
import { createKnownSecrets } from './base/known-secrets.ts'
import { createCredentials } from './core/account/credentials.ts'
import { randomUUID } from 'node:crypto'
import { createAlerts } from './features/alerts/alerts.ts'
import { alertFiles } from './features/alerts/files.ts'
import { createDrawings } from './features/drawings/drawings.ts'
import { adoptWithoutAccount } from './features/drawings/adoption.ts'
import { drawingsFolder } from './features/drawings/file-keeper.ts'
import type { Drawings, MarketDrawings } from './features/drawings/port.ts'
import { createFeeds } from './core/feeds/feeds.ts'
import { createDigestFold } from './core/market/digest.ts'
import { hubCalendar } from './core/market/hub-calendar.ts'
import { createHub } from './core/market/hub.ts'
import { guessAssets, guessSymbol } from './core/market/instruments.ts'
import { createMarket } from './core/market/market.ts'
import { defaultStorePath } from './core/settings/paths.ts'
import { safeSettings } from './core/settings/safe-settings.ts'
import { createSettingsStore, fileKeeper, isNew } from './core/settings/settings.ts'
import { startDemoMarket } from './core/account/demo-market.ts'
import { drawingStreams } from './features/drawings/streams.ts'
import { ALERT_CALENDAR } from './features/alerts/alert-calendar.ts'
import { startAlertTest } from './features/alerts/dry-run-job.ts'
import { reportDays } from './features/alerts/report-days.ts'
import { createEvidence } from './features/evidence/evidence.ts'
import { createExports } from './features/export/export-jobs.ts'
import { createFiles } from './features/import/uploads.ts'
import { createImports } from './features/import/import-jobs.ts'
import { createDesk } from './features/desktop/host-bridge.ts'
import { followUpdates } from './features/updates/updating.ts'
import { createDiagnosing } from './features/diagnostics/diagnostics.ts'
import { createJobs } from './core/jobs/jobs.ts'
import { createSessionLibrary } from './features/sessions/library.ts'
import { createLiveListener } from './core/views/live-listener.ts'
import { createLog, fileSink } from './core/log/log.ts'
import { createGrowth, createSkew } from './core/recording/measures.ts'
import { createPast } from './core/views/history.ts'
import { openOutside } from './features/desktop/open-external.ts'
import { tellOfRecorder } from './core/recording/recorder-events.ts'
import { createRecordingDesk } from './core/recording/recorder-control.ts'
import { createReplays } from './features/replay/replays.ts'
import { createResearch } from './features/research/research.ts'
import type { Terminal } from './terminal/terminal-api.ts'
import type { HostOptions } from './terminal/host.ts'
import { keepTime } from './base/ticker.ts'
import { createSafeMode } from './features/workspace/safe-mode.ts'
import { createSeeder } from './core/views/seeder.ts'
import { overviewOf } from '../shared/features/workspace/migrate.ts'
import { allowedPatch } from './core/settings/settings-patch.ts'
import { workspacesFile } from './features/workspace/file-keeper.ts'
import { newRecordingId } from './core/store/types/recording-id.ts'
import { createSampleOffer, pendingSampleFile } from './features/sample/sample-offer.ts'
import { readHistoryIn } from './features/sample/sample-session.ts'
import { safeWorkspaces } from './features/workspace/safe.ts'
import { createWorkspaces } from './features/workspace/workspaces.ts'
import { createSourceDesk } from './core/account/source.ts'
import { createSourceSwitch } from './core/views/source-switch.ts'
import { createSnapshots } from './core/recording/snapshots.ts'
import { createStatus } from './core/recording/status.ts'
import { accessStore } from './core/store/store-access.ts'
import { createStreams } from './core/views/streams.ts'
import { createSymbols } from './core/views/symbols.ts'
import { settleAtStart } from './hosts/finish-interrupted.ts'
import { barsPage, createViews } from './core/views/views.ts'
import { watchlistWants } from './features/watchlist/watchlist-subscriptions.ts'
import { wholeStreams } from './rpc/state-stream.ts'
import { tickSymbols, subscribeAll } from './core/feeds/subscriptions.ts'

/**
 * Builds and starts a terminal. Rejects with `usage` when a service is asked for and none is known. A
 * store that cannot be written (`store-locked`, `store-newer`, `store-damaged`, a disk's error) rejects
 * only with `mustRecord`: else the market is watched and the recorder says what stands in the way.
 */
export async function createTerminal(options: HostOptions): Promise<Terminal> {
  const clock = options.clock ?? systemClock
  const wallMs = () => clock.wallMs()
  const settled = settleAtStart(options.dataDir, options.storeFile ?? null)
  const problem = zstdProblem()
  if (problem !== null) settled.push(problem)
  const keeper = fileKeeper(options.dataDir)
  const firstRun = isNew(keeper)
  const settings = safeSettings(createSettingsStore(keeper), options.safe === true)
  const secrets = createKnownSecrets()
  const hidden = (): readonly string[] => secrets.spellings()
  const log = createLog(
    wallMs,
    options.logLevel ?? 'info',
    fileSink(join(options.dataDir, 'logs', 'tapedeck.log')),
    hidden,
  )
  for (const sentence of settled) log.add('warn', 'store', sentence)
  if (settings.problem !== null) log.add('warn', 'settings', settings.problem)

  const say: Terminal['log'] = (level, from, text, detail) => log.add(level, from, text, detail)

  const skew = createSkew()
  const { store, writer, reader, recorder, commits, openReader } = await accessStore({
    options,
    storePath: settings.get().recording.storePath,
    clock,
    log,
    skewMs: () => skew.ms,
  })
  const growth = createGrowth()

  const asks = createDesk()
  const jobs = createJobs(wallMs)
  const exporting = createExports({
    reader,
    jobs,
    home: options.userFolder ?? homedir(),
    chooseFolder: options.chooseFolder,
  })
  const files = createFiles(join(options.dataDir, 'incoming'), clock)
  const imports = createImports({
    files,
    jobs,
    reader,
    library: () => writer.library(),
    ask: (ask) => asks.ask(ask),
    refused: ({ message, detail }) => log.add('warn', 'import', message, detail),
  })
  const library = createSessionLibrary({
    reader,
    library: () => writer.library(),
    jobs,
    clock,
    rules: () => settings.get().recording,
    log: say,
    version: options.version,
  })
  const accountStreams = wholeStreams(() => credentials.account())
  const settingsStreams = wholeStreams(() => settings.get())
  const statusStreams = wholeStreams(() => status.read())
  const credentials = createCredentials({
    clock,
    memoryOnly: options.memoryKeychain === true || options.portable === true || options.account?.password !== undefined,
    onChange: () => accountStreams.changed(),
    known: secrets,
  })
  const desk = createSourceDesk({
    credentials,
    startDemo: () =>
      startDemoMarket({
        worker: options.workers.simulator,
        dataDir: options.demoData,
        seed: options.demoSeed,
        clock,
        log: (text, detail) => log.add('warn', 'demo market', text, detail),
      }),
  })

  const workspaces = safeWorkspaces(
    (keeper) =>
      createWorkspaces({
        keeper,
        nowMs: () => Date.now(),
        overview: () => overviewOf(settings.get().workspace),
        problem: (text, detail) => log.add('warn', 'workspaces', text, detail),
      }),
    workspacesFile(options.dataDir),
    settings.safe,
  )
  const workspaceStreams = wholeStreams(() => workspaces.state())
  workspaces.onChange(() => workspaceStreams.changed())
  const drawingsRoot = join(options.dataDir, 'drawings')
  const drawingsProblem = (text: string, detail?: string): void => log.add('warn', 'drawings', text, detail)
  const drawingsOf = (market: DrawingMarket): Drawings =>
    createDrawings({ keeper: drawingsFolder(drawingsRoot, market), market, problem: drawingsProblem })
  const drawings: MarketDrawings = { demo: drawingsOf('demo'), service: drawingsOf('service') }
  const liveMarket = (): DrawingMarket => (desk.source.kind === 'demo' ? 'demo' : 'service')
  /** Those of the market that a session of this source holds, which need not be the live one. */
  const drawingsOfSource = (source: string, instrument: InstrumentId): readonly Drawing[] =>
    drawings[source === 'demo' ? 'demo' : 'service'].get(instrument).drawings
  const research = createResearch({
    clock,
    dataDir: options.dataDir,
    file: options.answersFile,
    settings: () => settings.get().research,
    source: () => sourceKey(desk.source),
    baseUrl: () => credentials.baseUrl(),
    apiKey: () => credentials.apiKey(),
    token: async () => (await credentials.tokenSource.get()).access,
    instantOf: (view) => replays.instantOf(view),
    problem: (text, detail) => log.add('warn', 'research', text, detail),
  })

  const hub = createHub({ calendar: hubCalendar, nameOf: (id) => symbols.nameOf(id) })
  const symbols = createSymbols({
    settings: () => settings.get(),
    seen: () => hub.cells(),
    spelling: (id) => {
      const cell = hub.find(id)
      return cell?.isSymbolConfirmed ? cell.symbol : undefined
    },
    guessSymbol,
    guessAssets,
    demo: () => desk.source.kind === 'demo',
  })
  const spell = (id: InstrumentId) => symbols.spell(id)
  const present = () => (recorder.recording === null ? undefined : { recording: recorder.recording, seq: hub.lastSeq })
  const storeFailed = (what: string, thrown: unknown) => {
    if (reader.failing) return
    log.add('warn', 'store', `The stored past of ${what} could not be read.`, toFailure(thrown).message)
  }
  const past = createPast({
    reader,
    source: () => sourceKey(desk.source),
    present,
    committed: (seq) => commits.upTo(seq),
    wallMs,
    days: (asset) => hubCalendar.days(asset),
    failed: storeFailed,
  })
  const seeder = createSeeder(hub, past)
  const alerts = createAlerts({
    keeper: alertFiles(options.dataDir),
    wallMs,
    newId: () => randomUUID().replaceAll('-', ''),
    market: liveMarket,
    calendar: ALERT_CALENDAR,
    want: (ids) => {
      const wanted = subscribeAll(feeds, tickSymbols(ids, spell))
      return () => wanted.release()
    },
    bars: (instrument, of, interval, limit) => past.barsOrThrow(instrument, of, interval, limit),
    drawings: (instrument) => drawings[liveMarket()].get(instrument).drawings,
    reports: (instrument) => reportDays(research, spell(instrument), settings.get().research.params),
    symbolOf: spell,
    numbers: (instrument) => {
      const { decimals } = hub.cell(instrument)
      return { ...PLAIN_NUMBERS, price: (value) => fixedText(value, decimals) }
    },
    notify: options.notify,
    log: (level, text, detail) => log.add(level, 'alerts', text, detail),
  })
  for (const market of DRAWING_MARKETS)
    drawings[market].onChange((instrument) => {
      if (market === liveMarket()) alerts.drawingsChanged(instrument)
    })
  const replays = createReplays({
    reader,
    writer,
    clock,
    calendar: hubCalendar,
    nameOf: (id) => symbols.nameOf(id),
    storeIsAway: () => jobs.storeIsAway(),
    status: () => status.read(),
    failed: storeFailed,
    alerts: {
      alerts: () => alerts.list(),
      onChange: (listener) => alerts.onChange(listener),
      drawings: drawingsOfSource,
    },
  })
  const views = createViews(
    {
      live: true,
      hub,
      past,
      seeder,
      status: statusStreams,
      wallMs,
      source: () => sourceKey(desk.source),
      upTo: () => undefined,
      hold: (stream) => stream,
    },
    (id) => replays.view(id),
  )
  const evidence = createEvidence({
    reader,
    openReader,
    jobs,
    decimals: (id) => hub.cell(id).decimals,
    async view(name) {
      const view = views.get(name)
      if (view.live && recorder.recording !== null) await commits.upTo(hub.lastSeq)
      return { source: view.source(), nowMs: view.wallMs(), upTo: view.upTo() ?? null, past: !view.live }
    },
  })

  const fold = createDigestFold()
  const snapshots = createSnapshots(createMarket(hub, fold), writer)
  const status = createStatus({
    wallMs,
    feeds: () => feeds.status(wallMs()),
    recorder,
    trouble: () => recordings.trouble(),
    source: () => desk.source,
    storePath: () => store.shown,
    skew,
    growth,
  })
  const listener = createLiveListener({
    recorder,
    fold,
    hub,
    commits,
    snapshots,
    skew,
    status,
    wallMs,
    log: say,
    alerts: alerts.sink,
  })
  const feeds = createFeeds({
    baseUrl: () => credentials.baseUrl(),
    token: credentials.tokenSource,
    recorder,
    skewMs: () => skew.ms,
    listener,
    clock,
    allowSharding: () => options.allowSharding ?? settings.get().account.allowSharding,
  })
  const recordings = createRecordingDesk({
    wanted: options.record ?? settings.get().recording.enabled,
    recorder,
    writer,
    feeds,
    source: () => desk.source,
    status,
    clock,
    log: say,
  })
  const moving = store.start({
    dataDir: options.dataDir,
    jobs,
    reader,
    writer,
    recordings,
    replays: () => replays.count(),
    fixed: () =>
      options.storeFile !== undefined
        ? 'This store was named when Tapedeck was started, so it stays there.'
        : options.portable === true
          ? 'In portable mode the store stays in the folder that is carried along.'
          : null,
    keep: (file) => settings.set({ recording: { storePath: file === defaultStorePath(options.dataDir) ? '' : file } }),
    changed: () => statusStreams.changed(),
    log: say,
    free: options.freeBytes,
  })
  tellOfRecorder({ recorder, status, fold, log, changed: () => statusStreams.changed() })

  const countGaps = async (): Promise<void> => {
    const now = wallMs()
    const fromMs = Math.floor(now / 86_400_000) * 86_400_000
    const gaps = await reader.gaps({ source: sourceKey(desk.source), fromMs }).catch(() => [])
    status.gapsBefore(gaps.filter((gap) => gap.recording !== recorder.recording && gap.fromMs >= fromMs))
  }
  const sources = createSourceSwitch({
    desk,
    credentials,
    settings,
    feeds,
    recordings,
    status,
    changed() {
      hub.reset()
      alerts.sourceChanged()
      seeder.forget()
      status.forget()
      skew.forget()
      void countGaps()
    },
    settled: () => statusStreams.changed(),
  })

  const sample = createSampleOffer({
    isAllowed: options.sample === true && options.storeFile === undefined,
    isFirstStart: firstRun,
    isDemo: () => desk.source.kind === 'demo',
    pending: pendingSampleFile(join(options.dataDir, 'sample-session.pending')),
    reader,
    library: () => writer.library(),
    read: readHistoryIn(options.workers.simulator, options.demoData),
    newId: newRecordingId,
    symbols: () => settings.get().watchlists[0].symbols,
    seed: options.demoSeed,
    wallMs,
    added(messages, notice) {
      log.add('info', 'sessions', `The sample session of the demo market was added: ${countText(messages, 'message')}.`)
      status.say(notice)
      status.historyAdded()
      seeder.forget()
      statusStreams.changed()
    },
    failed: (thrown) =>
      log.add('warn', 'sessions', 'The sample session could not be added.', toFailure(thrown).message),
  })

  // -- what is wanted beside the windows --
  const wantLists = watchlistWants({
    feeds,
    settings: () => settings.get(),
    always: options.wantWatchlists,
    recording: () => recordings.wanted,
    spell,
  })
  const offSettings = settings.onChange((now, before) => {
    settingsStreams.changed()
    if (now.account.allowSharding !== before.account.allowSharding) feeds.replan()
    if (now.watchlists !== before.watchlists || now.recording !== before.recording) wantLists()
  })

  try {
    await desk.begin(settings.get(), options)
  } catch (thrown) {
    await Promise.allSettled([feeds.close(), reader.close()])
    await Promise.allSettled([writer.close()])
    throw thrown
  }
  // Before anything reads a drawing.
  await adoptWithoutAccount({
    folder: drawingsRoot,
    hasAccount: settings.get().account.baseUrl !== '' || settings.problem !== null || options.source === 'service',
    sources: async () => (await reader.sessions(true)).map(({ source }) => source),
    problem: drawingsProblem,
  })
  // Before the first live session: sessions of one source lie in the store in the order of their time.
  await sample.offer()
  await recordings.serially(() => recordings.begin())
  void countGaps()
  wantLists()
  // A command that only records watches nothing else.
  if (options.host !== 'cli') alerts.begin()
  const stopTime = keepTime(clock, {
    status() {
      if (statusStreams.count > 0) statusStreams.changed()
      replays.tick()
    },
    sweep(now) {
      hub.sweep(now)
      alerts.sweep(now)
      hub.setSkew(skew.ms ?? 0)
      const { storeBytes } = recorder.stats()
      if (storeBytes > 0) growth.sized(storeBytes, now)
    },
  })
  const opened = desk.source.kind === 'demo' ? 'The demo market is open.' : `Watching ${desk.source.origin}.`
  status.say([opened, ...settled].join(' '))
  log.add(
    'info',
    'terminal',
    `Started: ${desk.source.kind === 'demo' ? 'demo market' : desk.source.origin}, store ${store.shown}.`,
  )

  const updates = followUpdates({
    updater: options.updater,
    settings: () => settings.get(),
    recording: () => status.read().source === 'service' && ['recording', 'paused'].includes(status.read().recorder.is),
    replaying: () => replays.count() > 0,
    clock,
    log,
  })
  const info = (): AppInfo => ({
    host: options.host,
    version: options.version,
    platform: process.platform,
    storePath: store.shown,
    safe: settings.safe,
    firstRun,
    ...(asks.accent === null ? {} : { accent: asks.accent }),
    ...asks.facts,
    ...(options.portable === true ? { portable: options.dataDir } : {}),
  })
  const infoStreams = wholeStreams(info)
  asks.onSystem(() => infoStreams.changed())
  const setRecording = (on: boolean): Promise<void> =>
    recordings.serially(async () => {
      recordings.want(on)
      if (settings.get().recording.enabled !== on) settings.set({ recording: { enabled: on } })
      await recordings.apply()
      wantLists()
      status.say(
        on ? (recordings.trouble()?.why.message ?? 'Recording.') : 'Recording is off: what comes now is not kept.',
      )
      statusStreams.changed()
    })
  let closed: Promise<void> | null = null
  const end = async (): Promise<void> => {
    recordings.close()
    stopTime()
    library.close()
    offSettings()
    replays.closeAll()
    updates.updates.close()
    // Told to stop, but not waited for: first the recording is to end, however long they take.
    const jobsEnded = Promise.all([jobs.close(), sample.close()])
    await recordings.settled()
    await feeds.close()
    await recordings.end()
    // After the last record: what fired is kept.
    await alerts.close()
    await jobsEnded
    await files.close()
    research.close()
    // The writer last: while a reader has the store open, SQLite leaves what was written beside the file.
    await Promise.allSettled([reader.close(), desk.close()])
    await Promise.allSettled([writer.close()])
    await moving.close()
    log.add('info', 'terminal', 'Closed.')
  }

  return {
    get info() {
      return info()
    },
    settings: () => settings.get(),
    async setSettings(patch) {
      settings.set(allowedPatch(patch))
      const on = patch.recording?.enabled
      if (typeof on === 'boolean' && on !== recordings.wanted) await setRecording(on)
      return settings.get()
    },
    account: () => credentials.account(),
    testConnection: (input) => credentials.testConnection(input),
    connect: (input) => sources.connect(input),
    disconnect: () => sources.disconnect(),
    searchSymbols: (query, limit) => symbols.search(query, limit),
    barsHistory: (args) => barsPage(reader, views.get(args.view), args),
    tapeHistory: ({ view, instrument, before, limit }) => views.get(view).past.printsBefore(instrument, before, limit),
    sessions: () => reader.sessions(true),
    verify: (session) => reader.verify(session === null ? null : recordingId(session)),
    retry: (feed) => feeds.retry(feed),
    setRecording,
    status: () => status.read(),
    want: (feed, list) => feeds.subscribe(feed, list),
    openExternal: openOutside(options.openExternal),
    streams: createStreams({
      views,
      feeds,
      spell,
      log,
      account: accountStreams,
      settings: settingsStreams,
      jobs: jobs.streams,
      asks: (wake) => asks.streams(wake),
      info: infoStreams,
      updates: updates.streams,
      research: research.streams,
      drawings: drawingStreams(drawings),
      alerts,
      workspaces: workspaceStreams,
      replays,
    }),
    ...createSafeMode({ settings, workspaces, status, log, changed: () => infoStreams.changed() }),
    desk: asks,
    updates: updates.updates,
    ...createDiagnosing({
      dataDir: options.dataDir,
      wallMs,
      info: () => info(),
      settings: () => settings.get(),
      status: () => status.read(),
      log,
      known: hidden,
    }),
    jobs,
    exports: exporting,
    library,
    moveStore: (folder) => moving.move(folder),
    files,
    imports,
    replays,
    research,
    drawings,
    alerts,
    testAlert: (args) => startAlertTest({ reader, jobs, clock, drawings: drawingsOfSource, symbolOf: spell }, args),
    workspaces,
    evidence,
    log: say,
    sleep() {
      log.add('info', 'terminal', 'The computer goes to sleep.')
      feeds.sleep()
    },
    wake() {
      log.add('info', 'terminal', 'The computer woke up.')
      feeds.wake()
    },
    networkChanged: () => feeds.networkChanged(),
    close() {
      closed ??= end()
      return closed
    },
  }
}
