/** A second market data service, as a process of its own: `tapedeck simulate`, with its control paths. */
import type { FaultName } from '../../src/simulator/faults.ts'
import type { Sent } from '../../src/simulator/simulator.ts'
import { appEnv, ended, startCli } from './app.ts'

export interface SimulatorProcess {
  readonly baseUrl: string
  readonly username: string
  readonly password: string
  readonly apiKey: string
  /** Does a fault of the table in `src/simulator/faults.ts`. */
  fault(name: FaultName, params?: Readonly<Record<string, unknown>>): Promise<void>
  /** What it sent since its start, by its own count. */
  sent(): Promise<Sent>
  close(): Promise<void>
}

/** Starts a simulator; `home` is a folder that it may write to. */
export async function startSimulator(home: string, args: readonly string[] = []): Promise<SimulatorProcess> {
  interface First {
    readonly base_url: string
    readonly username: string
    readonly password: string
    readonly api_key: string
  }
  const { child, first } = await startCli<First>(['simulate', ...args], appEnv(home))
  const control = (path: string) => `${first.base_url}/__simulator/${path}`
  return {
    baseUrl: first.base_url,
    username: first.username,
    password: first.password,
    apiKey: first.api_key,
    async fault(name, params = {}) {
      const body = JSON.stringify({ fault: name, ...params })
      const response = await fetch(control('fault'), { method: 'POST', body })
      if (!response.ok) throw new Error(`fault ${name}: ${response.status} ${await response.text()}`)
    },
    async sent() {
      const response = await fetch(control('sent'))
      if (!response.ok) throw new Error(`sent: ${response.status} ${await response.text()}`)
      return (await response.json()) as Sent // its own handler wrote it
    },
    async close() {
      child.kill('SIGINT')
      await ended(child, 'the simulator')
    },
  }
}
