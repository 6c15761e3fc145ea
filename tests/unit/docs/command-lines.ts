/** Runs command lines of the documents in the test's own process, as a shell without expansions would. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { systemClock, type Clock } from '../../../src/main/base/clock.ts'
import type { StopReason } from '../../../src/main/command-line/exit.ts'
import { runCommandLine } from '../../../src/main/hosts/cli/run.ts'
import { unixMs } from '../../../src/shared/base/units.ts'
import { commandContext } from '../main/hosts/cli/context.ts'

/** Words of a line. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replace(/^(["'])(.*)\1$/, '$2'))

export interface Run {
  /** The data folder, where `< file` is read from, too. */
  readonly folder: string
  /** A built window. */
  readonly page?: string
  readonly env?: Readonly<Record<string, string>>
  /** Standard input, unless the line names a file. */
  readonly input?: string
  /** The time that the command takes for now, UTC ms. */
  readonly nowMs?: number
}

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** A command that may still run. */
export interface Running {
  out(): string
  err(): string
  readonly ended: Promise<Ran>
  /** Ends it as SIGTERM does. */
  end(): Promise<Ran>
}

const clockAt = (nowMs: number): Clock => ({ ...systemClock, wallMs: () => unixMs(nowMs) })

/** Starts what follows `tapedeck` in a line, up to a pipe or redirection. */
export function startLine(line: string, { folder, page, env, input, nowMs }: Run): Running {
  const [, args = '', file] = /^(.*?)(?:\s+<\s*(\S+)|\s+[|>].*)?$/.exec(line) ?? []
  const stop = new AbortController()
  const text = file === undefined ? Buffer.from(input ?? '') : readFileSync(join(folder, file))
  const context = commandContext({
    dataDir: folder,
    portable: true,
    signal: stop.signal,
    input: Readable.from([text]),
    ...(page === undefined ? {} : { rendererDir: page }),
    ...(env === undefined ? {} : { env }),
    ...(nowMs === undefined ? {} : { clock: clockAt(nowMs) }),
  })
  const [out, err] = [() => context.output(), () => context.errors()]
  const ended = runCommandLine(wordsOf(args), context).then((code) => ({ code, out: out(), err: err() }))
  return {
    out,
    err,
    ended,
    end() {
      stop.abort('terminate' satisfies StopReason)
      return ended
    },
  }
}

/** Runs it to its end. */
export const runLine = (line: string, options: Run): Promise<Ran> => startLine(line, options).ended
