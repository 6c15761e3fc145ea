/**
 * The connection test: reach the host, get a token, open the socket, subscribe, receive a message. Each step reports
 * its result or what to do. Stores nothing and closes what it opened.
 */
import { connect } from 'node:net'
import WebSocket from 'ws'
import { countText } from '../../../shared/base/count-text.ts'
import { CodedError, toFailure, type ErrorCode } from '../../../shared/base/errors.ts'
import type { ConnectionStep, Reason } from '../../../shared/core/status/status.ts'
import type { FeedId } from '../../../shared/base/units.ts'
import { encodeClient, parseControl } from '../../../service/control.ts'
import { decodeText } from '../../../service/codecs/decode.ts'
import { FEEDS } from '../../../service/feeds.ts'
import {
  askReason,
  serverText,
  verdictOfClose,
  verdictOfSocket,
  verdictOfUpgrade,
  type ErrorFrame,
} from '../../../service/reasons.ts'
import type { Clock } from '../../base/clock.ts'
import { serviceOrigin, socketUrl } from '../../base/service-address.ts'
import { requestToken, type TokenRequest, type Token } from './token.ts'

/** The feed to test: crypto trades around the clock, so silence means a problem. */
const FEED: FeedId = 'crypto/XT'
const TICKERS = ['BTC-USD', 'BTCUSD', 'ETH-USD']
const STEP_MS = 10_000
const FIRST_MESSAGE_MS = 15_000
const LARGEST_FRAME = 1024 * 1024

type StepName = ConnectionStep['step']

/** Ends the test at the current step. */
class StepFailed extends Error {
  readonly code: ErrorCode
  constructor(why: Reason) {
    super(`${why.message} ${why.hint}`.trim())
    this.code = why.code
  }
}

/** Runs the steps; `prepare` checks the input and finds the password. Never rejects. */
export async function runConnectionTest(
  prepare: () => Promise<TokenRequest>,
  clock: Clock,
): Promise<readonly ConnectionStep[]> {
  const steps: ConnectionStep[] = []
  const probe = new FeedProbe(clock)

  async function step<T>(name: StepName, run: () => Promise<T>, say: (value: T) => string): Promise<T> {
    const beganNs = clock.monoNs()
    const tookMs = (): number => Math.round((clock.monoNs() - beganNs) / 1e6)
    try {
      const value = await run()
      steps.push({ step: name, ok: true, tookMs: tookMs(), text: say(value), code: null })
      return value
    } catch (thrown) {
      const { code, message, hint } = toFailure(thrown)
      const failed =
        thrown instanceof StepFailed ? thrown : new StepFailed({ code, message, hint: hint ?? '', closeCode: null })
      steps.push({ step: name, ok: false, tookMs: tookMs(), text: failed.message, code: failed.code })
      throw failed
    }
  }

  try {
    const request = await step(
      'reach',
      async () => {
        const found = await prepare()
        await reach(serviceOrigin(found.baseUrl), clock)
        return found
      },
      (found) => `${serviceOrigin(found.baseUrl).host} answers.`,
    )
    const token = await step(
      'token',
      () => requestToken(request, clock),
      ({ expiresMs }) =>
        expiresMs === null
          ? 'Signed in. The token has no expiry time.'
          : `Signed in. The token is valid for ${lasting(expiresMs - clock.wallMs())}.`,
    )
    await step(
      'handshake',
      () => probe.open(request.baseUrl, token),
      () => `The feed ${FEEDS[FEED].code} opened.`,
    )
    await step(
      'subscribe',
      () => probe.subscribe(),
      (tickers) =>
        `Acknowledged: ${tickers
          .slice(0, 5)
          .map((t) => serverText(t))
          .join(', ')}.`,
    )
    await step(
      'first message',
      () => probe.firstMessage(),
      (text) => text,
    )
  } catch (thrown) {
    if (!(thrown instanceof StepFailed)) throw thrown
  } finally {
    probe.close()
  }
  return steps
}

/** Opens a bare TCP connection, to distinguish an unreachable host from one that refuses. */
async function reach(origin: URL, clock: Clock): Promise<void> {
  const port = Number(origin.port) || (origin.protocol === 'https:' ? 443 : 80)
  const host = origin.hostname.replace(/^\[|\]$/g, '')
  const socket = connect({ host, port })
  try {
    await within(
      new Promise<void>((resolve, reject) => {
        socket.once('connect', () => resolve())
        socket.once('error', (error: NodeJS.ErrnoException) => {
          const { message, code } = verdictOfSocket(error.code ?? 'no response', origin.host).why
          reject(new CodedError(code, message, { hint: 'Check the base URL and your connection.' }))
        })
      }),
      STEP_MS,
      clock,
      () =>
        new CodedError('timeout', `${origin.host} didn’t respond in time.`, {
          hint: 'Check the base URL and your connection.',
        }),
    )
  } finally {
    socket.destroy()
  }
}

/** One connection of the tested feed. If it ends, the pending step fails with the reason. */
class FeedProbe {
  readonly #clock: Clock
  #socket: WebSocket | null = null
  #error: ErrorFrame | null = null
  #acknowledged: ((tickers: readonly string[]) => void) | null = null
  #messages: ((text: string) => void) | null = null
  #early: string | null = null
  #fail: (why: Reason) => void = () => undefined
  #ended: Promise<never> = Promise.race([])

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async open(baseUrl: string, token: Token): Promise<void> {
    const { origin, host } = serviceOrigin(baseUrl)
    const socket = new WebSocket(socketUrl(baseUrl, FEEDS[FEED].path), {
      perMessageDeflate: false,
      maxPayload: LARGEST_FRAME,
      followRedirects: false,
      rejectUnauthorized: true,
      handshakeTimeout: STEP_MS,
      headers: { Authorization: `Bearer ${token.access}` },
      origin,
    })
    this.#socket = socket
    this.#ended = new Promise<never>((_, reject) => {
      this.#fail = (why) => reject(new StepFailed(why))
    })
    // The pending step sees the rejection; between two steps nothing else handles it.
    this.#ended.catch(() => undefined)
    const fresh = (verdict: { then: string; why: Reason }): Reason =>
      verdict.then === 'renew' ? askReason(FEED, verdict.why) : verdict.why
    socket.on('unexpected-response', (request, response) => {
      this.#fail(fresh(verdictOfUpgrade(FEED, response.statusCode ?? 0, origin)))
      request.destroy()
      socket.terminate()
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const code = error.message === 'Opening handshake has timed out' ? 'ETIMEDOUT' : (error.code ?? 'no WebSocket')
      this.#fail(verdictOfSocket(code, host).why)
    })
    socket.on('close', (code: number, reason: Buffer) => {
      const closeCode = code === 1005 || code === 1006 ? 0 : code
      this.#fail(fresh(verdictOfClose(FEED, closeCode, serverText(reason.toString(), token.access), this.#error)))
    })
    socket.on('message', (data: Buffer, binary: boolean) => {
      if (!binary) this.#message(data.toString(), token)
    })
    await Promise.race([new Promise<void>((resolve) => socket.once('open', () => resolve())), this.#ended])
  }

  async subscribe(): Promise<readonly string[]> {
    const acknowledged = new Promise<readonly string[]>((resolve) => {
      this.#acknowledged = resolve
    })
    this.#socket?.send(encodeClient('subscribe', TICKERS), () => undefined)
    return within(Promise.race([acknowledged, this.#ended]), STEP_MS, this.#clock, () =>
      this.#silent('didn’t acknowledge the subscription'),
    )
  }

  async firstMessage(): Promise<string> {
    if (this.#early !== null) return this.#early
    const message = new Promise<string>((resolve) => {
      this.#messages = resolve
    })
    return within(Promise.race([message, this.#ended]), FIRST_MESSAGE_MS, this.#clock, () =>
      this.#silent('acknowledged the subscription but sent nothing'),
    )
  }

  close(): void {
    const socket = this.#socket
    if (socket === null) return
    if (socket.readyState === WebSocket.OPEN) {
      socket.close(1000)
      this.#clock.after(2_000, () => socket.terminate())
    } else socket.terminate()
  }

  #message(text: string, token: Token): void {
    const control = parseControl(text)
    if (control?.kind === 'error') {
      this.#error = {
        code: serverText(control.code, token.access),
        message: serverText(control.message, token.access),
      }
      return
    }
    if (control?.kind === 'acknowledged') this.#acknowledged?.(control.tickers)
    if (control !== undefined) return
    const { record } = decodeText(FEED, text)
    const said =
      record === undefined || record.kind === 'unknown'
        ? 'A message arrived in a format Tapedeck can’t decode. It would be stored as received.'
        : `${serverText(record.symbol)} came, ${record.kind}.`
    this.#early ??= said
    this.#messages?.(said)
  }

  #silent(what: string): CodedError {
    return new CodedError('plan', `The service ${what} (${FEEDS[FEED].code}).`, {
      hint: `Your plan may not include this feed (it needs ${FEEDS[FEED].minimumPlan ?? 'another plan'}).`,
    })
  }
}

async function within<T>(task: Promise<T>, ms: number, clock: Clock, late: () => CodedError): Promise<T> {
  let disarm: () => void = () => undefined
  const timeout = new Promise<never>((_, reject) => {
    disarm = clock.after(ms, () => reject(late()))
  })
  try {
    return await Promise.race([task, timeout])
  } finally {
    disarm()
  }
}

function lasting(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  return minutes < 1
    ? 'less than a minute'
    : minutes < 120
      ? countText(minutes, 'minute')
      : countText(Math.round(minutes / 60), 'hour')
}
