import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SRC = new URL('../../../src/', import.meta.url)

/** The internal modules of Node that are loaded with a file of ours. */
function loadedWith(file: string): string {
  const script = `await import(process.argv[1]); console.log(process.moduleLoadList.join('\\n'))`
  return execFileSync(process.execPath, ['--input-type=module', '-e', script, fileURLToPath(new URL(file, SRC))], {
    encoding: 'utf8',
  })
}

test.each(['main/hosts/cli/serve.ts', 'simulator/simulator.ts'])('%s doesn’t load Node’s own HTTP client', (file) => {
  const loaded = loadedWith(file)
  expect(loaded).toContain('NativeModule http')
  expect(loaded).not.toContain('undici')
})
