/** `tapedeck simulate`: the demo market as a service of its own, on loopback. */
import { readFile } from 'node:fs/promises'
import { parseSchedule } from '../../../simulator/faults.ts'
import { startSimulator } from '../../../simulator/simulator.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { exitWhenStopped } from '../../command-line/exit.ts'
import { UsageError, wholeNumber, type Command } from '../../command-line/command.ts'
import { waitUntil } from '../../command-line/until.ts'

export const simulate: Command = {
  name: 'simulate',
  storeless: true,
  summary: 'Runs the demo market: every feed, token and REST endpoint, on loopback, until Ctrl+C or SIGTERM.',
  examples: [
    ['A market of its own on a free port', '--json'],
    ['Twenty times as fast, always the same', '--speed 20 --seed 7'],
  ],
  options: {
    port: { type: 'string', value: 'N', help: 'Port to listen on (default: any free one)' },
    speed: { type: 'string', value: 'X', help: 'How many seconds of the market pass in one (default: 1)' },
    seed: { type: 'string', value: 'N', help: 'Another market (default: 1)' },
    faults: {
      type: 'string',
      value: 'FILE',
      help: 'What goes wrong when: a JSON array of {"at": ms, "fault": name, …}',
    },
  },
  async run(values, context) {
    const speed = Number(values.text('speed') ?? 1)
    if (!(speed > 0 && speed <= 1_000)) throw new UsageError('--speed takes a number above 0, at most 1000')
    const port = wholeNumber(values, 'port', 0, 65_535) ?? 0
    const seed = wholeNumber(values, 'seed', 0, 0xffff_ffff) ?? 1
    const file = values.text('faults')
    const faults = file === undefined ? [] : parseSchedule(await readText(file))
    const simulator = await startSimulator({ port, speed, seed, faults, dataDir: context.demoData }).catch(
      (cause: unknown) => {
        if (cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE') {
          throw new CodedError('not-allowed', `Port ${port} is taken.`, {
            hint: 'Give another one with --port, or none.',
            cause,
          })
        }
        throw cause
      },
    )
    const { baseUrl, username, password, apiKey } = simulator
    if (values.on('json')) {
      context.out(`${JSON.stringify({ base_url: baseUrl, username, password, api_key: apiKey })}\n`)
    } else {
      context.out(`base URL  ${baseUrl}\nuser      ${username}\npassword  ${password}\nAPI key   ${apiKey}\n`)
      context.err('The demo market is open. Ctrl+C closes it.\n')
    }
    await waitUntil(context.clock, context.signal, null)
    await simulator.close()
    return exitWhenStopped(context.signal)
  },
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new CodedError('usage', `The fault schedule ${file} cannot be read.`, { cause })
  }
}
