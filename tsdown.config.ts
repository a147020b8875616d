/** Builds the package: one file for each entry of `exports` and the command, with declarations; dependencies stay outside. */
import { defineConfig, type UserConfig } from 'tsdown'

const config: UserConfig = defineConfig({
  entry: {
    index: 'src/index.ts',
    'fs/memory': 'src/fs/memory.ts',
    mcp: 'src/mcp/index.ts',
    'wasm-hasher': 'src/fs/wasm_hasher.ts',
    cli: 'src/cli/main.ts',
  },
  format: 'esm',
  // Everything but the command and the disk adapters runs in browsers and at the edge too.
  platform: 'neutral',
  target: 'es2024',
  fixedExtension: false,
  dts: true,
  clean: true,
  report: false,
})

export default config
