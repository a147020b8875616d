/** What a file name's extension says about its content: MIME types (P-105). */

/** Extensions by MIME type. */
const TYPES: { readonly [type: string]: string } = {
  'application/json': 'json map webmanifest',
  'application/jsonl': 'jsonl ndjson',
  'application/pdf': 'pdf',
  'application/wasm': 'wasm',
  'application/xml': 'xml xsd xsl xslt plist',
  'application/toml': 'toml',
  'application/yaml': 'yaml yml',
  'application/zip': 'zip',
  'application/gzip': 'gz tgz',
  'application/x-bzip2': 'bz2',
  'application/x-xz': 'xz',
  'application/zstd': 'zst',
  'application/x-tar': 'tar',
  'application/x-7z-compressed': '7z',
  'application/vnd.rar': 'rar',
  'application/java-archive': 'jar war',
  'application/x-sqlite3': 'sqlite sqlite3 db',
  'application/sql': 'sql',
  'application/graphql': 'graphql gql',
  'application/rtf': 'rtf',
  'application/msword': 'doc',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'application/epub+zip': 'epub',
  'application/octet-stream': 'bin dat exe dll so dylib o a class pyc',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/flac': 'flac',
  'audio/ogg': 'ogg oga opus',
  'audio/mp4': 'm4a',
  'font/ttf': 'ttf',
  'font/otf': 'otf',
  'font/woff': 'woff',
  'font/woff2': 'woff2',
  'image/png': 'png',
  'image/jpeg': 'jpg jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/tiff': 'tif tiff',
  'image/svg+xml': 'svg',
  'image/vnd.microsoft.icon': 'ico',
  'text/css': 'css',
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'text/html': 'html htm',
  'text/javascript': 'js mjs cjs jsx',
  'text/markdown': 'md markdown mdx',
  'text/plain': 'txt text log conf cfg ini env lock',
  'text/x-asm': 's asm',
  'text/x-c': 'c h',
  'text/x-c++': 'cc cpp cxx hh hpp hxx',
  'text/x-clojure': 'clj cljs cljc edn',
  'text/x-csharp': 'cs',
  'text/x-dart': 'dart',
  'text/x-diff': 'diff patch',
  'text/x-elixir': 'ex exs',
  'text/x-erlang': 'erl hrl',
  'text/x-fsharp': 'fs fsx fsi',
  'text/x-go': 'go',
  'text/x-groovy': 'groovy gradle',
  'text/x-haskell': 'hs',
  'text/x-java': 'java',
  'text/x-julia': 'jl',
  'text/x-kotlin': 'kt kts',
  'text/x-less': 'less',
  'text/x-lisp': 'lisp el',
  'text/x-lua': 'lua',
  'text/x-makefile': 'mk',
  'text/x-dockerfile': 'dockerfile',
  'text/x-nix': 'nix',
  'text/x-objective-c': 'm mm',
  'text/x-ocaml': 'ml mli',
  'text/x-perl': 'pl pm',
  'text/x-php': 'php',
  'text/x-proto': 'proto',
  'text/x-python': 'py pyi pyw',
  'text/x-r': 'r',
  'text/x-rst': 'rst',
  'text/x-ruby': 'rb gemspec',
  'text/x-rust': 'rs',
  'text/x-scala': 'scala sc',
  'text/x-scss': 'scss sass',
  'text/x-sh': 'sh bash zsh fish ksh',
  'text/x-svelte': 'svelte',
  'text/x-swift': 'swift',
  'text/x-tex': 'tex sty bib',
  'text/x-typescript': 'ts mts cts tsx',
  'text/x-vue': 'vue',
  'text/x-zig': 'zig',
  'video/mp4': 'mp4 m4v',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
  'video/x-matroska': 'mkv',
  'video/x-msvideo': 'avi',
}

const BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries(TYPES).flatMap(([type, extensions]) => extensions.split(' ').map((extension) => [extension, type] as const)),
)

/** Names without an extension that say what they hold. */
const BY_NAME: ReadonlyMap<string, string> = new Map([
  ['makefile', 'text/x-makefile'],
  ['gnumakefile', 'text/x-makefile'],
  ['dockerfile', 'text/x-dockerfile'],
  ['containerfile', 'text/x-dockerfile'],
  ['gemfile', 'text/x-ruby'],
  ['rakefile', 'text/x-ruby'],
  ['.bashrc', 'text/x-sh'],
  ['.profile', 'text/x-sh'],
  ['.zshrc', 'text/x-sh'],
])

/** The last extension of a name in lower case, without its dot; `''` when there is none. A name that begins with a dot is all name. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : ''
}

/** The MIME type that a file's name promises; undefined when it says nothing. */
export function mimeTypeByName(name: string): string | undefined {
  return BY_NAME.get(name.toLowerCase()) ?? BY_EXTENSION.get(extensionOf(name))
}

/**
 * The MIME type of a file by its name. A name that says nothing, or something else than the content, gives `text/plain` for text
 * and `application/octet-stream` for binary.
 */
export function mimeType(name: string, binary: boolean): string {
  const type = mimeTypeByName(name)
  if (type === undefined || (binary && type.startsWith('text/'))) return binary ? 'application/octet-stream' : 'text/plain'
  return !binary && type === 'application/octet-stream' ? 'text/plain' : type
}
