import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'
import pkg from './package.json' with { type: 'json' }
import { textScale } from './src/renderer/styles/text-scale.ts'

// What stays in node_modules: native modules and packages that are loaded by name at run time.
const external = ['electron', ...Object.keys(pkg.dependencies)].flatMap((name) => [name, new RegExp(`^${name}/`)])

/** Writes out/bundled/NAME.json: the packages whose code went into this part, for the licences that are shipped. */
function tellBundled(name: string): Plugin {
  const packages = new Set<string>()
  return {
    name: 'tell-bundled',
    apply: 'build',
    moduleParsed({ id }) {
      const inside = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll('\\', '/'))
      if (inside?.[1]) packages.add(inside[1])
    },
    closeBundle() {
      const folder = new URL('./out/bundled/', import.meta.url)
      mkdirSync(folder, { recursive: true })
      writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify([...packages].sort(), null, 2)}\n`)
    },
  }
}

export default defineConfig({
  main: {
    plugins: [tellBundled('main')],
    build: {
      externalizeDeps: false,
      sourcemap: false,
      target: 'node24',
      rolldownOptions: {
        checks: { pluginTimings: false },
        external,
        input: {
          index: 'src/main/index.ts',
          cli: 'src/main/cli.ts',
          'store-worker': 'src/main/store-worker.ts',
          'reader-worker': 'src/main/reader-worker.ts',
          'import-worker': 'src/main/import-worker.ts',
          'simulator-worker': 'src/simulator/worker.ts',
        },
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
          // Names and lines stay for stack traces; comments are a sixth of the code.
          comments: { jsdoc: false, legal: true, annotation: true },
        },
      },
    },
  },
  preload: {
    plugins: [tellBundled('preload')],
    build: {
      externalizeDeps: false,
      sourcemap: false,
      target: 'node24',
      rolldownOptions: {
        checks: { pluginTimings: false },
        input: { index: 'src/preload/index.ts' },
        // A sandboxed preload cannot be an ES module.
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [svelte(), tellBundled('renderer')],
    css: { postcss: { plugins: [textScale(/[\\/]src[\\/]renderer[\\/]/)] } },
    // Both hosts serve the window from the top of an origin of its own; nothing may be inlined as data: (CSP).
    build: {
      sourcemap: false,
      target: 'chrome140',
      minify: true,
      assetsInlineLimit: 0,
      // It comes from this machine, and one request is faster than many.
      chunkSizeWarningLimit: 3_000,
      rolldownOptions: {
        checks: { pluginTimings: false },
        input: fileURLToPath(new URL('./src/renderer/index.html', import.meta.url)),
      },
    },
    server: { host: 'localhost' },
  },
})
