/** Builds the package: one file for each entry of `exports` and the command, with declarations; dependencies stay outside. */
import { defineConfig, type UserConfig } from 'tsdown'

const config: UserConfig = defineConfig({
  entry: {
    index: 'src/index.ts',
    'fs/memory': 'src/fs/memory.ts',
    'fs/memfs': 'src/fs/memfs.ts',
    'fs/node': 'src/fs/node.ts',
    'fs/sqlite': 'src/fs/sqlite/node_sqlite.ts',
    'fs/durable-object': 'src/fs/sqlite/durable_object.ts',
    mcp: 'src/mcp/index.ts',
    http: 'src/http/index.ts',
    testing: 'src/testing/index.ts',
    'wasm-hasher': 'src/fs/wasm_hasher.ts',
    cli: 'src/cli/main.ts',
  },
  format: 'esm',
  // For `node:` modules; a test holds the entries that browsers load free of them.
  platform: 'node',
  target: 'es2024',
  fixedExtension: false,
  dts: true,
  // The page's own build is in dist/web.
  clean: ['dist/**', '!dist/web', '!dist/web/**'],
  report: false,
})

export default config
