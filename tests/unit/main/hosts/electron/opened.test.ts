import { expect, test } from 'vitest'
import { filesIn, linksIn } from '../../../../../src/main/hosts/electron/opened.ts'

test('distinguishes files, links and options', () => {
  const words = ['.', '--safe-mode', '/data/monday.tapedeck', 'b.TAPEDECK', 'tapedeck://sessions', '--x.tapedeck']
  expect(filesIn(words)).toEqual(['/data/monday.tapedeck', 'b.TAPEDECK'])
  expect(linksIn(words)).toEqual(['tapedeck://sessions'])
})

test.each([
  'tapedeck://x/../../../../home/you/secret.tapedeck',
  'tapedeck:/etc/../home/you/a.tapedeck',
  'TAPEDECK://host\\share\\a.tapedeck',
  'tapedeck:\\\\host\\share\\a.tapedeck',
])('a link that ends like a file names none: %s', (link) => {
  expect(filesIn([link])).toEqual([])
})
