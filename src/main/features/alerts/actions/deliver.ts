/** Sends what an alert says: one HTTP request or one run of a program. What the other side answers is thrown away. */
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { request as requestHttps } from 'node:https'
import { request as requestHttp } from '../../../../server/node-http.ts'
import { CodedError } from '../../../../shared/base/errors.ts'
import { networkError } from '../../../base/network-error.ts'
import { checkAddress } from './action-file.ts'

/** A whole request or run may take this long, ms. */
const DELIVERY_MS = 10_000
/** The most that is read of an answer, bytes. */
export const MAX_ANSWER_BYTES = 64 * 1024

/** What fired, as the outside sees it. */
export interface ActionNote {
  /** The same for every attempt, so that receivers can tell repeats. */
  readonly delivery: string
  /** JSON of schema `tapedeck/alert/1`. */
  readonly body: string
  /** One line for people. */
  readonly text: string
}

/** A delivery that failed. `isFinal`: trying again wouldn't help. */
export class DeliveryError extends CodedError {
  readonly isFinal: boolean
  constructor(
    code: 'offline' | 'timeout' | 'server-error' | 'not-allowed',
    message: string,
    isFinal: boolean,
    cause?: unknown,
  ) {
    super(code, message, { cause })
    this.isFinal = isFinal
  }
}

/** The header that proves who sent a body and when: HMAC-SHA256 over `SECONDS.BODY`, in hex. */
function signatureOf(secret: string, seconds: number, body: string): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

export interface Delivery {
  readonly note: ActionNote
  readonly secret: string | null
  readonly nowMs: number
  readonly signal: AbortSignal
  /** For tests; default `DELIVERY_MS`. */
  readonly withinMs?: number
}

/** Posts the body as JSON, signed if there is a secret. Rejects with a DeliveryError or `insecure-url`. */
export function postWebhook(target: string, { note, secret, nowMs, ...how }: Delivery): Promise<void> {
  const signature = secret === null ? null : signatureOf(secret, Math.floor(nowMs / 1_000), note.body)
  const headers = {
    'content-type': 'application/json',
    'tapedeck-delivery': note.delivery,
    ...(signature === null ? {} : { 'tapedeck-signature': signature }),
  }
  return post(target, headers, note.body, how)
}

/** Publishes the text to a topic of ntfy. */
export function postNtfy(target: string, { note, secret, ...how }: Delivery): Promise<void> {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    title: 'Tapedeck',
    tags: 'chart_with_upwards_trend',
    ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
  }
  return post(target, headers, note.text, how)
}

/** One request. A redirect isn't followed: it could lead anywhere on this network. */
function post(
  target: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  { signal, withinMs = DELIVERY_MS }: Pick<Delivery, 'signal' | 'withinMs'>,
): Promise<void> {
  const url = checkAddress(target)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const all = { 'user-agent': 'tapedeck', 'content-length': Buffer.byteLength(body), ...headers }
    const request = send(url, { method: 'POST', agent: false, headers: all })
    let answered: (() => void) | null = null
    const undo = after(withinMs, signal, () => {
      // The status already says whether the webhook accepted the alert, however long the body takes.
      if (answered !== null) return answered()
      request.destroy()
      reject(new DeliveryError('timeout', `${url.host} didn’t answer within ${withinMs / 1_000} s.`, false))
    })
    request.on('error', (cause) => {
      undo()
      reject(new DeliveryError('offline', networkError(cause, url, false).message, false, cause))
    })
    request.on('response', (response) => {
      const status = response.statusCode ?? 0
      let bytes = 0
      const done = (): void => {
        undo()
        request.destroy()
        if (status >= 200 && status < 300) resolve()
        else reject(refusal(url.host, status))
      }
      answered = done
      response.on('data', (piece: Buffer) => {
        bytes += piece.length
        if (bytes > MAX_ANSWER_BYTES) done()
      })
      response.on('end', done)
      response.on('error', done)
    })
    request.end(body)
  })
}

function refusal(host: string, status: number): DeliveryError {
  if (status >= 300 && status < 400) {
    return new DeliveryError('not-allowed', `${host} answered with a redirect (${status}), which isn’t followed.`, true)
  }
  const isFinal = status < 500 && status !== 408 && status !== 429
  return new DeliveryError('server-error', `${host} answered ${status}.`, isFinal)
}

/**
 * Runs a program without a shell. It gets the body on standard input and the text in TAPEDECK_ALERT; nothing of the
 * alert is an argument. Rejects with a DeliveryError.
 */
export function runProgram(
  argv: readonly string[],
  { note, signal, withinMs = DELIVERY_MS }: Pick<Delivery, 'note' | 'signal' | 'withinMs'>,
): Promise<void> {
  const [file = '', ...args] = argv
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      shell: false,
      stdio: ['pipe', 'ignore', 'ignore'],
      windowsHide: true,
      env: { ...withoutSecrets(process.env), TAPEDECK_ALERT: note.text },
    })
    const undo = after(withinMs, signal, () => {
      child.kill('SIGKILL')
      reject(new DeliveryError('timeout', `${file} didn’t end within ${withinMs / 1_000} s.`, true))
    })
    child.on('error', (cause) => {
      undo()
      reject(new DeliveryError('not-allowed', `${file} couldn’t be started: ${cause.message}.`, true, cause))
    })
    child.on('close', (code, killed) => {
      undo()
      if (code === 0) resolve()
      else reject(new DeliveryError('server-error', `${file} ended with ${code ?? killed ?? 'an error'}.`, true))
    })
    child.stdin.on('error', () => undefined) // a program that reads nothing
    child.stdin.end(note.body)
  })
}

/** The environment without what Tapedeck itself is told secretly. */
const withoutSecrets = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('TAPEDECK_')))

/** Calls back once after `ms` or when the signal aborts. */
function after(ms: number, signal: AbortSignal, then: () => void): () => void {
  const timer = setTimeout(() => fire(), ms)
  const undo = (): void => {
    clearTimeout(timer)
    signal.removeEventListener('abort', fire)
  }
  const fire = (): void => {
    undo()
    then()
  }
  signal.addEventListener('abort', fire)
  return undo
}
