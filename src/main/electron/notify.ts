/** Notifications of the system: a click brings the window to the front. */
import { BrowserWindow, Notification } from 'electron'
import type { Notice } from '../alerts/port.ts'

/** Shown without the system's own sound: an alert brings its own. Nothing happens where the system has none. */
export function showNotice({ title, body }: Notice): void {
  if (!Notification.isSupported()) return
  const notification = new Notification({ title, body, silent: true })
  notification.on('click', () => {
    const [window] = BrowserWindow.getAllWindows()
    if (window === undefined) return
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
  })
  notification.show()
}
