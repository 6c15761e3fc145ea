/** Notifications of the system: a click brings the window to the front, a button switches off what rang. */
import { Notification } from 'electron'
import type { Notice } from '../alerts/port.ts'

export interface NoticeHost {
  readonly platform: NodeJS.Platform
  /** A window is there, which makes the sounds of alerts itself. */
  readonly window: () => boolean
  readonly show: () => void
  /** Switches an alert off, by its id. */
  readonly switchOff: (alert: string) => void
}

/** A notification that nobody holds loses its click; more than these are past anyway. */
const HELD = 20
const held = new Set<Notification>()

/** Silent only where a window makes the sound. Nothing happens where the system has no notifications. */
export function showNotice({ title, body, alert }: Notice, host: NoticeHost): void {
  if (!Notification.isSupported()) return
  // Electron has buttons on these two alone.
  const buttons = alert !== undefined && (host.platform === 'darwin' || host.platform === 'win32')
  const notification = new Notification({
    title,
    body,
    silent: host.window(),
    ...(buttons ? { actions: [{ type: 'button', text: 'Switch this alert off' }] } : {}),
  })
  for (const old of held) if (held.size >= HELD) held.delete(old)
  held.add(notification)
  const over = (): void => void held.delete(notification)
  notification.on('close', over)
  notification.on('click', () => {
    over()
    host.show()
  })
  notification.on('action', () => {
    over()
    if (alert !== undefined) host.switchOff(alert)
  })
  notification.show()
}
