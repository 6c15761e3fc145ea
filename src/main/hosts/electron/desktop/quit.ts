/** The question before a session of a real market ends. */
import { dialog } from 'electron'
import type { Terminal } from '../../open-terminal.ts'

/** `end`: quit. `window`: close the windows and keep recording in the tray. `stay`: cancel. */
export type QuitAnswer = 'end' | 'window' | 'stay'

const SAVED = {
  title: 'Tapedeck is recording',
  message: 'Quit and stop recording?',
  detail: 'The recording is saved. Messages sent while Tapedeck is closed can’t be recovered later.',
  window: 'Close the window, keep recording',
  checkboxLabel: 'Don’t ask again',
}
/** Without “Don’t ask again”: unsaved messages are always asked about. */
const UNSAVED = {
  title: 'Tapedeck can’t save messages',
  message: 'Quit and lose unsaved messages?',
  detail:
    'The store can’t be written to. Messages still in memory will be lost, and messages sent while Tapedeck is closed can’t be recovered later.',
  window: 'Close the window, keep trying',
}

/**
 * `window`: whether to offer closing the window and continuing to record. `isUnsaved`: messages wait in memory because
 * the store can't be written to.
 */
export async function askToQuit(
  terminal: Pick<Terminal, 'setSettings' | 'log'>,
  window: boolean,
  isUnsaved: boolean,
): Promise<QuitAnswer> {
  const answers: readonly QuitAnswer[] = window ? ['end', 'window', 'stay'] : ['end', 'stay']
  const cancel = answers.indexOf('stay')
  const { window: closing, ...texts } = isUnsaved ? UNSAVED : SAVED
  const labels: Readonly<Record<QuitAnswer, string>> = { end: 'Quit', window: closing, stay: 'Cancel' }
  const { response, checkboxChecked } = await dialog.showMessageBox({
    type: 'question',
    ...texts,
    buttons: answers.map((one) => labels[one]),
    defaultId: cancel,
    cancelId: cancel,
    noLink: true,
  })
  const answer = answers[response] ?? 'stay'
  if (checkboxChecked && answer === 'end') {
    try {
      await terminal.setSettings({ desktop: { askOnQuit: false } })
    } catch (thrown) {
      // A full disk must not block quitting; the question is asked again next time.
      terminal.log('warn', 'desktop', 'Couldn’t save “Don’t ask again”', String(thrown))
    }
  }
  return answer
}
