/** Processor time of short commands, beside a bare Node that does nothing. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { row, type Row } from './row.ts'

const CLI = fileURLToPath(new URL('../out/main/cli.js', import.meta.url))
/** Writes the processor time of the process to its fourth stream, µs; in both alike. */
const MEASURE =
  'import{writeSync}from"node:fs";process.on("exit",()=>{const{user,system}=process.cpuUsage();writeSync(3,String(user+system))})'

/** Processor time of Node with these arguments, ms. */
function cpuMs(args: readonly string[]): number {
  const { status, output } = spawnSync(process.execPath, ['--import', `data:text/javascript,${MEASURE}`, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`)
  return Number(output[3]) / 1_000
}

/** `--version` and `--help` load no command, and `record --help` loads the largest one. The best of `times` each, in turn. */
export function benchStartup(times: number): readonly Row[] {
  const commands = [['--version'], ['--help'], ['record', '--help']]
  const best = { bare: Infinity, commands: commands.map(() => Infinity) }
  for (let i = 0; i < times; i++) {
    best.bare = Math.min(best.bare, cpuMs(['-e', '0']))
    commands.forEach((args, at) => (best.commands[at] = Math.min(best.commands[at], cpuMs([CLI, ...args]))))
  }
  return commands.map((args, at) =>
    row({
      name: `CPU of tapedeck ${args.join(' ')}`,
      unit: 'ms',
      ours: best.commands[at],
      peer: best.bare,
      peerName: 'bare Node',
      goal: args[0] === 'record' ? null : { is: 'at most', ratio: 2 },
    }),
  )
}
