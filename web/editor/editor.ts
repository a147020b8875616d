/** The text editor, loaded when the first file is opened. */
import { css } from '@codemirror/lang-css'
import { html } from '@codemirror/lang-html'
import { javascript } from '@codemirror/lang-javascript'
import { json } from '@codemirror/lang-json'
import { markdown } from '@codemirror/lang-markdown'
import { python } from '@codemirror/lang-python'
import { yaml } from '@codemirror/lang-yaml'
import type { LanguageSupport } from '@codemirror/language'
import { Compartment, EditorState } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { basicSetup } from 'codemirror'
import type { EditableText } from './text_file.ts'

/** An editor in a page. */
export interface Editor {
  text(): string
  /** Replaces everything, as after a change from elsewhere. */
  reset(file: EditableText): void
  goTo(line: number): void
  destroy(): void
}

/** What an editor tells. */
export interface EditorEvents {
  readonly changed: () => void
  readonly save: () => void
}

/**
 * Puts an editor into an element. It lives in a shadow root: there its styles are adopted sheets, which the page's policy
 * allows, and not style elements, which it refuses.
 */
export function createEditor(parent: HTMLElement, path: string, file: EditableText, events: EditorEvents): Editor {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' })
  const separator = new Compartment()
  const save = (): boolean => {
    events.save()
    return true
  }
  const stateOf = ({ text, lineSeparator }: EditableText): EditorState =>
    EditorState.create({
      doc: text,
      extensions: [
        separator.of(EditorState.lineSeparator.of(lineSeparator)),
        keymap.of([{ key: 'Mod-s', run: save, preventDefault: true }]),
        basicSetup,
        languageOf(path) ?? [],
        EditorView.updateListener.of((update) => update.docChanged && events.changed()),
        EditorView.contentAttributes.of({ 'aria-label': `Text of ${path}` }),
        theme,
      ],
    })
  const view = new EditorView({ state: stateOf(file), parent: root, root })
  return {
    text: () => view.state.sliceDoc(),
    reset: (next) => view.setState(stateOf(next)),
    goTo(line) {
      const { from } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines))
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
      view.focus()
    },
    destroy: () => view.destroy(),
  }
}

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', color: 'var(--ink)', backgroundColor: 'var(--paper)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-gutters': { backgroundColor: 'var(--shade)', color: 'var(--quiet)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--select) !important',
  },
})

const LANGUAGES: { readonly [extension: string]: () => LanguageSupport } = {
  css,
  html,
  htm: html,
  svg: html,
  js: () => javascript(),
  mjs: () => javascript(),
  cjs: () => javascript(),
  jsx: () => javascript({ jsx: true }),
  ts: () => javascript({ typescript: true }),
  mts: () => javascript({ typescript: true }),
  cts: () => javascript({ typescript: true }),
  tsx: () => javascript({ typescript: true, jsx: true }),
  json,
  md: () => markdown(),
  py: python,
  yaml,
  yml: yaml,
}

/** A language's support by the name's ending. */
function languageOf(path: string): LanguageSupport | undefined {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  return Object.hasOwn(LANGUAGES, extension) ? LANGUAGES[extension]?.() : undefined
}
