/** A worker thread that reads one HTTP response and reports its size and, for lines with `recv_ms`, their arrival. */
import { get } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

const { url, key, isTimed } = workerData as { url: string; key: string; isTimed: boolean } // as benchmarks/served.ts sends

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
  response.on('end', () => parentPort?.postMessage({ bytes, ms: performance.now() - from, arrivals }))
})
