/** System notifications. A click brings the window to the front; buttons snooze or turn off the alert. */
import { Notification } from 'electron'
import { t } from '../../../../shared/base/text.ts'
import type { Notice } from '../../../terminal/host.ts'

export interface NoticeHost {
  readonly platform: NodeJS.Platform
  /** Whether there is a window, which plays the alert sounds itself. */
  readonly window: () => boolean
  readonly show: () => void
  /** Snoozes an alert by id, for `forMs`. */
  readonly snooze: (alert: string, forMs: number) => void
  /** Turns an alert off by id. */
  readonly switchOff: (alert: string) => void
}

const SNOOZE_MS = 15 * 60_000
/** Notifications kept referenced: a garbage-collected one loses its click handler. */
const HELD = 20
const held = new Set<Notification>()

/** The buttons of a notification. An alert that won't fire again has nothing to turn off. */
function offers({ alert, again = false }: Notice, host: NoticeHost): readonly { text: string; run: () => void }[] {
  // Electron supports buttons only on these two.
  if (alert === undefined || (host.platform !== 'darwin' && host.platform !== 'win32')) return []
  return [
    { text: t('Snooze for 15 minutes'), run: () => host.snooze(alert, SNOOZE_MS) },
    ...(again ? [{ text: t('Turn this alert off'), run: () => host.switchOff(alert) }] : []),
  ]
}

/** Shows a notification, silent if a window plays the sound. Does nothing where notifications aren't supported. */
export function showNotice(notice: Notice, host: NoticeHost): void {
  if (!Notification.isSupported()) return
  const buttons = offers(notice, host)
  const notification = new Notification({
    title: notice.title,
    body: notice.body,
    silent: host.window(),
    ...(buttons.length > 0 ? { actions: buttons.map(({ text }) => ({ type: 'button', text })) } : {}),
  })
  for (const old of held) if (held.size >= HELD) held.delete(old)
  held.add(notification)
  const over = (): void => void held.delete(notification)
  notification.on('close', over)
  notification.on('click', () => {
    over()
    host.show()
  })
  notification.on('action', ({ actionIndex }) => {
    over()
    buttons[actionIndex]?.run()
  })
  notification.show()
}
