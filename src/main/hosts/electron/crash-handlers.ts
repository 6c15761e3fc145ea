/** The question after a window has crashed several times. */
import { dialog } from 'electron'
import type { Terminal } from '../open-terminal.ts'

/** `safe`: back in safe mode. `again`: back as it was. `close`: the window goes, the terminal stays as it is. */
export type DeathAnswer = 'safe' | 'again' | 'close'

/** Asks what to do, and offers safe mode unless it is already on. */
export async function askAfterDeaths(terminal: Pick<Terminal, 'info' | 'status'>): Promise<DeathAnswer> {
  const answers: readonly DeathAnswer[] = terminal.info.safe === true ? ['again', 'close'] : ['safe', 'again', 'close']
  const words: Readonly<Record<DeathAnswer, string>> = {
    safe: 'Safe mode',
    again: 'Reopen normally',
    close: 'Close the window',
  }
  const recording = terminal.status().recorder.is === 'recording' ? ' Recording continues.' : ''
  const { response } = await dialog.showMessageBox({
    type: 'warning',
    title: 'Tapedeck’s window crashed',
    message: 'The window crashed three times within two minutes.',
    detail: `Safe mode starts with the default panes and theme. Your own stay unchanged, and you can return to them at any time.${recording}`,
    buttons: answers.map((one) => words[one]),
    defaultId: 0,
    cancelId: answers.indexOf('again'),
    noLink: true,
  })
  return answers[response] ?? 'again'
}
