/** A service for the soak, in a process of its own: the demo's symbols at a rate that does not change. */
import { startSimulator } from '../src/simulator/simulator.ts'

const messagesPerSecond = Number(process.argv[2])
const service = await startSimulator({
  dataDir: new URL('../resources/demo/', import.meta.url),
  market: { kind: 'load', messagesPerSecond },
})
const { baseUrl, username, password } = service
process.stdout.write(`${JSON.stringify({ baseUrl, username, password })}\n`)
process.once('SIGINT', () => void service.close().then(() => process.exit(0)))
