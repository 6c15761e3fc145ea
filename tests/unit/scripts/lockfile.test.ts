import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Locked {
  readonly version?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

// A lockfile made where a registry lacked some platforms' packages leaves them out, and `npm ci` then
// refuses to install anywhere.
test('the lockfile holds the packages of every platform', () => {
  const lock: unknown = JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8'))
  const packages = (lock as { packages: Record<string, Locked> }).packages // the format of lockfileVersion 3
  const missing: string[] = []
  for (const [path, { optionalDependencies = {} }] of Object.entries(packages)) {
    for (const name of Object.keys(optionalDependencies)) {
      const folders = path
        .split('/node_modules/')
        .map((_part, i, parts) => parts.slice(0, i + 1).join('/node_modules/'))
      const places = ['', ...folders.filter((folder) => folder !== '').map((folder) => `${folder}/`)]
      if (!places.some((place) => packages[`${place}node_modules/${name}`])) missing.push(`${name} of ${path}`)
    }
  }
  expect(missing).toEqual([])
})
