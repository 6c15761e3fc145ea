/** The one question before a recording of a real market is ended. */
import { dialog } from 'electron'
import type { Terminal } from '../terminal/port.ts'

/** `end`: quit. `window`: only the windows close, the recording goes on in the tray. `stay`: nothing. */
export type QuitAnswer = 'end' | 'window' | 'stay'

const ANSWERS: readonly QuitAnswer[] = ['end', 'window', 'stay']

export async function askToQuit(terminal: Terminal): Promise<QuitAnswer> {
  const { response, checkboxChecked } = await dialog.showMessageBox({
    type: 'question',
    title: 'Tapedeck is recording',
    message: 'Tapedeck is recording. Quit and end the recording?',
    detail:
      'The recording is closed cleanly and nothing of it is lost. What is sent while Tapedeck is closed is never received.',
    buttons: ['Quit', 'Close the window, keep recording', 'Cancel'],
    defaultId: 2,
    cancelId: 2,
    noLink: true,
    checkboxLabel: 'Do not ask again',
  })
  const answer = ANSWERS[response] ?? 'stay'
  if (checkboxChecked && answer === 'end') await terminal.setSettings({ desktop: { askOnQuit: false } })
  return answer
}
