/** Asks a person at a terminal for a line, which isn't echoed if it is a secret. */
import { CodedError } from '../../shared/base/errors.ts'

/** The parts of standard input that asking needs. */
export interface TerminalInput {
  setRawMode(on: boolean): unknown
  on(event: 'data', listener: (data: Buffer | string) => void): unknown
  off(event: 'data', listener: (data: Buffer | string) => void): unknown
  resume(): unknown
  pause(): unknown
}

/**
 * Prints `question` and resolves with the line that is typed, without its end. Backspace and Ctrl+U edit it. Rejects with
 * `cancelled` after Ctrl+C, which it reports to `interrupt`, and Ctrl+D.
 */
export function ask(
  input: TerminalInput,
  print: (text: string) => void,
  question: string,
  { hidden, interrupt }: { readonly hidden: boolean; readonly interrupt: () => void },
): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = ''
    const done = (settle: () => void): void => {
      input.off('data', onData)
      input.setRawMode(false)
      input.pause()
      print('\n')
      settle()
    }
    const cancel = (): void => done(() => reject(new CodedError('cancelled', 'Nothing was entered.')))
    const onData = (data: Buffer | string): void => {
      for (const letter of String(data)) {
        if (letter === '\r' || letter === '\n') return done(() => resolve(line))
        if (letter === '\u0003') {
          interrupt()
          return cancel()
        }
        if (letter === '\u0004') return cancel()
        const before = line
        if (letter === '\u007f' || letter === '\b') line = [...line].slice(0, -1).join('')
        else if (letter === '\u0015') line = ''
        else if (letter >= ' ') line += letter
        if (hidden) continue
        print(
          line.startsWith(before)
            ? line.slice(before.length)
            : `${'\b \b'.repeat([...before].length - [...line].length)}`,
        )
      }
    }
    // First, so that the terminal echoes nothing of a fast typist.
    input.setRawMode(true)
    input.on('data', onData)
    input.resume()
    print(question)
  })
}
