/**
 * A worker thread or process that reads one HTTP response and reports its size and, for lines with `recv_ms`, their
 * arrival.
 */
import { get } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

interface Task {
  readonly url: string
  readonly key: string
  readonly isTimed: boolean
}

// As benchmarks/served.ts passes it: to a thread as it is, to a process as its argument.
const { url, key, isTimed } = (workerData ?? JSON.parse(process.argv[2])) as Task

const arrivals: number[] = []
let bytes = 0
let rest = ''
const from = performance.now()
get(url, { headers: { authorization: `Bearer ${key}` } }, (response) => {
  response.on('data', (piece: Buffer) => {
    bytes += piece.length
    if (!isTimed) return
    const atMs = performance.now()
    const lines = (rest + piece.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) arrivals.push(atMs - Number(/"recv_ms":(\d+)/.exec(line)?.[1]))
  })
  response.on('end', () => {
    const received = { bytes, ms: performance.now() - from, arrivals }
    if (parentPort === null) process.send?.(received)
    else parentPort.postMessage(received)
  })
})
