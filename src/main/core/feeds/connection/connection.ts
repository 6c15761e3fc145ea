/**
 * One connection of a feed: runs the effects of `connection-state.ts` on a link, and passes every frame to the
 * recorder before anything else sees it.
 */
import { isUtf8 } from 'node:buffer'
import { toFailure, missingCase } from '../../../../shared/base/errors.ts'
import { entersMarket, FLAG, type LedgerEntry } from '../../../../shared/core/recording/session.ts'
import type { FeedState } from '../../../../shared/core/status/status.ts'
import { feedAsset, unixMs, type FeedId, type UnixMs } from '../../../../shared/base/units.ts'
import { KIND } from '../../../../service/codec.ts'
import { inRange } from '../../../../service/codecs/times.ts'
import { encodeClient, normaliseTickers, parseControl } from '../../../../service/control.ts'
import { decode } from '../../../../service/codecs/decode.ts'
import { FEEDS } from '../../../../service/feeds.ts'
import { serverText } from '../../../../service/reasons.ts'
import type { Token } from '../../account/token.ts'
import { serviceOrigin, socketUrl } from '../../../base/service-address.ts'
import { movedStamp } from '../../../../shared/core/recording/delay-window.ts'
import { RequestedSymbols } from './requested-symbols.ts'
import { createHeartbeat } from './heartbeat.ts'
import { MAX_PAYLOAD, openLink, type Link, type LinkListener } from './link.ts'
import { createMessageRate, type MessageRate } from './message-rate.ts'
import { ReceivedUpTo } from './received-up-to.ts'
import type { ConnectionEffect, ConnectionEvent, ConnectionState, TimerName } from './connection-model.ts'
import type { ConnectionOptions } from './connection-options.ts'
import type { Stamp } from './frame-sink.ts'
import { idleConnection, reduce, shown } from './connection-state.ts'

/** A token's lifetime is counted from its arrival here, so for the service it may expire this much earlier, ms. */
const TOKEN_END_MS = 5_000

export class Connection {
  readonly feed: FeedId
  readonly #options: ConnectionOptions<Connection>
  readonly #rate: MessageRate
  readonly #links = new Set<Link>()
  readonly #timers = new Map<TimerName, () => void>()
  readonly #linkListener: LinkListener = {
    opened: (link) => this.#opened(link),
    message: (link, data, binary) => this.#message(link, data, binary),
    heard: (link) => this.#heard(link),
    pong: (link, payload) => this.#pong(link, payload),
    oversize: ({ conn }) => this.#entry({ type: 'oversize', feed: this.feed, conn, limitBytes: MAX_PAYLOAD }),
    explained: (event) => this.dispatch(event),
    closed: (link, code, words) => this.#closed(link, code, words),
  }
  #state: ConnectionState
  #link: Link | null = null
  #isStopping = false
  readonly #received = new ReceivedUpTo()
  /** When the oldest subscribe without an acknowledgment was sent, UTC ms; null: none is pending. */
  #requestedMs: UnixMs | null = null
  #faults = 0

  constructor(options: ConnectionOptions<Connection>) {
    this.feed = options.feed
    this.#options = options
    this.#rate = createMessageRate(FEEDS[options.feed].barMs)
    this.#state = idleConnection(options.feed, originOf(options.baseUrl))
  }

  get state(): ConnectionState {
    return this.#state
  }

  get shown(): FeedState {
    return shown(this.#state)
  }

  /** Passes an event to the state machine and runs its effects. */
  dispatch(event: ConnectionEvent): void {
    if (this.#isStopping && event.is !== 'quit') return
    const before = this.#state
    const [next, effects] = reduce(before, event, {
      wallMs: this.#options.clock.wallMs(),
      receivedMs: this.#received.at(this.#options.skewMs()),
      roll: this.#options.random(),
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
    this.#options.changed(this)
  }

  /** The wall clock was set by `shiftMs` in the last `elapsedMs`. */
  clockMoved(shiftMs: number, elapsedMs: number): void {
    const nowMs = this.#options.clock.wallMs()
    const moved = (ms: UnixMs | null): UnixMs | null => (ms === null ? null : unixMs(movedStamp(ms, shiftMs, nowMs)))
    this.#received.clockMoved(shiftMs, nowMs)
    this.#requestedMs = moved(this.#requestedMs)
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
      link.pingedMs = this.#options.clock.wallMs()
      link.socket.ping(String(++link.pings))
    }
    if (beat === 'dead') this.dispatch({ is: 'halfOpen', generation: link.generation })
    else if (this.#state.phase.is === 'open') {
      const { isMute: mute } = this.#rate
      this.dispatch({
        is: 'tick',
        silentMs: this.#rate.silentMs(monoMs),
        staleAfterMs: this.#rate.staleAfterMs(),
        mute,
      })
    }
  }

  ownersChanged(): void {
    for (const link of this.#links) link.requested.ownersChanged()
  }

  /** Closes with code 1000, records what still arrives, then opens gaps of cause `quit`. */
  async stop(): Promise<void> {
    this.#isStopping = true
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

  #run(effect: ConnectionEffect): void {
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
          this.#options.clock.after(effect.ms, () => {
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
        this.#options.gapOpened(this, effect.gap)
        return
      case 'gapClose':
        this.#options.gapClosed(this, effect.id, effect.toMs)
        return
      case 'problem':
        this.#options.listener.problem(this.feed, effect.why)
        return
      case 'log':
        this.#options.listener.log(effect.level, this.feed, effect.text)
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
      token = await this.#options.token.get()
    } catch (thrown) {
      if (this.#isDialing(generation)) this.dispatch({ is: 'tokenFailed', failure: toFailure(thrown) })
      return
    }
    if (!this.#isDialing(generation)) return
    try {
      this.#connect(generation, token)
    } catch (thrown) {
      // The base URL is invalid or not encrypted, or the token is not a valid header value.
      this.dispatch({ is: 'tokenFailed', failure: toFailure(thrown) })
    }
  }

  /** Whether the dial of this generation is still the current one. */
  #isDialing(generation: number): boolean {
    const { phase } = this.#state
    return (
      !this.#isStopping &&
      this.#state.generation === generation &&
      phase.is === 'connecting' &&
      phase.step === 'dial' &&
      this.#link?.generation !== generation
    )
  }

  #connect(generation: number, token: Token): void {
    const url = socketUrl(this.#options.baseUrl, FEEDS[this.feed].path)
    const requested = new RequestedSymbols(
      feedAsset(this.feed),
      (key) => this.#options.owns(this, key),
      (key, symbol) => this.#options.tally.aliases.accept(key, symbol),
    )
    const link = openLink(
      {
        generation,
        connection: () => this.#options.recorder.connection(this.feed),
        url,
        origin: originOf(this.#options.baseUrl),
        token,
        requested,
        monoMs: this.#monoMs(),
      },
      this.#linkListener,
    )
    this.#link = link
    this.#requestedMs = null
    this.#links.add(link)
    this.#entry({ type: 'connecting', feed: this.feed, conn: link.conn })
  }

  #opened(link: Link): void {
    link.heartbeat = createHeartbeat(this.#monoMs())
    this.#rate.start(this.#monoMs())
    this.#entry({ type: 'connected', feed: this.feed, conn: link.conn })
    if (link !== this.#link || this.#isStopping) {
      this.#hangUp(link)
      return
    }
    // A first connection's gap starts with the subscription; a later one's starts where the previous connection stopped
    // receiving.
    this.dispatch({ is: 'upgraded', generation: link.generation })
  }

  /** The first frame of a read was received. */
  #heardAt(link: Link, stamp: Stamp): void {
    link.stamp = stamp
    link.heartbeat.heard(stamp.monoNs / 1e6)
    this.#options.tally.lastMessageMs = stamp.wallMs
    if (link === this.#link) this.#received.heard(stamp.wallMs)
  }

  #heard(link: Link): void {
    link.heartbeat.heard(this.#monoMs())
    if (link === this.#link) this.#received.heard(this.#options.clock.wallMs())
  }

  /** Only a pong to the last ping proves that everything before it arrived: a pong to an earlier ping may be late. */
  #pong(link: Link, payload: Buffer): void {
    this.#heard(link)
    if (link !== this.#link || link.pingedMs === null || payload.toString('latin1') !== String(link.pings)) return
    this.#received.responded(link.pingedMs)
  }

  /** The path of a tick: timestamp, recorder, codec, listener. */
  #message(link: Link, data: Buffer, binary: boolean): void {
    const { recorder, tally, scratch, listener, turn } = this.#options
    const stamp = turn.arrived()
    const seq = recorder.frame(link.conn, data, binary, stamp)
    tally.received++
    if (stamp !== link.stamp) this.#heardAt(link, stamp)
    if (turn.isOverspent(stamp.monoNs) && !link.socket.isPaused) {
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
        if (this.#isLogged())
          listener.log('error', this.feed, 'a control message couldn’t be processed', String(thrown))
      }
      return
    }
    if (found === 'undecodable') {
      recorder.mark(FLAG.undecodable | (binary ? FLAG.binary : 0) | (isUtf8(data) ? 0 : FLAG.invalidUtf8))
      tally.undecodable++
      this.#logOddity(binary ? 'a binary frame' : scratch.why, 'can’t be decoded')
      return
    }
    if (!inRange(scratch.kind === KIND.bar ? scratch.startMs : scratch.eventMs)) flags |= FLAG.undated
    else {
      recorder.dated(scratch.eventMs)
      if (link === this.#link) this.#received.dated(scratch.eventMs, stamp.wallMs)
    }
    if (link !== this.#link || !link.requested.has(scratch.symbol)) flags |= FLAG.unasked
    if (flags !== 0) recorder.mark(flags)
    if (!entersMarket(flags)) {
      tally.unasked++
      return
    }
    if (scratch.mapping !== '') tally.mappings.set(scratch.mapping, (tally.mappings.get(scratch.mapping) ?? 0) + 1)
    this.#rate.message(stamp.monoNs / 1e6)
    const { phase } = this.#state
    if (phase.is === 'stale' || phase.is === 'connecting') {
      this.dispatch({ is: 'frame', generation: link.generation })
    }
    try {
      listener.record(this.feed, seq, stamp.wallMs, stamp.monoNs, scratch)
    } catch (thrown) {
      // An error after the recorder must never prevent the next frame from being recorded.
      if (this.#isLogged()) listener.log('error', this.feed, 'a message couldn’t be displayed', String(thrown))
    }
  }

  #control(link: Link, data: Buffer): void {
    const control = parseControl(data.toString())
    if (control === undefined) return
    const { generation, conn } = link
    const { listener } = this.#options
    switch (control.kind) {
      case 'acknowledged': {
        // The stored message has the complete list; the entry has only the requested symbols.
        this.#entry({ type: 'acknowledged', feed: this.feed, conn, symbols: link.requested.among(control.tickers) })
        if (link !== this.#link) return
        if (this.#requestedMs !== null) this.#received.responded(this.#requestedMs)
        if (this.#state.pending <= 1) this.#requestedMs = null
        this.dispatch({ is: 'acknowledged', generation, symbols: control.tickers })
        // Windows must not learn symbols that were not requested.
        const requested = control.tickers.filter((ticker) => link.requested.has(ticker))
        listener.acknowledged(this.feed, requested)
        return
      }
      case 'released':
        this.#entry({ type: 'released', feed: this.feed, conn, symbols: link.requested.among(control.tickers) })
        link.requested.released(control.tickers)
        this.dispatch({ is: 'released', generation, symbols: control.tickers })
        return
      case 'error': {
        const error = {
          code: serverText(control.code, link.token.access),
          message: serverText(control.message, link.token.access),
        }
        listener.log('warn', this.feed, `the service reports an error: ${error.code}`, error.message)
        this.dispatch({ is: 'errorFrame', generation, error })
        return
      }
      case 'malformed':
        this.#logOddity(control.why, 'isn’t a valid acknowledgment')
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
      this.#requestedMs ??= this.#options.clock.wallMs()
      link.requested.subscribed(symbols)
    } else link.requested.unsubscribed(symbols)
    // After a failure to send, `close` follows with the reason.
    link.socket.send(text, () => undefined)
  }

  #close(generation: number, how: 'normal' | 'terminate'): void {
    for (const link of this.#links) {
      if (link.generation !== generation || link.closed) continue
      if (how === 'terminate' || !link.upgraded) link.socket.terminate()
      else this.#hangUp(link)
    }
  }

  /** Requests the close. The service's close frame arrives after everything else that it sent. */
  #hangUp(link: Link): void {
    link.closeAskedMs ??= this.#options.clock.wallMs()
    link.socket.close(1000)
  }

  #closed(link: Link, closeCode: number, words: string): void {
    const { generation, conn } = link
    this.#links.delete(link)
    if (link === this.#link && closeCode !== 0 && link.closeAskedMs !== null)
      this.#received.responded(link.closeAskedMs)
    this.#entry({ type: 'disconnected', feed: this.feed, conn, closeCode, reason: words })
    if (!link.explained) this.dispatch({ is: 'closed', generation, code: closeCode, words })
    if (link === this.#link) this.#link = null
  }

  async #renew(): Promise<void> {
    const { generation } = this.#state
    const refused = this.#link?.token
    try {
      await (refused === undefined ? this.#options.token.get() : this.#options.token.renew(refused))
    } catch (thrown) {
      if (this.#state.generation === generation) this.dispatch({ is: 'tokenFailed', failure: toFailure(thrown) })
      return
    }
    if (this.#state.generation === generation) this.dispatch({ is: 'tokenReady' })
  }

  #tokenEnded(): boolean {
    const expiresMs = this.#link?.token.expiresMs ?? null
    return expiresMs !== null && this.#options.clock.wallMs() >= expiresMs - TOKEN_END_MS
  }

  #entry(entry: LedgerEntry): void {
    const { recorder, turn } = this.#options
    recorder.entry(entry, turn.now())
  }

  #logOddity(what: string, verdict: string): void {
    if (this.#isLogged())
      this.#options.listener.log('warn', this.feed, `a message ${verdict}: ${what}`, 'stored as received')
  }

  /** True for the first few faults, then for one in a thousand, so that a hostile service can't flood the log. */
  #isLogged(): boolean {
    this.#faults++
    return this.#faults <= 5 || this.#faults % 1_000 === 0
  }

  #monoMs(): number {
    return this.#options.clock.monoNs() / 1e6
  }
}

/** The origin for the header and for messages; an invalid URL is returned unchanged, because dialing reports it. */
function originOf(baseUrl: string): string {
  try {
    return serviceOrigin(baseUrl).origin
  } catch {
    return serverText(baseUrl)
  }
}
