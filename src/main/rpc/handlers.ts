/** Contract call → terminal method. Every call and stream of the contract is here or this file does not compile. */
import { CALLS, STREAMS } from '../../shared/contracts.ts'
import { handlersOf, type Handlers } from './dispatch.ts'
import { respond, stream } from './respond.ts'
import type { Terminal } from '../terminal/terminal-api.ts'

/** The handlers of a terminal, for `dispatchCall` and `openStream`. */
export function createHandlers(terminal: Terminal): Handlers {
  const calls = respond(CALLS, {
    'app.info': async () => terminal.info,
    'settings.get': async () => terminal.settings(),
    'settings.set': ({ patch }) => terminal.setSettings(patch),
    'account.get': async () => terminal.account(),
    'account.test': (input) => terminal.testConnection(input),
    'account.connect': (input) => terminal.connect(input),
    'account.disconnect': () => terminal.disconnect(),
    'symbols.search': async ({ query, limit }) => terminal.searchSymbols(query, limit ?? 50),
    'bars.history': (args) => terminal.barsHistory(args),
    'tape.history': (args) => terminal.tapeHistory(args),
    'replay.open': ({ sessions, atMs }) => terminal.replays.open(sessions, atMs),
    'replay.close': async ({ id }) => {
      await terminal.replays.close(id)
      return null
    },
    'replay.play': async ({ id, on }) => {
      terminal.replays.play(id, on)
      return null
    },
    'replay.speed': async ({ id, speed }) => {
      terminal.replays.speed(id, speed)
      return null
    },
    'replay.step': (args) => terminal.replays.step(args),
    'replay.seek': ({ id, to }) => terminal.replays.seek(id, to),
    'replay.options': async (args) => {
      terminal.replays.options(args)
      return null
    },
    'replay.timeline': (args) => terminal.replays.timeline(args),
    'bookmarks.list': ({ session }) => terminal.replays.bookmarks(session),
    'bookmarks.add': (bookmark) => terminal.replays.addBookmark(bookmark),
    'bookmarks.remove': async ({ bookmark }) => {
      await terminal.replays.removeBookmark(bookmark)
      return null
    },
    'sessions.list': () => terminal.sessions(),
    'sessions.annotate': async (args) => {
      await terminal.library.annotate(args)
      return null
    },
    'sessions.bin': async (args) => {
      await terminal.library.bin(args)
      return null
    },
    'sessions.erase': async (args) => {
      await terminal.library.erase(args)
      return null
    },
    'sessions.compact': async () => terminal.library.compact(),
    'sessions.package': (args) => terminal.library.package(args),
    'store.move': ({ folder }) => terminal.moveStore(folder),
    'sessions.verify': ({ session }) => terminal.verify(session),
    'feeds.retry': async ({ feed }) => {
      terminal.retry(feed)
      return null
    },
    'recording.set': async ({ on }) => {
      await terminal.setRecording(on)
      return null
    },
    'updates.check': async () => {
      await terminal.updates.check()
      return null
    },
    'updates.install': async ({ anyway }) => {
      terminal.updates.install(anyway)
      return null
    },
    'diagnostics.read': async ({ symbols }) => terminal.diagnostics(symbols),
    'desk.menu': async ({ rows }) => {
      terminal.desk.setMenu(rows)
      return null
    },
    'desk.leaveSafeMode': async () => {
      terminal.leaveSafeMode()
      return null
    },
    'app.networkChanged': async () => {
      terminal.networkChanged()
      return null
    },
    'app.openExternal': async ({ url }) => {
      await terminal.openExternal(url)
      return null
    },
    'research.endpoints': async () => terminal.research.endpoints(),
    'research.get': (args) => terminal.research.get(args),
    'research.cancel': async ({ ticket }) => {
      terminal.research.cancel(ticket)
      return null
    },
    'research.versions': (args) => terminal.research.versions(args),
    'research.asked': (args) => terminal.research.asked(args),
    'research.version': ({ version }) => terminal.research.version(version),
    'research.clear': async ({ endpoint }) => {
      await terminal.research.clear(endpoint)
      return null
    },
    'evidence.verify': async ({ session }) => terminal.evidence.verify(session),
    'evidence.coverage': (args) => terminal.evidence.coverage(args),
    'evidence.agreement': (args) => terminal.evidence.agreement(args),
    'evidence.agree': async (args) => terminal.evidence.agree(args),
    'evidence.seconds': (args) => terminal.evidence.seconds(args),
    'evidence.messages': (args) => terminal.evidence.messages(args),
    'export.defaults': () => terminal.exports.defaults(),
    'export.choose': async ({ folder }) => terminal.exports.choose(folder),
    'export.estimate': (args) => terminal.exports.estimate(args),
    'export.start': (args) => terminal.exports.start(args),
    'files.begin': (args) => terminal.files.begin(args),
    'files.chunk': async (args) => {
      await terminal.files.chunk(args)
      return null
    },
    'files.end': async ({ file }) => {
      await terminal.files.end(file)
      return null
    },
    'files.drop': async ({ file }) => {
      await terminal.files.drop(file)
      return null
    },
    'import.preview': (args) => terminal.imports.preview(args),
    'import.start': (args) => terminal.imports.start(args),
    'workspaces.put': async ({ text, replaces }) => {
      terminal.workspaces.put(text, replaces)
      return null
    },
    'workspaces.remove': async ({ id }) => {
      terminal.workspaces.remove(id)
      return null
    },
    'workspaces.show': async ({ id }) => {
      terminal.workspaces.show(id)
      return null
    },
    'workspaces.snapshot': async ({ id, atMs }) => terminal.workspaces.snapshot(id, atMs),
    'alerts.save': ({ id, alert }) => terminal.alerts.save(id, alert),
    'alerts.restore': async ({ alerts }) => {
      await terminal.alerts.restore(alerts)
      return null
    },
    'alerts.enable': async ({ alerts, on }) => {
      await terminal.alerts.enable(alerts, on)
      return null
    },
    'alerts.snooze': async ({ alerts, untilMs }) => {
      await terminal.alerts.snooze(alerts, untilMs)
      return null
    },
    'alerts.remove': async ({ alerts }) => {
      await terminal.alerts.remove(alerts)
      return null
    },
    'alerts.history': async (args) => terminal.alerts.history(args),
    'alerts.clearHistory': async () => {
      await terminal.alerts.clearHistory()
      return null
    },
    'alerts.test': (args) => terminal.testAlert(args),
    'drawings.get': async ({ market, instrument }) => terminal.drawings[market].get(instrument),
    'drawings.edit': async ({ market, instrument, edit }) => terminal.drawings[market].edit(instrument, edit),
    'jobs.cancel': async ({ job }) => {
      terminal.jobs.cancel(job)
      return null
    },
    'jobs.dismiss': async ({ job }) => {
      terminal.jobs.dismiss(job)
      return null
    },
  })
  return handlersOf([...calls, ...stream(STREAMS, terminal.streams)], (name, failure) =>
    terminal.log('error', 'contract', `${name} failed`, failure.detail),
  )
}
