// `npm run sbom -- FILE`: the bill of materials of the app (CycloneDX), made of what is built here. `--cli` before FILE: of the
// package for servers.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import config from '../electron-builder.config.mjs'
import { isPacked, reachableHere } from './lib/cli-package.mjs'
import { PACKAGE } from './lib/deb.mjs'
import { findElectron } from './lib/electron.mjs'
import { root, stop } from './lib/ensure.mjs'
import { shippedPackages } from './lib/notices.mjs'
import { cycloneDx, purlOf } from './lib/sbom.mjs'

const json = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))

/** Electron, and what it brings, where its binary is here to be asked. */
function electron() {
  const { version } = json('node_modules/electron/package.json')
  const itself = { name: 'electron', version, licence: 'MIT', purl: purlOf('electron', version) }
  const program = findElectron({})
  if (!program) return [itself]
  const asked = execFileSync(program, ['-p', 'JSON.stringify(process.versions)'], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    encoding: 'utf8',
  })
  const versions = JSON.parse(asked)
  const inside = { chromium: [versions.chrome, 'BSD-3-Clause'], node: [versions.node, 'MIT'] }
  return [
    itself,
    ...Object.entries(inside).map(([name, [version, licence]]) => ({
      name,
      version,
      licence,
      purl: `pkg:generic/${name}@${version}`,
    })),
  ]
}

const args = process.argv.slice(2)
const isCli = args.includes('--cli')
const file = args.find((word) => !word.startsWith('--'))
if (file === undefined) stop('Name the file to write: npm run sbom -- dist/tapedeck.cdx.json')
const about = json('package.json')
const locked = json('package-lock.json').packages
/** Packages that others name as their dependencies, and that are left out of the app as a whole. */
const leftOut = new Set(
  config.files.map((pattern) => /^!(node_modules\/(?:@[^/]+\/)?[^/*]+)\/\*\*$/.exec(pattern)?.[1]),
)
const ships = ({ path }) => (isCli ? isPacked(path) : !leftOut.has(path))
const all = shippedPackages(isCli ? reachableHere().packages : undefined)
const packages = all.filter(ships).map((one) => ({
  ...one,
  integrity: locked[one.path]?.integrity,
}))
const { node } = about.devDependencies
const platforms = isCli
  ? [{ name: 'node', version: node, licence: 'MIT', purl: `pkg:generic/node@${node}` }]
  : electron()
const bom = cycloneDx(isCli ? { ...about, name: PACKAGE } : about, packages, platforms, new Date().toISOString())
mkdirSync(dirname(resolve(file)), { recursive: true })
writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`)
console.log(`${file}: ${bom.components.length} components.`)
