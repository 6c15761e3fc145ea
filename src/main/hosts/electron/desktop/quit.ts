/** The one question before a recording of a real market is ended. */
import { dialog } from 'electron'
import type { Terminal } from '../../open-terminal.ts'

/** `end`: quit. `window`: only the windows close, the recording goes on in the tray. `stay`: nothing. */
export type QuitAnswer = 'end' | 'window' | 'stay'

const WORDS: Readonly<Record<QuitAnswer, string>> = {
  end: 'Quit',
  window: 'Close the window, keep recording',
  stay: 'Cancel',
}

/** `window`: there is a window to close, and the app can be reached without one. */
export async function askToQuit(terminal: Pick<Terminal, 'setSettings' | 'log'>, window: boolean): Promise<QuitAnswer> {
  const answers: readonly QuitAnswer[] = window ? ['end', 'window', 'stay'] : ['end', 'stay']
  const cancel = answers.indexOf('stay')
  const { response, checkboxChecked } = await dialog.showMessageBox({
    type: 'question',
    title: 'Tapedeck is recording',
    message: 'Quit and stop recording?',
    detail: 'The recording is saved. Messages sent while Tapedeck is closed can’t be recovered later.',
    buttons: answers.map((one) => WORDS[one]),
    defaultId: cancel,
    cancelId: cancel,
    noLink: true,
    checkboxLabel: 'Don’t ask again',
  })
  const answer = answers[response] ?? 'stay'
  if (checkboxChecked && answer === 'end') {
    try {
      await terminal.setSettings({ desktop: { askOnQuit: false } })
    } catch (thrown) {
      // A full disk is no reason to stay: the question is asked once more next time.
      terminal.log('warn', 'desktop', 'Couldn’t save “Don’t ask again”', String(thrown))
    }
  }
  return answer
}
