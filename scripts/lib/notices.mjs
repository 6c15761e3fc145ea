// The licences of everything that is shipped: packages bundled into out/, and those that lie beside it in the package.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './ensure.mjs'

const json = (...path) => JSON.parse(readFileSync(join(root, ...path), 'utf8'))
const modules = join(root, 'node_modules')

/** Where a package lies that another one asks for: beside it, or further up. */
function found(name, from) {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
    const path = join(folder, 'node_modules', name)
    if (existsSync(join(path, 'package.json'))) return path
    if (!folder.includes('/node_modules/')) return undefined
  }
}

/** Folders of packages that are installed for running, with what they need; by default of all of them. */
export function runtime(names = Object.keys(json('package.json').dependencies)) {
  const folders = new Set()
  const add = (name, from) => {
    const path = found(name, from.replaceAll('\\', '/'))
    if (!path || folders.has(path)) return // optional and of another platform, or known
    folders.add(path)
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(path, 'package.json'), 'utf8'),
    )
    for (const inner of Object.keys({ ...dependencies, ...optionalDependencies })) add(inner, path)
  }
  for (const name of names) add(name, root)
  return folders
}

function bundled() {
  const folder = join(root, 'out', 'bundled')
  if (!existsSync(folder)) throw new Error('out/bundled is missing: run "npm run build" first')
  const code = readdirSync(folder).flatMap((file) => json('out', 'bundled', file))
  // Fonts come through style sheets, which are no modules.
  const fonts = Object.keys(json('package.json').devDependencies).filter((name) => name.startsWith('@fontsource'))
  return [...code, ...fonts].map((name) => join(modules, name))
}

/**
 * What ships, by name: in the app or, with the names of the `packages` it runs with, in the command line alone.
 * @param {readonly string[]} [packages]
 * @returns {{ name: string, version: string, licence: string, text: string, path: string }[]} `path` from the checkout
 */
export function shippedPackages(packages) {
  return [...new Set([...runtime(packages), ...bundled()])]
    .map((path) => {
      const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
      const texts = readdirSync(path, { withFileTypes: true })
        .filter((entry) => entry.isFile() && /^(licen[cs]e|copying|notice)/i.test(entry.name))
        .map((entry) => entry.name)
        .sort()
        .map((file) => readFileSync(join(path, file), 'utf8').trim())
      const below = relative(root, path).replaceAll('\\', '/')
      return {
        name,
        version,
        licence: typeof license === 'string' ? license : '',
        text: texts.join('\n\n'),
        path: below,
      }
    })
    .sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

const IN_APP = 'Electron and Chromium: LICENSE.electron.txt and LICENSES.chromium.html beside the program.'

/** The text of THIRD-PARTY-NOTICES.txt. `program`: where the licence of what runs the code is. */
export function noticesText(packages, program = IN_APP) {
  const rule = '-'.repeat(80)
  const parts = packages.map(
    ({ name, version, licence, text }) =>
      `${rule}\n${name} ${version}${licence ? ` (${licence})` : ''}\n${rule}\n\n${text || `Licence: ${licence}. The package ships no text of it.`}\n`,
  )
  const head = [
    'Tapedeck holds the work of others. Their licences follow.',
    program,
    'Market data of the demo: resources/demo/ATTRIBUTION.md, printed at the end.',
  ].join('\n')
  const data = readFileSync(join(root, 'resources', 'demo', 'ATTRIBUTION.md'), 'utf8').trim()
  return `${head}\n\n${parts.join('\n')}\n${rule}\nDemo market data\n${rule}\n\n${data}\n`
}

/** Writes out/THIRD-PARTY-NOTICES.txt; answers the packages, those without a licence text among them. */
export function writeNotices() {
  const packages = shippedPackages()
  writeFileSync(join(root, 'out', 'THIRD-PARTY-NOTICES.txt'), noticesText(packages))
  return packages
}
