// Writes out/linux, which the Linux packages of the app hold besides it. `npm run dist` runs it, after the build.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { changelogText, copyrightText } from './lib/deb.mjs'
import { root } from './lib/ensure.mjs'
import { linuxFiles } from './lib/linux-files.mjs'
import { manPage } from './lib/man-page.mjs'
import { releaseDate } from './lib/release-date.mjs'

const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const date = releaseDate()
const completion = (shell) => execFileSync(process.execPath, [join(root, 'out', 'main', 'cli.js'), 'completion', shell])
const files = linuxFiles(about, {
  date,
  manual: await manPage({ version: about.version, date }),
  completions: { bash: completion('bash'), zsh: completion('zsh'), fish: completion('fish') },
  copyright: copyrightText(
    'The licences of Electron, Chromium, bundled packages and the demo market are in /opt/Tapedeck: LICENSE.electron.txt, LICENSES.chromium.html and resources/THIRD-PARTY-NOTICES.txt.',
  ),
  changelog: changelogText(about, date, about.name),
})
const folder = join(root, 'out', 'linux')
mkdirSync(folder, { recursive: true })
for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
