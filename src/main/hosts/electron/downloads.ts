/** Files that a window saves: Electron asks where; this module denies foreign downloads and reports failures. */
import { dialog, type Session } from 'electron'
import type { LogEntry } from '../../../shared/core/status/status.ts'
import { isOwnPage } from './security.ts'

const BLOB = 'blob:'

/** Whether our own page created this download. Nothing is ever downloaded from elsewhere. */
export function isOwnFile(url: string, ownUrl: string): boolean {
  return url.startsWith(BLOB) && isOwnPage(url.slice(BLOB.length), ownUrl)
}

/** Denies every other download, and tells the user if saving failed. A canceled download isn't a failure. */
export function followSaves(
  session: Session,
  ownUrl: string,
  log: (level: LogEntry['level'], text: string, detail?: string) => void,
): void {
  session.on('will-download', (event, item) => {
    if (!isOwnFile(item.getURL(), ownUrl)) {
      event.preventDefault()
      log('warn', 'A page’s attempt to download a file was denied')
      return
    }
    item.once('done', (_event, state) => {
      if (state !== 'interrupted') return
      const path = item.getSavePath() || item.getFilename()
      log('error', 'Couldn’t save a file', path)
      void dialog.showMessageBox({
        type: 'error',
        message: 'Couldn’t save the file.',
        detail: `${path}\n\nCheck that the folder exists, is writable and has free space, then save the file again.`,
        noLink: true,
      })
    })
  })
}
