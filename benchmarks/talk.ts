/** Processes of the soak and of the window's bench: each line of standard input is an order, each answer a line. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Talk {
  readonly child: ChildProcess
  readonly lines: Interface
}

/** Starts a script beside this one. */
export function node(file: string, ...args: string[]): Talk {
  const script = fileURLToPath(new URL(file, import.meta.url))
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  return { child, lines: createInterface({ input: child.stdout }) }
}

/** The next line of a process of ours, which says what its own script writes. */
export async function next<T>({ lines }: Talk): Promise<T> {
  const [line] = (await once(lines, 'line')) as [string] // what readline gives
  return JSON.parse(line) as T // as the caller knows of the script
}

export function ask<T>(talk: Talk, order: string): Promise<T> {
  const answer = next<T>(talk)
  talk.child.stdin?.write(`${order}\n`)
  return answer
}

/** Lets it end in its own way. */
export async function end({ child }: Talk): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  await ended
}
