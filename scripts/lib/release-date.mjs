// The date of a release.
import { spawnSync } from 'node:child_process'
import { root } from './ensure.mjs'

/** The date of the commit as `2026-01-05`, so that the same source gives the same package; without git, today. */
export function releaseDate() {
  const asked = spawnSync('git', ['log', '-1', '--format=%cs'], { cwd: root, encoding: 'utf8' })
  return asked.status === 0 ? asked.stdout.trim() : new Date().toISOString().slice(0, 10)
}
