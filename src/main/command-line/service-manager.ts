/**
 * Tells systemd how a service is: started, alive, stopping (sd_notify). Its socket takes datagrams, which Node can't
 * send over Unix sockets, so systemd's own `systemd-notify` sends them (docs/decisions/0064).
 */
import { execFile } from 'node:child_process'
import type { Context } from './command.ts'

export interface ServiceManager {
  /** The service has started, or its state has changed: `status` is what `systemctl status` shows. */
  ready(status: string): void
  /** The service ends. The watchdog is no longer fed. */
  stopping(): void
}

/** Sends assignments such as `READY=1`. Calls back with the reason if it couldn't. */
export type SendState = (assignments: readonly string[], failed: (why: string) => void) => void

/** A message that isn't delivered by then never is, ms. */
const SEND_MS = 10_000
const NOBODY: ServiceManager = { ready() {}, stopping() {} }

const sendWithSystemd: SendState = (assignments, failed) => {
  execFile('systemd-notify', [...assignments], { timeout: SEND_MS }, (error) => {
    if (error !== null)
      failed(error.code === 'ENOENT' ? 'systemd-notify isn’t installed' : error.message.trim().replaceAll('\n', ', '))
  })
}

/** The manager that started this process; one that does nothing without it. */
export function findServiceManager(
  { env, clock, err }: Pick<Context, 'env' | 'clock' | 'err'>,
  send: SendState = sendWithSystemd,
  pid: number = process.pid,
): ServiceManager {
  if (!env.NOTIFY_SOCKET) return NOBODY
  let hasFailed = false
  const tell = (...assignments: string[]): void =>
    send(assignments, (why) => {
      if (!hasFailed) err(`Couldn’t tell the service manager: ${why}.\n`)
      hasFailed = true
    })
  const everyMs = watchdogMs(env, pid)
  let cancel: (() => void) | null = null
  const feed = (): void => {
    if (everyMs === null) return
    cancel = clock.after(everyMs, () => {
      tell('WATCHDOG=1')
      feed()
    })
  }
  let isReady = false
  let isStopping = false
  return {
    ready(status) {
      if (isStopping) return
      tell(...(isReady ? [] : ['READY=1']), `STATUS=${status.replace(/\s+/g, ' ').trim()}`)
      if (!isReady) feed()
      isReady = true
    },
    stopping() {
      if (isStopping) return
      isStopping = true
      cancel?.()
      tell('STOPPING=1')
    },
  }
}

/** Half of the time after which systemd takes this process for hung, ms; null: it doesn't watch it. */
function watchdogMs({ WATCHDOG_USEC, WATCHDOG_PID }: Context['env'], pid: number): number | null {
  if (WATCHDOG_PID && Number(WATCHDOG_PID) !== pid) return null
  const microseconds = Number(WATCHDOG_USEC)
  return microseconds > 0 ? microseconds / 2_000 : null
}
