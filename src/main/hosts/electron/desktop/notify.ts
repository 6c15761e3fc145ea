/** Notifications of the system: a click brings the window to the front, buttons put off or switch off what rang. */
import { Notification } from 'electron'
import { t } from '../../../../shared/base/text.ts'
import type { Notice } from '../../../terminal/host.ts'

export interface NoticeHost {
  readonly platform: NodeJS.Platform
  /** A window is there, which makes the sounds of alerts itself. */
  readonly window: () => boolean
  readonly show: () => void
  /** Puts an alert off for as long as the button says, by its id. */
  readonly snooze: (alert: string, forMs: number) => void
  /** Switches an alert off, by its id. */
  readonly switchOff: (alert: string) => void
}

const SNOOZE_MS = 15 * 60_000
/** A notification that nobody holds loses its click; more than these are past anyway. */
const HELD = 20
const held = new Set<Notification>()

/** What can be done about an alert without the window. One that rang for the last time has nothing to switch off. */
function offers({ alert, again = false }: Notice, host: NoticeHost): readonly { text: string; run: () => void }[] {
  // Electron has buttons on these two alone.
  if (alert === undefined || (host.platform !== 'darwin' && host.platform !== 'win32')) return []
  return [
    { text: t('Snooze for 15 minutes'), run: () => host.snooze(alert, SNOOZE_MS) },
    ...(again ? [{ text: t('Turn this alert off'), run: () => host.switchOff(alert) }] : []),
  ]
}

/** Silent only where a window makes the sound. Nothing happens where the system has no notifications. */
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
