/** Surroundings of a command that runs in the test's own process. */
import { systemClock } from '../../../../../src/main/base/clock.ts'
import type { Context } from '../../../../../src/main/command-line/command.ts'

const sources = new URL('../../../../../src/main/', import.meta.url)

export interface TestContext extends Context {
  output(): string
  errors(): string
}

export function commandContext(part: Partial<Context> = {}): TestContext {
  let out = ''
  let err = ''
  return {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    output: () => out,
    errors: () => err,
    interactive: false,
    signal: new AbortController().signal,
    env: {},
    clock: systemClock,
    dataDir: '/nowhere',
    version: '0.0.0',
    workers: {
      store: new URL('store-worker.ts', sources),
      reader: new URL('reader-worker.ts', sources),
      imports: undefined,
      simulator: new URL('../simulator/worker.ts', sources),
    },
    demoData: new URL('../../../../../resources/demo/', import.meta.url),
    rendererDir: '/nowhere',
    ...part,
  }
}
