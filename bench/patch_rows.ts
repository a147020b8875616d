/** Rows 27 and 28: patches of one key in large JSON and YAML, against parsing (and printing) the whole text. */
import { parseDocument } from 'yaml'
import { patchText } from '../src/text/document/patch_text.ts'
import { openJson } from '../src/text/json/document.ts'
import { createRandom } from './corpus.ts'
import { inProcess, mustAgree, type Row } from './measure.ts'

const JSON_BYTES = 20_000_000
const YAML_BYTES = 2_000_000
const { signal } = new AbortController()

export async function patchRows(): Promise<Row[]> {
  return [...jsonRows(), yamlRow()]
}

function jsonRows(): Row[] {
  const text = makeJson()
  const bytes = new TextEncoder().encode(text)
  const keys = Object.keys(JSON.parse(text))
  const key = keys[keys.length >> 1] as string
  const operation = { op: 'set', path: [key, 'size'], value: -1 } as const
  const patch = async () => patchText(bytes, 'wide.json', [operation], { format: 'json', relaxed: false, signal })
  const anchor = inProcess(() => void JSON.parse(text), 3)
  return [
    {
      number: '27',
      name: 'patch one key in 20 MB of JSON, checked before and after',
      anchorName: 'JSON.parse',
      gate: 1.6,
      anchor,
      product: inProcess(patch, 3),
      check: async () => {
        const outcome = await patch()
        if (outcome.kind !== 'patched') throw new Error(outcome.kind)
        const after = new TextDecoder().decode(outcome.bytes)
        mustAgree('Size', JSON.parse(after)[key].size, -1)
        mustAgree('Other bytes', after.length - text.length, 2 - String(JSON.parse(text)[key].size).length)
      },
    },
    {
      number: '27',
      name: 'find one key in 20 MB of JSON',
      anchorName: 'JSON.parse',
      gate: 0.4,
      anchor,
      product: inProcess(() => {
        const document = openJson(bytes, false)
        return document.member(document.root, key)
      }, 3),
      check: () => mustAgree('Found', openJson(bytes, false).member(0, key) !== null, true),
    },
  ]
}

function yamlRow(): Row {
  const { text, key } = makeYaml()
  const bytes = new TextEncoder().encode(text)
  const path = ['services', key, 'replicas']
  const patch = async () => patchText(bytes, 'wide.yaml', [{ op: 'set', path, value: 77 }], { format: 'yaml', relaxed: false, signal })
  return {
    number: '28',
    name: 'patch one key in 2 MB of YAML, comments kept',
    anchorName: 'yaml: parse, set, print',
    gate: 0.4,
    anchor: inProcess(() => {
      const document = parseDocument(text)
      document.setIn(path, 77)
      document.toString()
    }),
    product: inProcess(patch),
    check: async () => {
      const outcome = await patch()
      if (outcome.kind !== 'patched') throw new Error(outcome.kind)
      const after = new TextDecoder().decode(outcome.bytes)
      mustAgree(
        'Text',
        after,
        text.replace(new RegExp(`(\\n  ${key}:\\n[^\\n]*\\n    replicas: )\\d+`), (_, lead) => `${lead}77`),
      )
    },
    warm: 1,
  }
}

const OWNERS = ['red', 'green', 'blue', 'café', 'core']

function makeJson(): string {
  const random = createRandom(0x27)
  const members: { [key: string]: unknown } = {}
  for (let size = 0, i = 0; size < JSON_BYTES; i++) {
    const id = `${random.pick(OWNERS)}_${i}`
    const member = {
      id: i,
      path: `src/${id}/${random.below(1e6)}.ts`,
      size: random.below(1e6),
      ratio: random.below(1e6) / 1e6,
      tags: [random.pick(OWNERS), random.pick(OWNERS)],
      meta: {
        enabled: random.below(2) === 0,
        owner: random.pick(OWNERS),
        note: `moved by "${random.pick(OWNERS)}" from ${random.below(1e9)} to ${random.below(1e9)}`,
      },
    }
    members[id] = member
    size += JSON.stringify(member, null, 2).length + 40
  }
  return `${JSON.stringify(members, null, 2)}\n`
}

function makeYaml(): { readonly text: string; readonly key: string } {
  const random = createRandom(0x28)
  const blocks = ['# generated\nversion: 3\nservices:\n']
  let count = 0
  for (let size = 0; size < YAML_BYTES; count++) {
    const owner = random.pick(OWNERS)
    const block = `  # service of ${owner}
  ${owner}_${count}:
    image: "acme/${owner}:${random.below(9)}.${random.below(20)}" # pinned
    replicas: ${random.below(9)}
    enabled: ${random.below(2) === 0}
    ports: [${random.below(65535)}, ${random.below(65535)}]
    env:
      OWNER: ${owner}
      RUN_CMD: 'run the ${owner} one'
    labels:
      - ${owner}
      - ${owner}.${random.below(100)}
    script: |
      first ${owner}
      then the ${random.below(100)}

`
    blocks.push(block)
    size += block.length
  }
  const text = blocks.join('')
  return { text, key: /\n {2}(\S+):\n/.exec(text.slice(text.length >> 1))?.[1] as string }
}
