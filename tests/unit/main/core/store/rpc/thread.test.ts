/** The threads of the store. */
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { startThread } from '../../../../../../src/main/core/store/rpc/thread.ts'

it('limits the young objects of a thread', async () => {
  const module = new URL('data:text/javascript,import{parentPort}from"node:worker_threads";parentPort.postMessage({is:"opened",notices:[]})') // oxfmt-ignore
  const { thread, opened } = startThread(module, 'store', { name: 'test', hint: '' }, { onReply: () => {}, onEnd: () => {} }) // oxfmt-ignore
  const ended = once(thread, 'exit')
  expect(thread.resourceLimits?.maxYoungGenerationSizeMb).toBe(24)
  await opened
  await ended
})
