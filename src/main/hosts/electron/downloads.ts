/** Files that a window saves: Electron asks the user where, and here is seen to what it may be and how it ended. */
import { dialog, type Session } from 'electron'
import type { LogEntry } from '../../../shared/core/status/status.ts'
import { isOwnPage } from './security.ts'

const BLOB = 'blob:'

/** Whether a download is what a page of ours made itself: nothing is ever fetched from elsewhere. */
export function isOwnFile(url: string, ownUrl: string): boolean {
  return url.startsWith(BLOB) && isOwnPage(url.slice(BLOB.length), ownUrl)
}

/** Denies every other download. Says when one that the user wanted could not be written; a cancelled one is no failure. */
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
