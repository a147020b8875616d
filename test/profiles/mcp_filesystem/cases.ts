/** Calls that the reference server and ours are both asked, each on fresh files. */
import type { Call, Files } from './subjects.ts'

/** A case: its name says what is called, and what is special about it. */
export interface Case {
  readonly name: string
  /** Made at once. */
  readonly calls: readonly Call[]
  /** More files than {@link FILES}, or others. */
  readonly files?: Files
  /** The order of lines, or of entries in a tree, is that in which a disk gives them. */
  readonly unordered?: true
  /** What differs in every run. */
  readonly mask?: RegExp
}

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0))

/** What every case begins with. */
export const FILES: Files = {
  'a.txt': 'one\ntwo\nthree\n',
  'open.txt': 'l1\nl2\nl3\nl4\nl5',
  'crlf.txt': 'one\r\ntwo\r\nthree\r\n',
  'mixed.txt': 'one\r\ntwo\r\nthree\r\nfour\n',
  'bad.txt': bytes('caf\xe9 one\ntwo\n'),
  'binary.dat': bytes('a\0b\xff'),
  'bom.txt': '\ufeffone\n',
  'dup.txt': 'x\ny\nx\nx\n',
  'indent.py': 'def f():\n\tif a:\n\t\treturn 1\n',
  'ticks.md': '```\ncode\n```\n',
  'pic.png': bytes('\x89PNG\r\n\x1a\n'),
  'sound.mp3': bytes('ID3\x03'),
  'doc.pdf': bytes('%PDF-1.7\0'),
  'empty.txt': '',
  'B.txt': 'b',
  'sub/b.txt': 'b\n',
  'sub/deep/c.ts': 'c\n',
  'sub/deep/.hidden': 'h',
  'node_modules/x/index.js': 'x',
  'sub/node_modules/y.js': 'y',
  'name [1].txt': '1',
  emptydir: { directory: true },
  link: { link: 'sub/b.txt' },
  dirlink: { link: 'sub' },
}

/** Files of some cases. */
const DANGLING: Files = { dangling: { link: 'nowhere' } }
const OUT: Files = { out: { link: '../outside/secret' }, outdir: { link: '../outside' } }

/** Names that look like others: decomposed, with a narrow no-break space, and two that only a machine can tell apart. */
const LOOK_ALIKE: Files = { 'e\u0301.txt': 'decomposed', 'at\u202fnoon.txt': 'narrow', 'twin-\u00c5': '1', 'twin-\u212b': '2' }

type Args = { readonly [name: string]: unknown }

const one = (name: string, tool: string, args: Args | ((root: string) => Args), more: Partial<Case> = {}): Case => ({
  name: `${tool} ${name}`,
  calls: [{ tool, args: typeof args === 'function' ? args : () => args }],
  ...more,
})

const read = (name: string, args: Args, more: Partial<Case> = {}): Case => one(name, 'read_text_file', args, more)
const edit = (name: string, path: string, edits: readonly (readonly [string, string])[], more: Args & Partial<Case> = {}): Case => {
  const { files, ...args } = more
  const list = edits.map(([oldText, newText]) => ({ oldText, newText }))
  return one(name, 'edit_file', { path, edits: list, ...args }, files ? { files: files as Files } : {})
}
const search = (pattern: string, excludePatterns?: readonly string[]): Case =>
  one(
    excludePatterns ? `${pattern} without ${excludePatterns.join()}` : pattern,
    'search_files',
    (root) => ({ path: root, pattern, ...(excludePatterns && { excludePatterns }) }),
    { unordered: true },
  )

const READS: readonly Case[] = [
  one('whole', 'read_file', (root) => ({ path: `${root}/a.txt` })),
  read('whole', { path: 'a.txt' }),
  read('empty', { path: 'empty.txt' }),
  read('CRLF', { path: 'crlf.txt' }),
  read('BOM', { path: 'bom.txt' }),
  read('through a link', { path: 'link' }),
  read('below a link', { path: 'dirlink/b.txt' }),
  read('with .. inside', { path: 'sub/../a.txt' }),
  read('head', { path: 'a.txt', head: 2 }),
  read('head beyond the end', { path: 'open.txt', head: 9 }),
  read('head of CRLF', { path: 'crlf.txt', head: 2 }),
  read('tail without a final line end', { path: 'open.txt', tail: 2 }),
  read('tail', { path: 'a.txt', tail: 2 }),
  read('tail of CRLF', { path: 'crlf.txt', tail: 2 }),
  read('head 0', { path: 'a.txt', head: 0 }),
  read('tail 0', { path: 'a.txt', tail: 0 }),
  read('head -1', { path: 'a.txt', head: -1 }),
  read('head 1.5', { path: 'a.txt', head: 1.5 }),
  read('head and tail', { path: 'a.txt', head: 1, tail: 1 }),
  read('bad bytes', { path: 'bad.txt' }),
  read('binary', { path: 'binary.dat' }),
  read('missing', { path: 'none.txt' }),
  one('missing below the root', 'read_text_file', (root) => ({ path: `${root}/sub/none.txt` })),
  read('a directory', { path: 'sub' }),
  read('below a file', { path: 'a.txt/x' }),
  read('outside', { path: '/etc/passwd' }),
  read('above', { path: '../outside/secret' }),
  one('beside the root', 'read_text_file', (root) => ({ path: `${root}-evil/x` })),
  read('a link outside', { path: 'out' }, { files: OUT }),
  read('below a link outside', { path: 'outdir/secret' }, { files: OUT }),
  read('a circle of links', { path: 'loop' }, { files: { loop: { link: 'loop' } } }),
  read('no path', { path: '' }),
  read('NUL', { path: 'a\0b' }),
  read('a home', { path: '~/x' }),
  read('of Windows', { path: 'C:\\x' }),
  read('a name composed otherwise', { path: '\u00e9.txt' }, { files: LOOK_ALIKE }),
  read('a name with another space', { path: 'at noon.txt' }, { files: LOOK_ALIKE }),
  read('a name that is there, beside one that looks the same', { path: 'twin-\u212b' }, { files: LOOK_ALIKE }),
  read('a name that looks like two', { path: 'twin-A\u030a' }, { files: LOOK_ALIKE }),
  read('a path that is missing', {}),
  read('a path of a wrong type', { path: 7 }),
  read('an unknown argument', { path: 'a.txt', lines: 2 }),
  one('of text', 'read_multiple_files', { paths: ['a.txt', 'none.txt', 'sub', 'link'] }),
  one('none', 'read_multiple_files', { paths: [] }),
  one('image', 'read_media_file', { path: 'pic.png' }),
  one('sound', 'read_media_file', { path: 'sound.mp3' }),
  one('document', 'read_media_file', { path: 'doc.pdf' }),
  one('of no known kind', 'read_media_file', { path: 'binary.dat' }),
  one('missing', 'read_media_file', { path: 'none.png' }),
]

const WRITES: readonly Case[] = [
  one('new', 'write_file', { path: 'new.txt', content: 'x\n' }),
  one('over another', 'write_file', (root) => ({ path: `${root}/a.txt`, content: 'é😀' })),
  one('through a link', 'write_file', { path: 'link', content: 'x' }),
  one('of a name composed otherwise', 'write_file', { path: '\u00e9.txt', content: 'x' }, { files: LOOK_ALIKE }),
  one('below a name composed otherwise', 'create_directory', { path: '\u00e9/x' }, { files: { 'e\u0301': { directory: true } } }),
  one('CRLF', 'write_file', { path: 'crlf.txt', content: 'a\r\nb\n' }),
  one('on a directory', 'write_file', { path: 'sub', content: 'x' }),
  one('without a parent', 'write_file', { path: 'new/dir/x.txt', content: 'x' }),
  one('through a dangling link', 'write_file', { path: 'dangling', content: 'x' }, { files: DANGLING }),
  one('through a link outside', 'write_file', { path: 'out', content: 'x' }, { files: OUT }),
  one('outside', 'write_file', { path: '/outside.txt', content: 'x' }),
  one('to a home', 'write_file', { path: '~/x', content: 'x' }),
  one('back what was read of bad bytes', 'write_file', { path: 'bad.txt', content: 'caf\ufffd ONE\ntwo\n' }),
  one('without content', 'write_file', { path: 'a.txt' }),
  edit('one line', 'a.txt', [['two', '2']]),
  edit('one line dry', 'a.txt', [['two', '2']], { dryRun: true }),
  edit('two in order', 'a.txt', [
    ['one', '1'],
    ['1\ntwo', '1 and 2'],
  ]),
  edit('at the end', 'open.txt', [['l5', 'l6\n']]),
  edit('of a final line end', 'open.txt', [['l1', 'l0']]),
  edit(
    'far apart',
    'long.txt',
    [
      ['line 2\n', 'LINE 2\n'],
      ['line 40\n', 'LINE 40\n'],
    ],
    { files: { 'long.txt': Array.from({ length: 60 }, (_, i) => `line ${i + 1}\n`).join('') } },
  ),
  edit('with special replacements', 'a.txt', [['two', '$& $1 $$ \\n']]),
  edit('of backticks', 'ticks.md', [['code', 'more']]),
  edit('through a link', 'link', [['b', 'B']]),
  edit('of text that is not there', 'a.txt', [['four', '4']]),
  edit('of two, the second not there', 'a.txt', [
    ['one', '1'],
    ['four', '4'],
  ]),
  edit('of a text that is there three times', 'dup.txt', [['x', 'z']]),
  edit('of no text', 'a.txt', [['', 'x']]),
  edit('to the same', 'a.txt', [['two', 'two']]),
  edit('of nothing', 'a.txt', []),
  edit('beside bad bytes', 'bad.txt', [['two', '2']]),
  edit('of CRLF', 'crlf.txt', [['two', '2']]),
  edit('across lines of CRLF', 'crlf.txt', [['one\ntwo', '1\n2']]),
  edit('of mixed endings', 'mixed.txt', [['two', '2']]),
  edit('of other white space', 'indent.py', [['if a:\n    return 1', 'if a:\n    x = 1\n    return x']]),
  edit('of trailing blanks', 'a.txt', [['one  \ntwo', '1\n2']]),
  edit('of binary', 'binary.dat', [['a', 'b']]),
  edit('of a missing file', 'none.txt', [['a', 'b']]),
  {
    name: 'edit_file twenty at once',
    files: { 'many.txt': Array.from({ length: 20 }, (_, i) => `<${i}>\n`).join('') },
    calls: Array.from({ length: 20 }, (_, i) => ({
      tool: 'edit_file',
      args: () => ({ path: 'many.txt', edits: [{ oldText: `<${i}>`, newText: `[${i}]` }] }),
    })),
  },
  one('new', 'create_directory', { path: 'x/y/z' }),
  one('there already', 'create_directory', (root) => ({ path: `${root}/sub` })),
  one('on a file', 'create_directory', { path: 'a.txt' }),
  one('outside', 'create_directory', { path: '/outside-dir' }),
  one('a file', 'move_file', { source: 'a.txt', destination: 'sub/moved.txt' }),
  one('a directory', 'move_file', (root) => ({ source: `${root}/sub`, destination: `${root}/moved` })),
  one('onto a file', 'move_file', { source: 'a.txt', destination: 'B.txt' }),
  one('onto a directory', 'move_file', { source: 'a.txt', destination: 'sub' }),
  one('nothing', 'move_file', { source: 'none', destination: 'x' }),
  one('a link', 'move_file', { source: 'link', destination: 'moved' }),
  one('a link onto nothing', 'move_file', { source: 'dangling', destination: 'moved' }, { files: DANGLING }),
  one('without a parent', 'move_file', { source: 'a.txt', destination: 'new/a.txt' }),
  one('out', 'move_file', { source: 'a.txt', destination: '/outside.txt' }),
  one('a link outside', 'move_file', { source: 'out', destination: 'moved' }, { files: OUT }),
  one('into itself', 'move_file', { source: 'sub', destination: 'sub/deep/sub' }),
]

const LISTS: readonly Case[] = [
  one('the root', 'list_directory', { path: '.' }, { unordered: true }),
  one('empty', 'list_directory', { path: 'emptydir' }),
  one('a link', 'list_directory', { path: 'dirlink' }, { unordered: true }),
  one('with links outside', 'list_directory', { path: '.' }, { unordered: true, files: OUT }),
  one('a file', 'list_directory', { path: 'a.txt' }),
  one('missing', 'list_directory', { path: 'none' }),
  one('by name', 'list_directory_with_sizes', { path: 'sub' }),
  one(
    'by size',
    'list_directory_with_sizes',
    { path: 'sizes', sortBy: 'size' },
    {
      files: {
        'sizes/a': 'x'.repeat(1023),
        'sizes/b': 'x'.repeat(1024),
        'sizes/c': 'x'.repeat(1_600_000),
        'sizes/d': '',
        'sizes/a name that is longer than its column is wide': 'x',
      },
    },
  ),
  one('of names in both cases', 'list_directory_with_sizes', { path: 'cases' }, { files: { 'cases/a': '', 'cases/B': '', 'cases/c': '' } }),
  one('of a link', 'list_directory_with_sizes', { path: 'links' }, { files: { 'links/to': { link: '../sub/b.txt' } } }),
  one('of a link outside', 'list_directory_with_sizes', { path: 'links' }, { files: { 'links/to': { link: '../../outside/secret' } } }),
  one('by nonsense', 'list_directory_with_sizes', { path: 'sub', sortBy: 'age' }),
  one('of the root', 'directory_tree', (root) => ({ path: root }), { unordered: true }),
  one('without a name', 'directory_tree', (root) => ({ path: root, excludePatterns: ['node_modules'] }), { unordered: true }),
  one('without a glob', 'directory_tree', (root) => ({ path: root, excludePatterns: ['**/*.txt', 'sub/d*'] }), { unordered: true }),
  one('without a path', 'directory_tree', (root) => ({ path: root, excludePatterns: ['deep/c.ts'] }), { unordered: true }),
  one('of a relative path', 'directory_tree', { path: 'sub', excludePatterns: ['deep'] }, { unordered: true }),
  one('of a file', 'directory_tree', { path: 'a.txt' }),
  one('of more than 2000 names', 'directory_tree', (root) => ({ path: `${root}/many` }), {
    unordered: true,
    // Links are made fastest.
    files: Object.fromEntries(Array.from({ length: 2010 }, (_, i) => [`many/${i}`, { link: 'x' }])),
  }),
  search('*.txt'),
  search('**/*.ts'),
  search('**'),
  search('**/*'),
  search('sub/**'),
  search('*'),
  search('{a,B}.txt'),
  search('[ab].txt'),
  search('[!a]*.txt'),
  search('?.txt'),
  search('sub/*/*.{ts,js}'),
  search('**/.hidden'),
  search('**/node_modules/**'),
  search('*.TXT'),
  search('name \\[1\\].txt'),
  search('./a.txt'),
  search('!*.txt'),
  search('nothing*'),
  search('a.txt/'),
  search('**/*', ['node_modules']),
  search('**/*', ['**/node_modules']),
  search('**/*', ['sub/**', '*.txt']),
  search('@(a|B).txt'),
  search('?(a|B).txt'),
  search('!(a).txt'),
  one('with a link to nothing', 'search_files', (root) => ({ path: root, pattern: 'd*' }), { unordered: true, files: DANGLING }),
  search(''),
  one('from below', 'search_files', { path: 'sub', pattern: '*.txt' }),
  one('of a file', 'search_files', { path: 'a.txt', pattern: '*' }),
  one('with links outside', 'search_files', (root) => ({ path: root, pattern: 'out*' }), { unordered: true, files: { ...OUT, outer: '' } }),
  one('of a file', 'get_file_info', { path: 'a.txt' }, { mask: /^(created|accessed): .*$/gm }),
  one('of a file, all lines', 'get_file_info', { path: 'a.txt' }, { mask: /^created: .*$/gm }),
  one('of a link', 'get_file_info', { path: 'link' }, { mask: /^(created|accessed): .*$/gm }),
  one('of a directory', 'get_file_info', { path: 'sub' }, { mask: /^(created|accessed|modified): .*$/gm }),
  one('of nothing', 'get_file_info', { path: 'none' }),
  one('of the root', 'list_allowed_directories', {}),
]

/** All cases. */
export const CASES: readonly Case[] = [...READS, ...WRITES, ...LISTS]
