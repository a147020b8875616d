/** Builds the package: one file for each entry of `exports`, with declarations, and the command as a bundle that starts fast. */
import { defineConfig, type UserConfig } from 'tsdown'
import { quickGuards } from './.ci/quick_guards.ts'
import { thirdPartyLicences } from './.ci/third_party.ts'

const shared: UserConfig = {
  format: 'esm',
  // For `node:` modules; a test holds the entries that browsers load free of them.
  platform: 'node',
  target: 'es2024',
  fixedExtension: false,
  report: false,
}

/** Dependencies stay outside, as those who install the package expect. */
const library: UserConfig = {
  ...shared,
  entry: {
    index: 'src/index.ts',
    'fs/memory': 'src/fs/memory.ts',
    'fs/memfs': 'src/fs/memfs.ts',
    'fs/node': 'src/fs/node.ts',
    'fs/sqlite': 'src/fs/sqlite/node_sqlite.ts',
    'fs/durable-object': 'src/fs/sqlite/durable_object.ts',
    'fs/git': 'src/git.ts',
    'fs/git-node': 'src/git_node.ts',
    mcp: 'src/mcp/index.ts',
    builtin: 'src/library/builtin.ts',
    definitions: 'src/library/definitions.ts',
    http: 'src/http/index.ts',
    'node-fs': 'src/library/as_node_fs.ts',
    testing: 'src/testing/index.ts',
    'testing/node': 'src/testing/node.ts',
    'testing/vitest': 'src/testing/vitest.ts',
    'wasm-hasher': 'src/fs/wasm_hasher.ts',
  },
  dts: true,
  // The page's own build is in dist/web.
  clean: ['dist/**', '!dist/web', '!dist/web/**'],
}

/**
 * The command, with the parts of its dependencies that it uses: hundreds of small files cost a server half of its start. What every
 * command loads is one chunk, what every MCP server loads another; the rest is loaded when it is needed.
 */
const command: UserConfig = {
  ...shared,
  entry: { cli: 'src/cli/main.ts' },
  dts: false,
  clean: false,
  // An optional peer: whoever wants it has it.
  deps: { alwaysBundle: [/.*/], neverBundle: ['memfs'], onlyBundle: false },
  alias: { '@modelcontextprotocol/server/_shims': `${import.meta.dirname}/src/cli/sdk_platform.ts` },
  minify: { compress: true, mangle: false, codegen: true },
  outputOptions: {
    chunkFileNames: 'cli/[name]-[hash].js',
    codeSplitting: {
      groups: [
        { name: 'workspace', test: /\/src\/(cli\/session|fs\/node)\.ts$/, priority: 2 },
        { name: 'mcp', test: /\/src\/cli\/commands\/mcp\.ts$/, priority: 1 },
      ],
    },
  },
  plugins: [quickGuards(), thirdPartyLicences('cli/THIRD_PARTY_LICENCES.txt')],
}

const config: UserConfig[] = defineConfig([library, command])

export default config
