/** A Python that has what a test needs: of TAPEDECK_PYTHON, the one in PATH, or the system's. */
import { spawnSync } from 'node:child_process'

const PYTHONS = [process.env.TAPEDECK_PYTHON, 'python3', '/usr/bin/python3', 'python'].filter(
  (one): one is string => one !== undefined && one !== '',
)

/** The first Python that runs `code`, such as `import pandas`. */
export const findPython = (code: string): string | undefined =>
  PYTHONS.find((python) => spawnSync(python, ['-c', code], { stdio: 'ignore' }).status === 0)
