/** The question before a session of a real market ends. */
import { dialog } from 'electron'
import type { Terminal } from '../../open-terminal.ts'

/** `end`: quit. `window`: close the windows and keep recording in the tray. `stay`: cancel. */
export type QuitAnswer = 'end' | 'window' | 'stay'

const WORDS: Readonly<Record<QuitAnswer, string>> = {
  end: 'Quit',
  window: 'Close the window, keep recording',
  stay: 'Cancel',
}

/** `window`: whether to offer closing the window and continuing to record. */
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
      // A full disk must not block quitting; the question is asked again next time.
      terminal.log('warn', 'desktop', 'Couldn’t save “Don’t ask again”', String(thrown))
    }
  }
  return answer
}
