// `node scripts/recipes.mjs SHA256SUMS URL FOLDER`: writes the recipes of winget, Homebrew, Flatpak and the AUR for the release
// whose checksums are in SHA256SUMS and whose files are below URL.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root, stop } from './lib/ensure.mjs'
import { published, recipes } from './lib/recipes.mjs'

const [sums, base, folder] = process.argv.slice(2)
if (folder === undefined) stop('Usage: node scripts/recipes.mjs SHA256SUMS URL FOLDER')
const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const made = recipes(about, published(about.version, base, readFileSync(sums, 'utf8')))
for (const [path, text] of Object.entries(made)) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
console.log(`${Object.keys(made).length} recipes in ${folder}.`)
