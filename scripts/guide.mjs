// `npm run guide [-- --check]`: writes the tables in docs/guide from the tables that the app runs on; --check only says
// which pages are behind.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, pinnedNode, root } from './lib/ensure.mjs'

if (Number(process.versions.node.split('.')[0]) < 24) {
  // The app's tables are TypeScript, which the pinned Node runs as it stands.
  await ensureInstalled()
  const again = spawnSync(pinnedNode(), [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  process.exitCode = again.status ?? 1
} else {
  const { withTables } = await import('./lib/guide-tables.mjs')
  const check = process.argv.includes('--check')
  const folder = join(root, 'docs', 'guide')
  const behind = readdirSync(folder).filter((name) => {
    if (!name.endsWith('.md')) return false
    const page = readFileSync(join(folder, name), 'utf8')
    const written = withTables(page)
    if (written === page) return false
    if (!check) writeFileSync(join(folder, name), written)
    return true
  })
  if (behind.length > 0) console.log(`${check ? 'Behind' : 'Written'}: ${behind.join(', ')}`)
  if (check && behind.length > 0) process.exitCode = 1
}
