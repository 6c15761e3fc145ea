/** Handlers without a terminal: canned answers, streams that a test pushes into, and a record of what was asked. */
import { replayState } from '../kit/replay-state.ts'
import {
  CALLS,
  STREAMS,
  type CallArgs,
  type CallName,
  type CallValue,
  type StreamArgs,
  type StreamName,
  type StreamValue,
} from '../../src/shared/contracts.ts'
import type { Alert, AlertDraft, AlertEvent } from '../../src/shared/features/alerts/types.ts'
import type { Note, NoteDraft } from '../../src/shared/features/journal/note.ts'
import type { Drawing } from '../../src/shared/features/drawings/types.ts'
import { readyWorkspace } from '../../src/shared/features/workspace/ready.ts'
import { CodedError } from '../../src/shared/base/errors.ts'
import type { ReplayState, ServedReplay } from '../../src/shared/features/replay/replay.ts'
import { DEFAULT_SETTINGS } from '../kit/settings.ts'
import type { ScreenPage } from '../../src/shared/features/screener/rows.ts'
import { NEW_SCREEN } from '../../src/shared/features/screener/screen.ts'
import type { AccountState, AppInfo, StatusState } from '../../src/shared/core/status/status.ts'
import { instrumentId, sessionId, unixMs } from '../../src/shared/base/units.ts'
import { handlersOf, type Handlers } from '../../src/main/rpc/dispatch.ts'
import type { Responder } from '../../src/main/rpc/respond.ts'
import { exportRequest as makeExportRequest } from '../kit/export.ts'

const instrument = instrumentId('crypto', 'BTC-USD')
const drawing: Drawing = {
  id: 'd',
  kind: 'horizontal',
  points: [{ ms: 0.5, price: -1 }],
  style: { color: 'accent', width: 1, dash: 'solid', fill: 0 },
  text: '',
  locked: false,
  hidden: false,
  asOfMs: 0,
}
const credentials = { baseUrl: 'https://example.test', user: 'somebody', password: 'secret', plan: 'basic' }

const exportRequest = makeExportRequest({ symbols: ['BTC-USD'], raw: true })

const alertDraft: AlertDraft = {
  instrument,
  condition: { is: 'price', of: 'last', level: 64_000, direction: 'up' },
  repeat: { restMs: 60_000, backPercent: 0.5 },
  expiresMs: null,
  note: 'résistance',
  sound: 'chime',
  system: true,
  log: true,
  flash: true,
  enabled: true,
}
const alert: Alert = {
  ...alertDraft,
  id: 'a1',
  market: 'demo',
  createdMs: 1_700_000_000_000,
  fired: 1,
  firedMs: 1_700_000_060_000,
  firedOf: null,
  done: false,
}
const alertEvent: AlertEvent = {
  id: 1,
  is: 'fired',
  atMs: 1_700_000_060_000,
  alert: 'a1',
  instrument,
  condition: alertDraft.condition,
  note: '',
  eventMs: null,
  value: 64_001,
  before: 63_999,
}

const noteDraft: NoteDraft = {
  instrument,
  fromMs: 1,
  toMs: 2,
  text: 'late',
  tags: ['fomo'],
  pictures: [`${'a'.repeat(64)}.png`],
}
const note: Note = { ...noteDraft, id: 'n', source: 'demo', createdMs: 3, changedMs: 3 }

const teamInput = { name: 'eu', upstream: 'nats://127.0.0.1:4222', history: '', ca: '', allowOldNats: true, trust: '' }

export const CALL_NAMES = Object.keys(CALLS) as readonly CallName[] // keys of a literal object
export const STREAM_NAMES = Object.keys(STREAMS) as readonly StreamName[]

/** Valid arguments of every call: one that is missing does not compile. */
export const CALL_SAMPLES: { readonly [K in CallName]: CallArgs<K> } = {
  'app.info': {},
  'settings.get': {},
  'settings.set': { patch: { numbers: {} } as CallArgs<'settings.set'>['patch'] },
  'account.get': {},
  'account.test': credentials,
  'account.connect': credentials,
  'account.disconnect': {},
  'symbols.search': { query: 'btc', limit: 5 },
  'symbols.resolve': { symbols: ['BTCUSD'] },
  'screener.read': { view: 'live', screen: NEW_SCREEN },
  'bars.history': { view: 'live', instrument, of: 'trade', interval: '1m', beforeMs: null, limit: 500 },
  'bars.events': { view: 'live', instrument, rule: { kind: 'tick', size: 100 }, beforeMs: null, limit: 500 },
  'tape.large': { view: 'live', instrument },
  'tape.history': { view: 'live', instrument, before: { session: 'r', seq: 7, ms: null }, limit: 100 },
  'sessions.list': {},
  'sessions.verify': { session: null },
  'sessions.annotate': { session: sessionId('r'), name: 'One', tags: ['a'], pinned: true },
  'sessions.bin': { sessions: [sessionId('r')], binned: true },
  'sessions.erase': { sessions: [sessionId('r')] },
  'sessions.compact': {},
  'sessions.package': { session: sessionId('r'), folder: '/tmp', name: 'one', replace: false },
  'store.move': { folder: '/mnt/large' },
  'feeds.retry': { feed: 'crypto/XT' },
  'recording.set': { on: true },
  'app.networkChanged': {},
  'app.openExternal': { url: 'https://example.test/' },
  'research.endpoints': {},
  'research.get': { view: 'live', endpoint: 'news', symbol: '', params: { q: 'x' }, mode: 'fresh', ticket: 't-1' },
  'research.cancel': { ticket: 't-1' },
  'research.versions': { view: 'live', endpoint: 'news', symbol: '', params: {} },
  'research.received': { view: 'live', endpoint: 'income-statement', symbol: 'AAPL' },
  'research.version': { version: 7 },
  'research.clear': { endpoint: null },
  'evidence.verify': { session: null },
  'evidence.coverage': { view: 'live', fromMs: null, toMs: null, session: null, skip: 0, limit: 100 },
  'evidence.agreement': { view: 'live', session: 's', instrument },
  'evidence.agree': { view: 'live', session: 's', instrument, fromMs: null, toMs: null },
  'evidence.seconds': { view: 'live', session: 's', instrument, of: 'trade', minuteMs: 60_000 },
  'evidence.messages': { view: 'live', instrument, what: { is: 'quote' }, after: null, limit: 100 },
  'jobs.cancel': { job: 'job-1' },
  'team.test': teamInput,
  'team.join': teamInput,
  'team.leave': {},
  'team.history': {},
  'team.fetch': { session: sessionId('01khj7x0a0abcdefghjkmnpqrs') },
  'updates.check': {},
  'updates.install': { anyway: false },
  'diagnostics.read': { symbols: false },
  'desktop.pdf': {},
  'desktop.saved': {},
  'desktop.menu': { rows: [{ id: 'log', title: 'Show or hide the log', group: 'General', keys: 'Alt+L' }] },
  'desktop.leaveSafeMode': {},
  'export.defaults': {},
  'export.choose': { folder: '/home/you' },
  'export.estimate': { request: exportRequest, folder: null, name: null },
  'export.start': { request: exportRequest, folder: '/home/you', name: 'btc.csv', replace: false },
  'files.begin': { name: 'btc.csv', bytes: 3 },
  'files.chunk': { file: 'f', offset: 0, data: 'YWJj' },
  'files.end': { file: 'f' },
  'files.drop': { file: 'f' },
  'import.preview': { file: 'f', mapping: null },
  'import.start': {
    file: 'f',
    mapping: { columns: ['time', null, 'price'], feed: 'crypto/XT', zone: 'UTC', symbol: 'BTC-USD' },
  },
  'alerts.save': { id: 'a1', alert: alertDraft },
  'alerts.restore': { alerts: [alert] },
  'alerts.enable': { alerts: ['a1'], on: false },
  'alerts.snooze': { alerts: ['a1'], untilMs: null },
  'alerts.remove': { alerts: ['a1'] },
  'alerts.history': { alert: 'a1', before: null, limit: 100 },
  'alerts.clearHistory': {},
  'alerts.actions': {},
  'alerts.setAction': { action: 'webhook', address: 'https://example.com/hook' },
  'alerts.testAction': { action: 'ntfy' },
  'journal.put': { view: 'live', id: null, note: noteDraft },
  'journal.remove': { ids: ['n'] },
  'journal.restore': { notes: [note] },
  'journal.addPicture': { base64: 'iVBORw0KGgo=' },
  'journal.picture': { file: noteDraft.pictures[0] },
  'journal.review': { view: 'live', fromMs: 1, toMs: 2 },
  'alerts.test': { alert: alertDraft, session: 's', fromMs: null, toMs: null },
  'drawings.get': { market: 'demo', instrument },
  'drawings.edit': { market: 'service', instrument, edit: { put: [drawing], remove: ['e'], order: ['d'] } },
  'jobs.dismiss': { job: 'job-1' },
  'workspaces.put': { text: JSON.stringify(readyWorkspace('overview')), replaces: false },
  'workspaces.remove': { id: 'overview' },
  'workspaces.show': { id: 'overview' },
  'workspaces.snapshot': { id: 'overview', atMs: 1_700_000_000_000 },
  'replay.open': { sessions: ['r'], atMs: null },
  'replay.close': { id: 'replay-1' },
  'replay.play': { id: 'replay-1', on: true },
  'replay.speed': { id: 'replay-1', speed: 'max' },
  'replay.step': { id: 'replay-1', by: 'message', forward: true, interval: '1m' },
  'replay.seek': { id: 'replay-1', to: { at: 'ms', ms: 1_700_000_000_000 } },
  'replay.options': { id: 'replay-1', skipIdle: true, loop: null },
  'replay.timeline': { id: 'replay-1', fromMs: 0, toMs: 60_000, buckets: 100 },
  'replay.lacks': { id: 'replay-1', instrument },
  'replay.serve': { id: 'replay-1', port: 0 },
  'replay.stop-serving': { id: 'replay-1' },
  'bookmarks.list': { session: 'r' },
  'bookmarks.add': { session: 'r', atMs: 1_700_000_000_000, seq: null, text: 'here' },
  'bookmarks.remove': { bookmark: 7 },
}

/** Valid arguments of every stream. */
export const STREAM_SAMPLES: { readonly [K in StreamName]: StreamArgs<K> } = {
  quotes: { view: 'live', instruments: [instrument] },
  bars: { view: 'live', instrument, of: 'trade', interval: '1m', fromMs: null },
  eventBars: { view: 'live', instrument, rule: { kind: 'volume', size: 2.5 } },
  flow: { view: 'live', instrument, interval: '1m', fromMs: unixMs(0), toMs: null },
  quoteMap: {
    view: 'live',
    instrument,
    interval: '1m',
    fromMs: unixMs(0),
    toMs: null,
    rows: { decimals: 2, group: 1 },
  },
  tape: { view: 'live', instrument, limit: 100 },
  status: { view: 'live' },
  log: {},
  account: {},
  settings: {},
  jobs: {},
  'desktop.asks': {},
  'desktop.info': {},
  team: {},
  'team.status': {},
  updates: {},
  research: {},
  replay: { id: 'replay-1' },
  'replay.served': { id: 'replay-1' },
  drawings: { market: 'demo', instrument },
  alerts: { view: 'live' },
  journal: { view: 'live' },
  workspaces: {},
  screener: { view: 'live', screen: NEW_SCREEN, offset: 0, limit: 100 },
  'screener.changes': {},
}

const info: AppInfo = { host: 'test', version: '0.0.0', platform: 'test', storePath: '/nowhere' }
const account: AccountState = {
  source: 'demo',
  isTeamGiven: false,
  baseUrl: '',
  user: '',
  plan: '',
  hasPassword: false,
  hasApiKey: false,
  keychain: 'memory',
  token: 'none',
  problem: null,
  userField: 'username',
  passwordField: 'password',
}
const status: StatusState = {
  nowMs: unixMs(1_700_000_000_000),
  source: 'demo',
  origin: 'http://127.0.0.1:1',
  historyChanges: 0,
  feeds: [],
  recorder: { is: 'off' },
  received: 0,
  stored: 0,
  perSecond: 0,
  backlogBytes: 0,
  receiveToStored: null,
  store: { path: '/nowhere', bytes: 0, freeBytes: 0, bytesPerHour: null },
  skewMs: null,
  gapsToday: 0,
  message: '',
}

const replay: ReplayState = replayState({
  opened: [sessionId('r')],
  sessions: [{ session: sessionId('r'), fromMs: unixMs(0), toMs: unixMs(60_000) }],
  toMs: unixMs(60_000),
  nowMs: unixMs(1_000),
  at: { session: sessionId('r'), seq: 7 },
  messages: 5,
})
const screenPage: ScreenPage = {
  offset: 0,
  rows: [],
  matched: 0,
  known: 0,
  nowMs: unixMs(1_000),
  readMs: null,
  reading: null,
  covered: null,
  withoutBars: 0,
  problem: '',
}
const servedReplay: ServedReplay = {
  baseUrl: 'http://127.0.0.1:8017',
  username: 'replay',
  password: 'p',
  apiKey: 'k',
  clients: 1,
}
const bookmark = { id: 7, session: sessionId('r'), atMs: unixMs(1_000), seq: null, text: 'here' }

export const CALL_VALUES: { readonly [K in CallName]: CallValue<K> } = {
  'app.info': info,
  'settings.get': DEFAULT_SETTINGS,
  'settings.set': DEFAULT_SETTINGS,
  'account.get': account,
  'account.test': [{ step: 'reach', ok: true, tookMs: 1, text: 'reached', code: null }],
  'account.connect': account,
  'account.disconnect': account,
  'symbols.search': [{ instrument, symbol: 'BTC-USD', asset: 'crypto', name: null, watched: true }],
  'symbols.resolve': [{ hits: [], isKnown: false }],
  'screener.read': screenPage,
  'bars.history': { bars: [], gaps: [], decimals: 2, more: false },
  'bars.events': { bars: [], gaps: [], decimals: 2, more: false },
  'tape.history': { prints: [], older: null },
  'tape.large': {
    size: 2.5,
    trades: 400,
    isWhole: true,
    fromMs: unixMs(0),
    toMs: unixMs(86_400_000),
    knownMs: unixMs(86_399_000),
  },
  'sessions.list': [],
  'sessions.annotate': null,
  'sessions.bin': null,
  'sessions.erase': null,
  'sessions.compact': 'job-2',
  'sessions.package': 'job-3',
  'sessions.verify': { sessions: 0, messages: 0, ok: true, problems: [] },
  'feeds.retry': null,
  'recording.set': null,
  'app.networkChanged': null,
  'app.openExternal': null,
  'research.endpoints': [],
  'research.get': { response: null, failure: null, stale: true, fresh: false },
  'research.cancel': null,
  'research.versions': [],
  'research.received': [],
  'research.version': null,
  'research.clear': null,
  'evidence.verify': 'job-1',
  'evidence.agree': 'job-2',
  'evidence.coverage': {
    fromMs: unixMs(0),
    toMs: unixMs(1),
    sessions: [],
    feeds: [],
    covered: null,
    symbols: [],
    gaps: [],
    gapCount: 0,
  },
  'evidence.agreement': {
    session: sessionId('s'),
    instrument,
    tickFeed: 'crypto/XT',
    of: 'trade',
    minuteFeed: null,
    secondFeed: null,
    minutes: [],
    fromMs: unixMs(0),
    toMs: unixMs(1),
    more: false,
    later: false,
    counts: { agrees: 0, differs: 0, notComparable: 0 },
    agreement: null,
    proves: [],
  },
  'evidence.seconds': { startMs: unixMs(0), of: 'trade', secondFeed: null, seconds: [] },
  'evidence.messages': { messages: [], after: null, bar: null, decimals: 2 },
  'jobs.cancel': null,
  'team.test': [],
  'team.join': account,
  'team.leave': account,
  'team.history': [],
  'team.fetch': 'job-1',
  'updates.check': null,
  'updates.install': null,
  'diagnostics.read': 'Tapedeck 1.0.0',
  'store.move': 'job-1',
  'desktop.pdf': null,
  'desktop.saved': null,
  'desktop.menu': null,
  'desktop.leaveSafeMode': null,
  'export.defaults': { folder: '/home/you', canChoose: false },
  'export.choose': null,
  'export.estimate': { rows: 0, bytes: 0, files: 1, exists: null, freeBytes: null },
  'export.start': 'job-1',
  'files.begin': { file: 'f' },
  'files.chunk': null,
  'files.end': null,
  'files.drop': null,
  'import.preview': {
    kind: 'lines',
    name: 'a.jsonl',
    bytes: 3,
    columns: [],
    rows: [],
    mapping: null,
    problems: [],
    exact: true,
    gaps: null,
  },
  'import.start': 'job-1',
  'alerts.save': { ...alert, state: { is: 'armed' } },
  'alerts.restore': null,
  'alerts.enable': null,
  'alerts.snooze': null,
  'alerts.remove': null,
  'alerts.history': { events: [alertEvent], more: false },
  'alerts.clearHistory': null,
  'alerts.actions': [],
  'alerts.setAction': null,
  'alerts.testAction': null,
  'journal.put': note,
  'journal.remove': [note],
  'journal.restore': null,
  'journal.addPicture': noteDraft.pictures[0],
  'journal.picture': 'iVBORw0KGgo=',
  'journal.review': {
    source: 'demo',
    fromMs: 1,
    toMs: 2,
    sessions: [],
    messages: 0,
    messagesEstimated: false,
    instruments: 0,
    barMs: 60_000,
    moves: [],
    gaps: [],
    gapCount: 0,
    gapMs: 0,
    outsideMs: 0,
    corrupt: [],
    alerts: [],
    alertCount: 0,
    alertsProblem: null,
    notes: [note],
  },
  'alerts.test': 'job-1',
  'drawings.get': { instrument, revision: 0, drawings: [] },
  'drawings.edit': { instrument, revision: 1, drawings: [drawing] },
  'jobs.dismiss': null,
  'workspaces.put': null,
  'workspaces.remove': null,
  'workspaces.show': null,
  'workspaces.snapshot': readyWorkspace('overview'),
  'replay.open': replay,
  'replay.close': null,
  'replay.play': null,
  'replay.speed': null,
  'replay.step': replay,
  'replay.seek': replay,
  'replay.options': null,
  'replay.timeline': { fromMs: unixMs(0), toMs: unixMs(60_000), counts: [0, 5], gaps: [], bookmarks: [bookmark] },
  'replay.lacks': true,
  'replay.serve': servedReplay,
  'replay.stop-serving': null,
  'bookmarks.list': [bookmark],
  'bookmarks.add': bookmark,
  'bookmarks.remove': null,
}

export const STREAM_VALUES: { readonly [K in StreamName]: StreamValue<K> } = {
  quotes: { rows: [] },
  bars: { reset: [], updates: [], gaps: null, decimals: 2 },
  eventBars: { reset: [], updates: [], gaps: null, decimals: 2 },
  flow: {
    reset: { fromMs: 0, toMs: null },
    bars: { startMs: [], buy: [], sell: [], unknown: [], leastDelta: [], mostDelta: [], vwap: [], squares: [] },
    coverage: { trades: 0, unknown: 0, unquoted: 0, gaps: 0, breaks: 0 },
    meter: { join: { by: 'event', ms: 0 }, explained: null, trades: 0 },
  },
  quoteMap: {
    reset: { fromMs: 0, toMs: null },
    bars: { startMs: [], quotedMs: [], spread: [], leastSpread: [], mostSpread: [], cells: [] },
    unread: [],
  },
  tape: { reset: [], prints: [], skipped: 0, decimals: 2 },
  status,
  log: { entries: [], dropped: 0 },
  account,
  settings: DEFAULT_SETTINGS,
  jobs: [],
  'desktop.asks': [],
  'desktop.info': info,
  team: null,
  'team.status': null,
  updates: { is: 'off', why: 'This is a test.' },
  research: { used: 0, limit: 10_000, resetsMs: unixMs(1_700_006_400_000), running: 0, waiting: 0 },
  replay,
  'replay.served': servedReplay,
  drawings: { instrument, revision: 1, drawings: [drawing] },
  journal: { revision: 1, notes: [note] },
  alerts: { reset: true, alerts: [{ ...alert, state: { is: 'armed' } }], removed: [], events: [alertEvent] },
  workspaces: { workspaces: [readyWorkspace('overview')], latest: 'overview', snapshots: {} },
  screener: screenPage,
  'screener.changes': [],
}

export interface StubTerminal {
  readonly handlers: Handlers
  /** Calls that reached a handler, oldest first. */
  readonly asked: readonly { readonly name: string; readonly args: unknown }[]
  readonly openStreams: number
  /** How often any source was asked for a value. */
  readonly takes: number
  /** Replaces what every open stream of this name has for its window, and wakes it. */
  push<K extends StreamName>(name: K, value: StreamValue<K>): void
  /** The next `take` of every open stream throws. */
  breakStreams(thrown: unknown): void
  /** Calls of this name wait until `release`, then fail as cancelled. */
  hold(name: CallName): { release(): void }
  readonly internal: readonly string[]
}

interface StubSource {
  readonly name: StreamName
  pending: unknown
  readonly wake: () => void
}

export function stubTerminal(): StubTerminal {
  const asked: { name: string; args: unknown }[] = []
  const internal: string[] = []
  const open = new Set<StubSource>()
  const held = new Map<CallName, Promise<never>>()
  let takes = 0
  let broken: { thrown: unknown } | undefined

  const calls = Object.entries(CALL_VALUES).map(([name, value]): Responder => ({
    kind: 'call',
    name,
    args: CALLS[name as CallName].args, // CALL_VALUES has the names of CALLS
    async run(args) {
      asked.push({ name, args })
      await held.get(name as CallName)
      return value
    },
  }))
  const streams = Object.entries(STREAM_VALUES).map(([name, value]): Responder => ({
    kind: 'stream',
    name,
    args: STREAMS[name as StreamName].args, // STREAM_VALUES has the names of STREAMS
    run(_args, wake) {
      const source: StubSource = { name: name as StreamName, pending: value, wake }
      open.add(source)
      return {
        take() {
          takes += 1
          if (broken) throw broken.thrown
          const taken = source.pending
          source.pending = undefined
          return taken
        },
        close: () => void open.delete(source),
      }
    },
  }))

  return {
    handlers: handlersOf([...calls, ...streams], (name) => internal.push(name)),
    asked,
    internal,
    get openStreams() {
      return open.size
    },
    get takes() {
      return takes
    },
    push(name, value) {
      for (const source of open) {
        if (source.name !== name) continue
        source.pending = value
        source.wake()
      }
    },
    breakStreams(thrown) {
      broken = { thrown }
      for (const source of open) source.wake()
    },
    hold(name) {
      let fail: (error: Error) => void = () => {}
      const promise = new Promise<never>((_resolve, reject) => (fail = reject))
      promise.catch(() => undefined) // also when nobody calls meanwhile
      held.set(name, promise)
      return { release: () => fail(new CodedError('cancelled', 'Let go.')) }
    },
  }
}

/** `handlers` with another function behind one call or stream. */
export function replaceHandler(
  handlers: Handlers,
  kind: Responder['kind'],
  name: string,
  run: Responder['run'],
): Handlers {
  const table = kind === 'call' ? 'calls' : 'streams'
  const before = handlers[table].get(name)
  if (before === undefined) throw new Error(`No ${kind} ${name}.`)
  return { ...handlers, [table]: new Map(handlers[table]).set(name, { ...before, run }) }
}
