/**
 * `npm run bundle:mcpb [FILE]`: the command as one file that desktop clients install (an MCP bundle, `.mcpb`): its code with all that it
 * uses, and a manifest that asks for the folder to work in. Checked by the format's own tool.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'tsdown'
import configs from '../tsdown.config.ts'

const ROOT = join(import.meta.dirname, '..')
const { name, version, description, license, engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

const MANIFEST = {
  manifest_version: '0.3',
  name,
  display_name: 'Filewright',
  version,
  description,
  author: { name: 'The Filewright authors' },
  license,
  server: {
    type: 'node',
    entry_point: 'server/cli.js',
    mcp_config: {
      command: 'node',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the client replaces them
      args: ['${__dirname}/server/cli.js', 'mcp', '--root', '${user_config.folder}'],
    },
  },
  tools_generated: true,
  user_config: {
    folder: {
      type: 'directory',
      title: 'Folder',
      description: 'The folder that the tools work in. Nothing outside of it is read or changed.',
      required: true,
    },
  },
  compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: engines.node } },
}

/** Builds, checks and packs; the work is done in a folder of its own. */
async function bundle(file: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'filewright-mcpb-'))
  try {
    const command = configs.find(({ entry }) => Object.hasOwn(entry as object, 'cli'))
    await build({ ...command, config: false, cwd: ROOT, outDir: join(folder, 'server'), logLevel: 'error' })
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(MANIFEST, null, 2))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, license, private: true, type: 'module' }))
    copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
    const mcpb = (...args: string[]) => execFileSync('mcpb', args, { stdio: ['ignore', 'ignore', 'inherit'] })
    mcpb('validate', join(folder, 'manifest.json'))
    mcpb('pack', folder, file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const file = resolve(process.argv[2] ?? `${name}-${version}.mcpb`)
await bundle(file)
console.log(file)
