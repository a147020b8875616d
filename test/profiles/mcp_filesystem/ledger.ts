/** Where our `mcp-filesystem` tools answer otherwise than the reference server, why, and the cases that show it. */
import type { Version } from './subjects.ts'

/** What is wrong with what the reference server does; `form` stands for a text that only reads otherwise. */
export type Fault = 'corrupts' | 'loses' | 'guesses' | 'discloses' | 'form'

/** One difference: a row of the table in docs/mcp-filesystem.md. */
export interface Difference {
  readonly fault: Fault
  readonly what: string
  readonly reference: string
  readonly ours: string
  /** Names of the cases that show it, in every version unless `only` says which. */
  readonly cases: readonly string[]
  readonly only?: Version
}

/** All differences. */
export const LEDGER: readonly Difference[] = [
  {
    fault: 'corrupts',
    what: 'an edit of a file with bytes that are not UTF-8',
    reference: 'every such byte becomes U+FFFD, wherever it is',
    ours: 'only the bytes of the edit change',
    cases: ['edit_file beside bad bytes'],
  },
  {
    fault: 'corrupts',
    what: 'an edit of a file with mixed line ends',
    reference: '2026.8.31 writes LF everywhere, 2.0.1 the ending that most lines have',
    ours: 'every other line keeps its own; the diff shows CR as it is',
    cases: ['edit_file of mixed endings'],
  },
  {
    fault: 'corrupts',
    what: 'an edit of a file with CRLF',
    reference: '2026.8.31 turns the whole file to LF; the diff shows no CR in either version',
    ours: 'CRLF stays, new lines get it where the old ones had it, and the diff shows it',
    cases: ['edit_file of CRLF', 'edit_file across lines of CRLF'],
  },
  {
    fault: 'corrupts',
    what: 'an edit of a binary file',
    reference: 'its bytes are decoded, replaced and written back',
    ours: 'refused',
    cases: ['edit_file of binary'],
  },
  {
    fault: 'corrupts',
    what: 'writing back what was read of a file that is not UTF-8',
    reference: 'written, with U+FFFD for the bytes that could not be read',
    ours: 'refused: edit_file changes the text around them',
    cases: ['write_file back what was read of bad bytes'],
  },
  {
    fault: 'corrupts',
    what: 'reading a file that is not UTF-8, or binary',
    reference: 'U+FFFD for what is no text, without a word',
    ours: 'a last line says so; what is binary is refused, and read_media_file reads it',
    cases: ['read_text_file bad bytes', 'read_text_file binary'],
  },
  {
    fault: 'loses',
    what: 'twenty edits of one file at once',
    reference: 'twenty successes, one or two edits in the file',
    ours: 'all twenty are in the file',
    cases: ['edit_file twenty at once'],
  },
  {
    fault: 'loses',
    what: 'moving a link',
    reference: 'moves the file that it leads to, and leaves a link to nothing; a link to nothing cannot be moved',
    ours: 'moves the link',
    cases: ['move_file a link', 'move_file a link onto nothing'],
  },
  {
    fault: 'loses',
    what: 'tail of a file that ends with a line end',
    reference: 'counts an empty line after it: one line fewer than asked for',
    ours: 'the last lines, counted as head counts',
    cases: ['read_text_file tail', 'read_text_file tail of CRLF'],
  },
  {
    fault: 'loses',
    what: 'a new file, or a new place, in a directory that is missing',
    reference: 'fails; 2.0.1 names the directory that the server was started in',
    ours: 'the directory is made',
    cases: ['write_file without a parent', 'move_file without a parent'],
  },
  {
    fault: 'loses',
    what: 'a file that is written through a link to nothing',
    reference: 'fails, and says that a directory is missing that is there',
    ours: 'the file that the link names is made',
    cases: ['write_file through a dangling link'],
  },
  {
    fault: 'loses',
    what: 'searching where a link leads to nothing',
    reference: 'the link is left out',
    ours: 'found like any other name',
    cases: ['search_files with a link to nothing'],
  },
  {
    fault: 'loses',
    what: 'a name with U+202F or another space that no keyboard has, sent with a plain one',
    reference: 'not found by 2026.8.31',
    ours: 'found, as in 2.0.1, if only one name looks the same',
    cases: ['read_text_file a name with another space'],
    only: '2026.8.31',
  },
  {
    fault: 'loses',
    what: 'a tree of thousands of files',
    reference: 'all of it, however many megabytes that is',
    ours: '2000 entries, the upper levels first; an entry of the type omitted stands where some are left out',
    cases: ['directory_tree of more than 2000 names'],
  },
  {
    fault: 'guesses',
    what: 'an edit of a text that occurs more than once',
    reference: 'changes the first one',
    ours: 'refused, with how many there are and in which lines',
    cases: ['edit_file of a text that is there three times'],
  },
  {
    fault: 'guesses',
    what: 'an edit of an empty text',
    reference: 'puts the new text at the beginning',
    ours: 'refused',
    cases: ['edit_file of no text'],
  },
  {
    fault: 'guesses',
    what: 'an edit whose text differs in white space',
    reference: 'changes the first lines that match when they are trimmed, and indents the new ones by its own rules',
    ours: 'refused, with what differs, where, and the text as it is: white space carries meaning',
    cases: ['edit_file of other white space', 'edit_file of trailing blanks'],
  },
  {
    fault: 'guesses',
    what: 'an edit that changes nothing',
    reference: 'success, and the file is written again',
    ours: 'the file stays untouched, and the answer says so; an edit of no items is refused',
    cases: ['edit_file to the same', 'edit_file of nothing'],
  },
  {
    fault: 'guesses',
    what: 'a number of lines that is none',
    reference: 'negative gives nothing, 1.5 gives 2',
    ours: 'refused',
    cases: ['read_text_file head -1', 'read_text_file head 1.5'],
  },
  {
    fault: 'guesses',
    what: 'an argument that there is not',
    reference: 'ignored, also a dryRun that was misspelled',
    ours: 'refused, naming the nearest one',
    cases: ['read_text_file an unknown argument'],
  },
  {
    fault: 'guesses',
    what: 'an empty path',
    reference: 'is the first allowed directory',
    ours: 'refused; `.` is that directory',
    cases: ['read_text_file no path'],
  },
  {
    fault: 'guesses',
    what: 'globs that can match nothing',
    reference: 'no matches: `./a.txt`, an empty pattern',
    ours: '`./` is left aside; an empty pattern is refused',
    cases: ['search_files ./a.txt', 'search_files '],
  },
  {
    fault: 'discloses',
    what: 'a path that leads outside, by `..`, by `~` or by a link',
    reference: 'the refusal names the real place',
    ours: 'the refusal names the path as it was sent',
    cases: [
      'read_text_file above',
      'read_text_file a link outside',
      'read_text_file below a link outside',
      'read_text_file a home',
      'write_file to a home',
      'write_file through a link outside',
      'move_file a link outside',
    ],
  },
  {
    fault: 'discloses',
    what: 'the size of a file outside, listed through a link',
    reference: 'told by 2026.8.31',
    ours: '0 B, as in 2.0.1',
    cases: ['list_directory_with_sizes of a link outside'],
    only: '2026.8.31',
  },
  {
    fault: 'form',
    what: 'arguments of a wrong type, or missing',
    reference: 'the words of its schema library, in 2026.8.31 after `MCP error -32602:`',
    ours: 'our words after `Input validation error: Invalid arguments for tool …:`',
    cases: [
      'read_text_file a path that is missing',
      'read_text_file a path of a wrong type',
      'read_multiple_files none',
      'write_file without content',
      'list_directory_with_sizes by nonsense',
    ],
  },
  {
    fault: 'form',
    what: 'failures in a list of files',
    reference: 'the reason',
    ours: 'the reason, and what to do next, as everywhere',
    cases: ['read_multiple_files of text'],
  },
  {
    fault: 'form',
    what: 'the words of some refusals',
    reference: 'the names of its own temporary files, or of the call that the system refused',
    ours: 'the path and what is the matter with it',
    cases: ['write_file on a directory', 'move_file into itself'],
  },
  {
    fault: 'form',
    what: 'relative paths in refusals',
    reference: '2.0.1 names the last part of the path alone',
    ours: 'the whole path',
    cases: ['create_directory on a file', 'move_file nothing'],
    only: '2.0.1',
  },
  {
    fault: 'form',
    what: 'the first lines of a file with CRLF',
    reference: 'the last of them keeps its CR',
    ours: 'CR is a part of the line end, and the last line end is left out',
    cases: ['read_text_file head of CRLF'],
  },
  {
    fault: 'form',
    what: 'the order of names',
    reference: 'as the disk gives them, or by the rules of the language of the machine',
    ours: 'by code point, everywhere',
    cases: ['list_directory_with_sizes of names in both cases'],
  },
  {
    fault: 'form',
    what: 'the MIME type of a file that is no image and no sound',
    reference: '`application/octet-stream`',
    ours: 'what its name says',
    cases: ['read_media_file document'],
  },
  {
    fault: 'form',
    what: 'when a file was last read',
    reference: 'a time',
    ours: '`unknown`: no storage keeps it, since reading would be writing',
    cases: ['get_file_info of a file, all lines'],
  },
  {
    fault: 'form',
    what: 'the size of a directory',
    reference: 'that of its table on the disk',
    ours: '0',
    cases: ['get_file_info of a directory'],
  },
  {
    fault: 'form',
    what: '`!(a)`, `+(a)` and `*(a)` in globs',
    reference: 'known',
    ours: 'refused; `@(…)` and `?(…)` are known, as braces are',
    cases: ['search_files !(a).txt'],
  },
]
