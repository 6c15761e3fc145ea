import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createOutput, type OutputParts } from '../../../../src/main/command-line/output.ts'

const errno = (code: string) => Object.assign(new Error(code), { code })

function parts(part: Partial<OutputParts> = {}, takesMore = true) {
  const events = new EventEmitter()
  let streamed = ''
  const failures: string[] = []
  const stream = {
    on: events.on.bind(events),
    once: events.once.bind(events),
    off: events.off.bind(events),
    write(text: string, done?: () => void) {
      streamed += text
      done?.()
      return takesMore
    },
  } as unknown as OutputParts['stream'] // the methods that output uses
  const output = createOutput({
    stream,
    fd: 1,
    isFile: () => false,
    writeSync: () => 0,
    onFailure: ({ code }) => failures.push(code ?? ''),
    signal: new AbortController().signal,
    ...part,
  })
  return {
    output,
    failures,
    events,
    streamed: () => streamed,
    fail: (code: string) => events.emit('error', errno(code)),
  }
}

describe('standard output', () => {
  it.each(['drain', 'error', 'close'])('waits for a full pipe until its %s', async (event) => {
    const { output, events } = parts({}, false)
    output.write('one\n')
    let waits = true
    const drained = output.drained().then(() => (waits = false))
    await Promise.resolve()
    expect(waits).toBe(true)
    events.emit(event, errno('EPIPE'))
    await drained
    expect(events.listenerCount('drain')).toBe(0)
  })

  it('waits no longer for a full pipe once the command must end', async () => {
    const stopping = new AbortController()
    const { output, events } = parts({ signal: stopping.signal }, false)
    output.write('one\n')
    const drained = output.drained()
    stopping.abort('terminate')
    await drained
    expect(['drain', 'error', 'close'].map((name) => events.listenerCount(name))).toEqual([0, 1, 0])
    output.write('two\n')
    await output.drained()
  })

  /** A pipe whose reader takes what `take` takes. */
  function stalled(signal: AbortSignal) {
    const waiting: { readonly bytes: number; readonly done?: (() => void) | undefined }[] = []
    const stream = {
      ...new EventEmitter(),
      on: () => undefined,
      get writableLength() {
        return waiting.reduce((sum, { bytes }) => sum + bytes, 0)
      },
      write: (text: string, done?: () => void) => waiting.push({ bytes: text.length, done }) < 0,
    } as unknown as OutputParts['stream'] // the methods that output uses
    return { output: parts({ stream, signal, patienceMs: 20 }).output, take: () => waiting.shift()?.done?.() }
  }

  it('gives a reader that stands still up once the command must end, and says so', async () => {
    const stopping = new AbortController()
    const { output } = stalled(stopping.signal)
    output.write('one\n')
    const flushed = output.flush()
    stopping.abort('interrupt')
    await flushed
    expect(output.failure?.message).toBe('the program that reads it didn’t take everything in time')
  })

  it('waits for a slow reader, also once the command must end', async () => {
    const { output, take } = stalled(AbortSignal.abort('terminate'))
    output.write('one\n')
    output.write('two\n')
    const flushed = output.flush()
    take()
    take()
    take()
    await flushed
    expect(output.failure).toBe(null)
  })

  it('writes a file to its end, however little the disk takes at once', () => {
    let written = ''
    const writeSync = (_fd: number, bytes: Uint8Array) => {
      written += Buffer.from(bytes.subarray(0, 3)).toString('latin1')
      return Math.min(3, bytes.length)
    }
    const { output, streamed } = parts({ isFile: () => true, writeSync })
    output.write('{"whole":true}\n')
    expect([written, streamed(), output.failure]).toEqual(['{"whole":true}\n', '', null])
  })

  it.each(['ENOSPC', 'EIO', 'EBADF'])(
    'keeps a write that failed with %s as its failure, and writes no more',
    (code) => {
      let calls = 0
      const writeSync = (): number => {
        calls += 1
        throw errno(code)
      }
      const { output, failures } = parts({ isFile: () => true, writeSync })
      output.write('one\n')
      output.write('two\n')
      expect([calls, output.failure?.code, failures]).toEqual([1, code, [code]])
    },
  )

  it('takes a pipe without a reader for the end, not for a failure', async () => {
    const { output, failures, streamed, fail } = parts()
    output.write('one\n')
    fail('EPIPE')
    output.write('two\n')
    await output.flush()
    expect([streamed(), output.failure, failures]).toEqual(['one\n', null, ['EPIPE']])
  })

  it('keeps any other error of a pipe', () => {
    const { output, fail } = parts()
    fail('EIO')
    expect(output.failure?.code).toBe('EIO')
  })
})
