/** Collects the licences of the packages that the command's bundle contains, as their authors ask. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Rolldown } from 'tsdown'

/** Writes one text with name, version and licence of every package whose code is in the bundle. Throws for one without a licence. */
export function thirdPartyLicences(fileName: string): Rolldown.Plugin {
  return {
    name: 'third-party-licences',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((output) => (output.type === 'chunk' ? output.moduleIds : []))
      const folders = new Set(modules.filter((id) => id.includes('/node_modules/')).map(packageFolder))
      const source = [...folders]
        .map(describe)
        .sort()
        .join(`\n${'-'.repeat(80)}\n\n`)
      this.emitFile({ type: 'asset', fileName, source })
    },
  }
}

/** The folder that names a package; a folder inside may have a `package.json` that only says how its files are read. */
function packageFolder(module: string): string {
  let folder = dirname(module)
  while (!('version' in read(folder))) folder = dirname(folder)
  return folder
}

function read(folder: string): { readonly name?: string; readonly version?: string; readonly license?: string } {
  const file = join(folder, 'package.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

function describe(folder: string): string {
  const { name, version, license } = read(folder)
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined) throw new Error(`${name} has no licence file: it cannot be part of the bundle.`)
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
}
