/** A finished file gets its name only if nobody else took it, where that matters. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { createSafeFile } from '../../../../src/main/base/file-sink.ts'
import { makeFolder } from '../../../kit/folder.ts'

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof fs>()
  return { ...real, link: vi.fn(real.link) }
})

async function written(path: string, text: string, replace: boolean) {
  const file = await createSafeFile(path, { replace })
  file.text(text)
  await file.finish()
  return file
}

it.each(['with', 'without'])('two programs can’t both write a new file %s hard links', async (links) => {
  if (links === 'without')
    vi.mocked(fs.link).mockRejectedValue(Object.assign(new Error('no links here'), { code: 'EPERM' }))
  const folder = makeFolder('name')
  const path = join(folder, 'day.csv')
  const [first, second] = [await written(path, 'first', false), await written(path, 'second', false)]
  const done = await Promise.allSettled([first.commit(), second.commit()])
  expect(done.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(done.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { code: 'usage', message: expect.stringContaining('day.csv already exists') as string },
  })
  await Promise.all([first.discard(), second.discard()])
  expect(readdirSync(folder)).toEqual(['day.csv'])
  expect(readFileSync(path, 'utf8')).toBe(done[0].status === 'fulfilled' ? 'first' : 'second')
})

it('replaces a file where that was asked for', async () => {
  const path = join(makeFolder('name'), 'day.csv')
  writeFileSync(path, 'old')
  await (await written(path, 'new', true)).commit()
  expect(readFileSync(path, 'utf8')).toBe('new')
})
