/** The rows: what is measured against what. Gates are the product's targets. */
import { cloneRows } from './clone_rows.ts'
import type { Corpus } from './corpus.ts'
import { diffRows } from './diff_rows.ts'
import { gitAdapterRows } from './git_adapter_rows.ts'
import { gitObjectRows } from './git_object_rows.ts'
import { gitWorkspaceRows } from './git_workspace_rows.ts'
import { indexPackRows } from './index_pack_rows.ts'
import { keepRows } from './keep_rows.ts'
import { logRows } from './log_rows.ts'
import { mcpRows } from './mcp_rows.ts'
import type { LeftOut, Row } from './measure.ts'
import { memfsRows } from './memfs_rows.ts'
import { memoryRows } from './memory_rows.ts'
import { patchRows } from './patch_rows.ts'
import type { RowParts } from './row_parts.ts'
import { searchRows } from './search_rows.ts'
import { smallRows } from './small_rows.ts'
import { treeRows } from './tree_rows.ts'
import { writeRows } from './write_rows.ts'

/** Groups of rows that share what they need; a group is made only when one of its rows is wanted. */
const GROUPS: readonly (readonly [numbers: readonly string[], make: (parts: RowParts) => Promise<(Row | LeftOut)[]>])[] = [
  [['1', '2', '29'], treeRows],
  [['3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13'], searchRows],
  [['14'], memoryRows],
  [['15', '16', '17', '18'], logRows],
  [['19', '21'], smallRows],
  [['20', '22', '37'], writeRows],
  [['38', '39'], keepRows],
  [['23', '24', '25', '26'], diffRows],
  [['27', '28'], patchRows],
  [['30'], memfsRows],
  [['46', '47', '48', '49', '50', '51', '52', '53', '54', '55'], gitObjectRows],
  [['56', '57', '58', '59'], indexPackRows],
  [['60', '61', '62', '63'], gitWorkspaceRows],
  [['64', '65', '66'], cloneRows],
  [['67', '68', '69', '70', '71', '72', '73', '74', '75'], gitAdapterRows],
  [['40', '41', '42', '43', '44', '45'], mcpRows],
]

/** Makes the wanted rows; `close` gives everything back. */
export async function createRows(
  corpus: Corpus,
  scratch: string,
  isWanted: (number: string) => boolean,
): Promise<{ readonly rows: (Row | LeftOut)[]; close(): Promise<void> }> {
  const open: { close(): Promise<void> }[] = []
  const rows: (Row | LeftOut)[] = []
  for (const [numbers, make] of GROUPS) {
    if (numbers.some(isWanted)) rows.push(...(await make({ corpus, scratch, closing: (thing) => open.push(thing) })))
  }
  return {
    rows: rows.filter(({ number }) => isWanted(number)).sort((a, b) => Number(a.number) - Number(b.number)),
    close: async () => void (await Promise.all(open.map((one) => one.close()))),
  }
}
