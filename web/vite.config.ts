/** Builds the page into dist/web, where the worker's assets binding finds it. */
import { defineConfig, type UserConfig } from 'vite'

const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  base: '/',
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // The polyfill is an inline script, which the page's policy refuses.
    modulePreload: { polyfill: false },
    // Inlined assets would be data: addresses, which the policy refuses too.
    assetsInlineLimit: 0,
  },
  worker: { format: 'es' },
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
})

export default config
