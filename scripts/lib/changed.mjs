// What `npm test -- --changed` runs: for each changed file the checks it can break, and nothing else.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './ensure.mjs'

/**
 * Tests that read files by path or start the program instead of importing it. Vitest can't see that they depend on a
 * changed file, so each row names the tests to add when a path matches.
 */
const READERS = [
  [/\.md$|^docs\/|^examples\/|^\.github\//, ['tests/unit/docs']],
  [/^clients\//, ['tests/unit/clients']],
  [/^src\//, ['tests/unit/house', 'tests/unit/docs/paths.test.ts']],
  [/^\.oxlintrc\.json$|^scripts\/house\//, ['tests/unit/house']],
  [/^src\/renderer\/.*\.(?:css|svelte|ts)$/, ['tests/unit/styles', 'tests/unit/renderer/styles']],
  [/^src\/(?:main|shared|service|simulator)\//, ['tests/unit/main/hosts/cli/command-line.test.ts']],
  [/^(?:scripts|packaging|resources)\/|^(?:package|package-lock|knip)\.json$/, ['tests/unit/scripts']],
]
const CODE = /\.(?:ts|mts|mjs|js|svelte)$/
const TYPED = /\.(?:ts|mts|svelte)$|^(?:tsconfig.*|package-lock|\.oxlintrc)\.json$/
/** The story that is a check of its own, because it measures time. */
const SPEED = 'tests/e2e/browser/speed.spec.ts'
const SPEC = /^tests\/e2e\/.*\.spec\.ts$/

/**
 * The work for changed paths (relative, with slashes): files for ESLint and the formatter, whether types can have changed, the
 * files whose tests run, the tests that run besides, and the browser stories. `isThere` tells which are not deleted.
 */
export function planChanged(files, isThere = (file) => existsSync(join(root, file))) {
  const present = files.filter(isThere)
  return {
    lint: present.filter((file) => CODE.test(file)),
    format: present,
    types: files.some((file) => TYPED.test(file)),
    related: present.filter((file) => !SPEC.test(file)),
    tests: [...new Set(READERS.flatMap(([path, tests]) => (files.some((file) => path.test(file)) ? tests : [])))],
    stories: present.filter((file) => SPEC.test(file)),
  }
}

const git = (...args) => {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.split('\n').filter(Boolean) : undefined
}

/** Where this branch left main (of the remote, else the local one); HEAD on main itself or without a main. */
function findBase() {
  for (const main of ['origin/main', 'main']) {
    const [base] = git('merge-base', 'HEAD', main) ?? []
    if (base) return base
  }
  return 'HEAD'
}

/**
 * Files that differ from `base` (a Git revision; absent: where the branch left main), with uncommitted, new and deleted
 * ones; undefined when Git doesn't know the revision.
 */
export function changedFiles(base = findBase()) {
  const differing = git('diff', '--name-only', '--no-renames', '--relative', base)
  if (!differing) return undefined
  return [...new Set([...differing, ...(git('ls-files', '--others', '--exclude-standard') ?? [])])].sort()
}

const bin = (name, ...args) => [join(root, 'node_modules', ...name.split('/')), ...args]

/**
 * The checks of `checks` (`CHECKS`) that a plan needs, cut down to the changed files: same names, same reports, other
 * commands.
 */
export function narrowChecks(checks, plan) {
  const commands = {
    // A type that changes here can break a rule elsewhere. Scripts have no types, and oxlint needs little more for all.
    lint: [
      ...(plan.lint.length > 0 || plan.types ? [bin('oxlint/bin/oxlint')] : []),
      ...(plan.lint.length > 0 ? [bin('eslint/bin/eslint.js', '--no-warn-ignored', ...plan.lint)] : []),
    ],
    format:
      plan.format.length > 0
        ? [bin('oxfmt/bin/oxfmt', '--check', '--no-error-on-unmatched-pattern', ...plan.format)]
        : [],
    types: plan.types ? undefined : [],
  }
  return checks.flatMap((check) => {
    if (check.id === 'unit') {
      const [[file, , ...options]] = check.commands
      if (plan.related.length + plan.tests.length === 0) return []
      return {
        ...check,
        canBeEmpty: true,
        commands: [[file, 'related', '--run', '--passWithNoTests', ...options, ...plan.related, ...plan.tests]],
      }
    }
    if (check.id === 'speed') return plan.stories.includes(SPEED) ? check : []
    if (check.id === 'e2e') {
      const [command] = check.commands
      const stories = plan.stories.filter((story) => story !== SPEED)
      return stories.length > 0 ? { ...check, commands: [[...command, ...stories]] } : []
    }
    if (!(check.id in commands)) return []
    const narrowed = commands[check.id] ?? check.commands
    return narrowed.length > 0 ? { ...check, commands: narrowed } : []
  })
}
