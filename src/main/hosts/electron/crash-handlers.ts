/** The question after a window died again and again. */
import { dialog } from 'electron'
import type { Terminal } from '../open-terminal.ts'

/** `safe`: back in safe mode. `again`: back as it was. `close`: the window goes, the terminal stays as it is. */
export type DeathAnswer = 'safe' | 'again' | 'close'

/** Offers safe mode where it is not on already. */
export async function askAfterDeaths(terminal: Pick<Terminal, 'info' | 'status'>): Promise<DeathAnswer> {
  const answers: readonly DeathAnswer[] = terminal.info.safe === true ? ['again', 'close'] : ['safe', 'again', 'close']
  const words: Readonly<Record<DeathAnswer, string>> = {
    safe: 'Safe mode',
    again: 'Try again as it was',
    close: 'Close the window',
  }
  const recording = terminal.status().recorder.is === 'recording' ? ' Recording goes on meanwhile.' : ''
  const { response } = await dialog.showMessageBox({
    type: 'warning',
    title: 'Tapedeck’s window ended',
    message: 'The window ended by itself three times within two minutes.',
    detail: `Safe mode shows ready-made panes and looks; what you arranged is kept as it is, and can be gone back to at any time.${recording}`,
    buttons: answers.map((one) => words[one]),
    defaultId: 0,
    cancelId: answers.indexOf('again'),
    noLink: true,
  })
  return answers[response] ?? 'again'
}
