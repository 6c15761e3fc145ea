/**
 * One connection of a feed: runs the effects of `session-state.ts` over a link, and carries every frame
 * to the recorder before anything else sees it.
 */
import { isUtf8 } from 'node:buffer'
import { toFailure, missingCase } from '../../../../shared/base/errors.ts'
import { entersMarket, FLAG, type LedgerEntry } from '../../../../shared/core/recording/recording.ts'
import type { FeedState } from '../../../../shared/core/status/status.ts'
import { feedAsset, unixMs, type FeedId, type UnixMs } from '../../../../shared/base/units.ts'
import { KIND } from '../../../../service/codec.ts'
import { inRange } from '../../../../service/codecs/times.ts'
import { encodeClient, normaliseTickers, parseControl } from '../../../../service/control.ts'
import { decode } from '../../../../service/codecs/decode.ts'
import { FEEDS } from '../../../../service/feeds.ts'
import { serverWords } from '../../../../service/reasons.ts'
import type { Token } from '../../account/port.ts'
import { serviceOrigin, socketUrl } from '../../../base/service-address.ts'
import { movedStamp } from '../../../../shared/core/recording/delay-window.ts'
import { AskedFor } from './requested.ts'
import { createHeartbeat } from './heartbeat.ts'
import { MAX_PAYLOAD, openLink, type Link, type LinkListener } from './link.ts'
import { createPace, type Pace } from './rate-limit.ts'
import { ReceivedUpTo } from './received-up-to.ts'
import type { SessionEffect, SessionEvent, SessionState, TimerName } from './connection-model.ts'
import type { SessionOptions } from './connection-options.ts'
import { idleSession, reduce, shown } from './connection-state.ts'

/** A token's life is counted from its arrival here: the service may see its end this much earlier. */
const TOKEN_END_MS = 5_000

export class Session {
  readonly feed: FeedId
  readonly #o: SessionOptions<Session>
  readonly #pace: Pace
  readonly #links = new Set<Link>()
  readonly #timers = new Map<TimerName, () => void>()
  readonly #told: LinkListener = {
    opened: (link) => this.#opened(link),
    message: (link, data, binary) => this.#message(link, data, binary),
    heard: (link) => this.#heard(link),
    pong: (link, payload) => this.#pong(link, payload),
    oversize: ({ conn }) => this.#entry({ type: 'oversize', feed: this.feed, conn, limitBytes: MAX_PAYLOAD }),
    explained: (event) => this.dispatch(event),
    closed: (link, code, words) => this.#closed(link, code, words),
  }
  #state: SessionState
  #link: Link | null = null
  #stopping = false
  readonly #received = new ReceivedUpTo()
  /** When the oldest subscribe without an acknowledgement was sent, UTC ms; null: none waits. */
  #askedMs: UnixMs | null = null
  #faults = 0

  constructor(options: SessionOptions<Session>) {
    this.feed = options.feed
    this.#o = options
    this.#pace = createPace(FEEDS[options.feed].barMs)
    this.#state = idleSession(options.feed, originOf(options.baseUrl))
  }

  get state(): SessionState {
    return this.#state
  }

  get shown(): FeedState {
    return shown(this.#state)
  }

  /** Reports an event to the state machine and runs what follows. */
  dispatch(event: SessionEvent): void {
    if (this.#stopping && event.is !== 'quit') return
    const before = this.#state
    const [next, effects] = reduce(before, event, {
      wallMs: this.#o.clock.wallMs(),
      receivedMs: this.#received.at(this.#o.skewMs()),
      roll: this.#o.random(),
      tokenEnded: this.#tokenEnded(),
    })
    this.#state = next
    for (const effect of effects) this.#run(effect)
    if (next.phase === before.phase) return
    if (next.phase.is !== before.phase.is) {
      const { phase, attempt } = next
      const again = phase.is === 'waiting' ? { untilMs: phase.untilMs, attempt } : {}
      this.#entry({ type: 'state', feed: this.feed, conn: this.#link?.conn ?? 0, state: phase.is, ...again })
    }
    this.#o.changed(this)
  }

  /** The wall clock was set by `shiftMs` in the last `elapsedMs`. */
  clockMoved(shiftMs: number, elapsedMs: number): void {
    const nowMs = this.#o.clock.wallMs()
    const moved = (ms: UnixMs | null): UnixMs | null => (ms === null ? null : unixMs(movedStamp(ms, shiftMs, nowMs)))
    this.#received.clockMoved(shiftMs, nowMs)
    this.#askedMs = moved(this.#askedMs)
    for (const link of this.#links) {
      link.pingedMs = moved(link.pingedMs)
      link.closeAskedMs = moved(link.closeAskedMs)
    }
    this.dispatch({ is: 'clock', shiftMs, elapsedMs })
  }

  /** About once a second: heartbeat and freshness. `monoMs` on the monotonic clock. */
  tick(monoMs: number): void {
    const link = this.#link
    if (link === null || !link.upgraded || link.closed) return
    const beat = link.heartbeat.beat(monoMs)
    if (beat === 'ping') {
      link.pingedMs = this.#o.clock.wallMs()
      link.socket.ping(String(++link.pings))
    }
    if (beat === 'dead') this.dispatch({ is: 'halfOpen', generation: link.generation })
    else if (this.#state.phase.is === 'open') {
      const { mute } = this.#pace
      this.dispatch({
        is: 'tick',
        silentMs: this.#pace.silentMs(monoMs),
        staleAfterMs: this.#pace.staleAfterMs(),
        mute,
      })
    }
  }

  ownersChanged(): void {
    for (const link of this.#links) link.asked.ownersChanged()
  }

  /** Closes with 1000, keeps what still comes, then ends gaps of cause `quit`. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#dropTimers()
    const closing = [...this.#links].map(
      (link) =>
        new Promise<void>((resolve) => {
          if (link.closed) return resolve()
          link.socket.once('close', () => resolve())
          this.#hangUp(link)
        }),
    )
    await Promise.all(closing)
    this.dispatch({ is: 'quit' })
  }

  #run(effect: SessionEffect): void {
    switch (effect.do) {
      case 'dial':
        void this.#dial(effect.generation)
        return
      case 'close':
        this.#close(effect.generation, effect.how)
        return
      case 'send':
        this.#send(effect.action, effect.symbols)
        return
      case 'renewToken':
        void this.#renew()
        return
      case 'armTimer': {
        const { timer } = effect
        this.#timers.get(timer)?.()
        this.#timers.set(
          timer,
          this.#o.clock.after(effect.ms, () => {
            this.#timers.delete(timer)
            this.dispatch({ is: 'timer', timer })
          }),
        )
        return
      }
      case 'dropTimers':
        this.#dropTimers()
        return
      case 'probe':
        this.#link?.heartbeat.doubt()
        return
      case 'gapOpen':
        this.#o.gapOpened(this, effect.gap)
        return
      case 'gapClose':
        this.#o.gapClosed(this, effect.id, effect.toMs)
        return
      case 'problem':
        this.#o.listener.problem(this.feed, effect.why)
        return
      case 'log':
        this.#o.listener.log(effect.level, this.feed, effect.text)
        return
      default:
        missingCase(effect)
    }
  }

  #dropTimers(): void {
    for (const undo of this.#timers.values()) undo()
    this.#timers.clear()
  }

  async #dial(generation: number): Promise<void> {
    let token: Token
    try {
      token = await this.#o.token.get()
    } catch (thrown) {
      if (this.#dialling(generation)) this.dispatch({ is: 'tokenFailed', failure: toFailure(thrown) })
      return
    }
    if (!this.#dialling(generation)) return
    try {
      this.#connect(generation, token)
    } catch (thrown) {
      // A base URL that is none or not encrypted, or a token that no header can carry.
      this.dispatch({ is: 'tokenFailed', failure: toFailure(thrown) })
    }
  }

  /** Whether the dial that was begun is still the one that is wanted. */
  #dialling(generation: number): boolean {
    const { phase } = this.#state
    return (
      !this.#stopping &&
      this.#state.generation === generation &&
      phase.is === 'connecting' &&
      phase.step === 'dial' &&
      this.#link?.generation !== generation
    )
  }

  #connect(generation: number, token: Token): void {
    const url = socketUrl(this.#o.baseUrl, FEEDS[this.feed].path)
    const asked = new AskedFor(
      feedAsset(this.feed),
      (key) => this.#o.owns(this, key),
      (key, symbol) => this.#o.tally.spellings.take(key, symbol),
    )
    const link = openLink(
      {
        generation,
        connection: () => this.#o.recorder.connection(this.feed),
        url,
        origin: originOf(this.#o.baseUrl),
        token,
        asked,
        nowMs: this.#o.clock.wallMs(),
        monoMs: this.#monoMs(),
      },
      this.#told,
    )
    this.#link = link
    this.#askedMs = null
    this.#links.add(link)
    this.#entry({ type: 'connecting', feed: this.feed, conn: link.conn })
  }

  #opened(link: Link): void {
    link.heartbeat = createHeartbeat(this.#monoMs())
    this.#pace.start(this.#monoMs())
    this.#entry({ type: 'connected', feed: this.feed, conn: link.conn })
    if (link !== this.#link || this.#stopping) {
      this.#hangUp(link)
      return
    }
    // A first connection's gap counts from the want; a later one's from what was heard before it dropped.
    this.dispatch({ is: 'upgraded', generation: link.generation })
  }

  #heard(link: Link): void {
    link.heardMs = this.#o.clock.wallMs()
    link.heartbeat.heard(this.#monoMs())
    if (link === this.#link) this.#received.heard(link.heardMs)
  }

  /** Only the answer to the last ping proves what was sent before it: one to an earlier ping may come late. */
  #pong(link: Link, payload: Buffer): void {
    this.#heard(link)
    if (link !== this.#link || link.pingedMs === null || payload.toString('latin1') !== String(link.pings)) return
    this.#received.answered(link.pingedMs)
  }

  /** The way of a tick: stamp, recorder, codec, listener. */
  #message(link: Link, data: Buffer, binary: boolean): void {
    const { recorder, tally, scratch, listener, turn } = this.#o
    const stamp = turn.arrived()
    const seq = recorder.frame(link.conn, data, binary, stamp)
    const monoMs = stamp.monoNs / 1e6
    tally.received++
    tally.lastMessageMs = stamp.wallMs
    link.heardMs = stamp.wallMs
    link.heartbeat.heard(monoMs)
    if (link === this.#link) this.#received.heard(stamp.wallMs)
    if (turn.overspent(stamp.monoNs) && !link.socket.isPaused) {
      link.socket.pause()
      setImmediate(() => link.socket.resume())
    }

    let flags = 0
    const found = binary ? 'undecodable' : decode(this.feed, data, 0, data.length, scratch)
    if (found === 'control') {
      recorder.mark(FLAG.control)
      try {
        this.#control(link, data)
      } catch (thrown) {
        if (this.#rarely()) listener.log('error', this.feed, 'a control message could not be followed', String(thrown))
      }
      return
    }
    if (found === 'undecodable') {
      recorder.mark(FLAG.undecodable | (binary ? FLAG.binary : 0) | (isUtf8(data) ? 0 : FLAG.invalidUtf8))
      tally.undecodable++
      this.#oddity(binary ? 'a binary frame' : scratch.why, 'cannot be read')
      return
    }
    if (!inRange(scratch.kind === KIND.bar ? scratch.startMs : scratch.eventMs)) flags |= FLAG.undated
    else {
      recorder.dated(scratch.eventMs)
      if (link === this.#link) this.#received.dated(scratch.eventMs, stamp.wallMs)
    }
    const asked = link === this.#link && link.asked.has(scratch.symbol)
    if (!asked) flags |= FLAG.unasked
    if (flags !== 0) recorder.mark(flags)
    if (!entersMarket(flags)) {
      tally.unasked++
      return
    }
    if (scratch.mapping !== '') tally.mappings.set(scratch.mapping, (tally.mappings.get(scratch.mapping) ?? 0) + 1)
    this.#pace.message(monoMs)
    const { phase } = this.#state
    if (phase.is === 'stale' || phase.is === 'connecting') {
      this.dispatch({ is: 'frame', generation: link.generation })
    }
    try {
      listener.record(this.feed, seq, stamp.wallMs, stamp.monoNs, scratch)
    } catch (thrown) {
      // What follows the recorder must never stop the next frame from being kept.
      if (this.#rarely()) listener.log('error', this.feed, 'a message could not be shown', String(thrown))
    }
  }

  #control(link: Link, data: Buffer): void {
    const control = parseControl(data.toString())
    if (control === undefined) return
    const { generation, conn } = link
    const { listener } = this.#o
    switch (control.kind) {
      case 'acknowledged': {
        // The message holds the whole list. What nobody asked for must not be stored a second time.
        this.#entry({ type: 'acknowledged', feed: this.feed, conn, symbols: link.asked.among(control.tickers) })
        if (link !== this.#link) return
        if (this.#askedMs !== null) this.#received.answered(this.#askedMs)
        if (this.#state.pending <= 1) this.#askedMs = null
        this.dispatch({ is: 'acknowledged', generation, symbols: control.tickers })
        // What nobody asked for is in the state and the message; the window must not learn symbols from it.
        const asked = control.tickers.filter((ticker) => link.asked.has(ticker))
        listener.acknowledged(this.feed, asked)
        return
      }
      case 'released':
        this.#entry({ type: 'released', feed: this.feed, conn, symbols: link.asked.among(control.tickers) })
        link.asked.released(control.tickers)
        this.dispatch({ is: 'released', generation, symbols: control.tickers })
        return
      case 'error': {
        const error = {
          code: serverWords(control.code, link.token.access),
          message: serverWords(control.message, link.token.access),
        }
        listener.log('warn', this.feed, `the service reports an error: ${error.code}`, error.message)
        this.dispatch({ is: 'errorFrame', generation, error })
        return
      }
      case 'malformed':
        this.#oddity(control.why, 'is no valid acknowledgement')
        return
      default:
        missingCase(control)
    }
  }

  #send(action: 'subscribe' | 'unsubscribe', symbols: readonly string[]): void {
    const link = this.#link
    if (link === null) return
    const text = encodeClient(action, symbols)
    this.#entry({ type: action, feed: this.feed, conn: link.conn, symbols: normaliseTickers(symbols) })
    if (action === 'subscribe') {
      this.#askedMs ??= this.#o.clock.wallMs()
      link.asked.subscribed(symbols)
    } else link.asked.unsubscribed(symbols)
    // A failure to send is followed by `close`, which says all.
    link.socket.send(text, () => undefined)
  }

  #close(generation: number, how: 'normal' | 'terminate'): void {
    for (const link of this.#links) {
      if (link.generation !== generation || link.closed) continue
      if (how === 'terminate' || !link.upgraded) link.socket.terminate()
      else this.#hangUp(link)
    }
  }

  /** Asks the service to close. Its answer comes behind all that it sent. */
  #hangUp(link: Link): void {
    link.closeAskedMs ??= this.#o.clock.wallMs()
    link.socket.close(1000)
  }

  #closed(link: Link, closeCode: number, words: string): void {
    const { generation, conn } = link
    this.#links.delete(link)
    if (link === this.#link && closeCode !== 0 && link.closeAskedMs !== null) this.#received.answered(link.closeAskedMs)
    this.#entry({ type: 'disconnected', feed: this.feed, conn, closeCode, reason: words })
    if (!link.explained) this.dispatch({ is: 'closed', generation, code: closeCode, words })
    if (link === this.#link) this.#link = null
  }

  async #renew(): Promise<void> {
    const { generation } = this.#state
    const refused = this.#link?.token
    try {
      await (refused === undefined ? this.#o.token.get() : this.#o.token.renew(refused))
    } catch (thrown) {
      if (this.#state.generation === generation) this.dispatch({ is: 'tokenFailed', failure: toFailure(thrown) })
      return
    }
    if (this.#state.generation === generation) this.dispatch({ is: 'tokenReady' })
  }

  #tokenEnded(): boolean {
    const expiresMs = this.#link?.token.expiresMs ?? null
    return expiresMs !== null && this.#o.clock.wallMs() >= expiresMs - TOKEN_END_MS
  }

  #entry(entry: LedgerEntry): void {
    const { recorder, turn } = this.#o
    recorder.entry(entry, turn.now())
  }

  #oddity(what: string, verdict: string): void {
    if (this.#rarely()) this.#o.listener.log('warn', this.feed, `a message ${verdict}: ${what}`, 'kept as it came')
  }

  /** The first few, then one in a thousand: a hostile server must not fill the log. */
  #rarely(): boolean {
    this.#faults++
    return this.#faults <= 5 || this.#faults % 1_000 === 0
  }

  #monoMs(): number {
    return this.#o.clock.monoNs() / 1e6
  }
}

/** The origin to send, or the text itself where it is no address (dialling says so then). */
function originOf(baseUrl: string): string {
  try {
    return serviceOrigin(baseUrl).origin
  } catch {
    return serverWords(baseUrl)
  }
}
