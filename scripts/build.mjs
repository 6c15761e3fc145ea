// `npm run build`: builds the terminal, the preload and the window into out/. Needs no Electron binary.
import { build, ensureInstalled } from './lib/ensure.mjs'

await ensureInstalled()
process.exitCode = await build()
