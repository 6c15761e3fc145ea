import { expect, it, vi } from 'vitest'
import { buffersOf, Caller, isCanceled, type Request } from '../../../../../../src/main/core/store/rpc/rpc.ts'
import { CodedError } from '../../../../../../src/shared/base/errors.ts'

interface Methods {
  add(a: number, b: number): number
  tell(text: string): void
}

function caller() {
  const posted: Request<Methods>[] = []
  const buffers: ArrayBuffer[][] = []
  const calls = new Caller<Methods>((request, transfer) => {
    posted.push(request)
    buffers.push(transfer)
  })
  return { calls, posted, buffers }
}

it('settles each call with its own reply, in any order', async () => {
  const { calls, posted } = caller()
  const first = calls.call('add', [1, 2])
  const second = calls.call('add', [3, 4])
  expect(posted).toMatchObject([
    { method: 'add', args: [1, 2], call: 1 },
    { method: 'add', args: [3, 4], call: 2 },
  ])
  const failure = {
    code: 'disk-full',
    message: 'The disk is full.',
    hint: 'Free some space.',
    detail: 'SQLITE_FULL',
  } as const
  calls.settle({ is: 'failed', call: 2, failure })
  expect(calls.isIdle).toBe(false)
  calls.settle({ is: 'done', call: 1, value: 3 })
  expect(calls.isIdle).toBe(true)
  await expect(first).resolves.toBe(3)
  await expect(second).rejects.toMatchObject({
    code: 'disk-full',
    message: 'The disk is full.',
    hint: 'Free some space.',
    cause: { message: 'SQLITE_FULL' },
  })
})

it('reports progress until the reply', () => {
  const { calls } = caller()
  const onProgress = vi.fn()
  void calls.call('add', [1, 2], { onProgress })
  calls.settle({ is: 'progress', call: 1, done: 0.5, messages: 7 })
  calls.settle({ is: 'done', call: 1, value: 3 })
  calls.settle({ is: 'progress', call: 1, done: 1, messages: 9 })
  expect(onProgress.mock.calls).toEqual([[0.5, 7]])
})

it('transfers buffers, and expects no reply to a one-way call', () => {
  const { calls, posted, buffers } = caller()
  const bytes = new Uint8Array(4)
  const columns = {
    count: 1,
    bytes,
    again: new Uint8Array(bytes.buffer),
    shared: new Uint8Array(new SharedArrayBuffer(4)),
  }
  calls.send('tell', ['x'], buffersOf(columns))
  expect(posted).toMatchObject([{ method: 'tell', args: ['x'], call: 0 }])
  expect(buffers).toEqual([[bytes.buffer]])
  expect(calls.isIdle).toBe(true)
})

it('rejects every pending call when no reply will come', async () => {
  const { calls } = caller()
  const pending = [calls.call('add', [1, 2]), calls.call('add', [3, 4])]
  const gone = new CodedError('disk-error', 'The thread ended.')
  calls.rejectAll(gone)
  for (const call of pending) await expect(call).rejects.toBe(gone)
  calls.settle({ is: 'done', call: 1, value: 3 }) // a late reply is ignored
  expect(calls.isIdle).toBe(true)
})

it.each(['before the call', 'during the call', 'after the reply'])('shows a cancellation to the thread: %s', (when) => {
  const { calls, posted } = caller()
  const abort = new AbortController()
  if (when === 'before the call') abort.abort()
  void calls.call('add', [1, 2], { signal: abort.signal })
  if (when === 'after the reply') calls.settle({ is: 'done', call: 1, value: 3 })
  abort.abort()
  expect(isCanceled(posted[0])).toBe(when !== 'after the reply')
})
