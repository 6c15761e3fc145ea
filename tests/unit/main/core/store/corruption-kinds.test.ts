/** A small part of the loss test `damage`, which runs 1,000 of each kind. */
import { expect, it } from 'vitest'
import { damage } from '../../../../loss/damage.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'

it('detects flips, swaps, zeroed pages and cut ends of database and log, after a clean end and after kill -9', async () => {
  const folder = makeStoreFolder()
  try {
    expect(await damage(folder.path, 15, () => undefined)).toMatch(/^180 damages, 0 missed/)
  } finally {
    folder.remove()
  }
})
