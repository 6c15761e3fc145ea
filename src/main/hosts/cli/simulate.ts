/** `tapedeck simulate`: serves the demo market on loopback. */
import { jsonLine } from '../../base/json-schema.ts'
import { readFile } from 'node:fs/promises'
import { parseSchedule } from '../../../simulator/faults.ts'
import { startSimulator } from '../../../simulator/simulator.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { exitWhenStopped } from '../../command-line/exit.ts'
import { defineCommand, UsageError, wholeNumber } from '../../command-line/command.ts'
import { waitUntil } from '../../base/clock.ts'

export const simulate = defineCommand({
  storeless: true,
  examples: [
    ['On a free port, with its address and account as JSON', '--json'],
    ['Twenty times as fast, with a fixed seed', '--speed 20 --seed 7'],
  ],
  options: {
    port: { type: 'string', value: 'N', help: 'Port to listen on (default: any free port)' },
    speed: { type: 'string', value: 'X', help: 'Market seconds per real second (default: 1)' },
    seed: { type: 'string', value: 'N', help: 'Seed of the market (default: 1)' },
    faults: {
      type: 'string',
      value: 'FILE',
      help: 'Faults to inject: a JSON array of {"at": ms, "fault": name, …}',
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
          throw new CodedError('not-allowed', `Port ${port} is already in use.`, {
            hint: 'Choose another port, or leave out --port.',
            cause,
          })
        }
        throw cause
      },
    )
    const { baseUrl, username, password, apiKey } = simulator
    if (values.on('json')) {
      context.out(jsonLine('simulate', { base_url: baseUrl, username, password, api_key: apiKey }))
    } else {
      context.out(`base URL  ${baseUrl}\nuser      ${username}\npassword  ${password}\nAPI key   ${apiKey}\n`)
      context.err('The demo market is running. Press Ctrl+C to stop it.\n')
    }
    await waitUntil(context.clock, context.signal, null)
    await simulator.close()
    return exitWhenStopped(context.signal)
  },
})

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new CodedError('usage', `Couldn’t read the fault schedule ${file}.`, { hint: 'Check the path.', cause })
  }
}
