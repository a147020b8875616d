/** Random JSON, JSONC and YAML texts, written in as many ways as the formats have. */
import fc from 'fast-check'
import { key } from './patch_model.ts'

type Draw = <T>(arbitrary: fc.Arbitrary<T>) => T

/** JSON as people and programs write it: on one line, on many, mixed; with comments and trailing commas when `relaxed`. */
export function jsonText(relaxed: boolean): fc.Arbitrary<string> {
  return fc
    .tuple(fc.gen(), fc.constantFrom('\n', '\r\n'), fc.constantFrom('  ', '\t', '    '), fc.boolean())
    .map(([gen, eol, unit, bom]) => {
      const draw: Draw = (arbitrary) => gen(() => arbitrary)
      let comments = 0
      const comment = () =>
        relaxed && draw(fc.nat({ max: 4 })) === 0 ? draw(fc.constantFrom(` /* "c${++comments}" */`, ` // c${++comments}${eol}`)) : ''
      const write = (depth: number, indent: string): string => {
        const kind = depth > 3 ? 0 : draw(fc.nat({ max: depth === 0 ? 9 : 5 }))
        if (kind < 2)
          return draw(
            fc.constantFrom('1', '1.0', '-2e3', '12345678901234567890', '"s"', '"\\u0061\\n\\"x"', '"//"', 'true', 'null', '""', '"é😀"'),
          )
        const size = draw(fc.nat({ max: 4 }))
        const lines = draw(fc.boolean())
        const inner = indent + unit
        const names = new Set<string>()
        const items = Array.from({ length: size }, () => {
          if (kind % 2 === 1) return write(depth + 1, inner)
          const name = draw(key)
          if (names.has(name)) return null
          names.add(name)
          return `${JSON.stringify(name)}${draw(fc.constantFrom(':', ': ', ' : '))}${comment()}${write(depth + 1, inner)}`
        }).filter((item) => item !== null)
        const [open, close] = kind % 2 === 1 ? '[]' : '{}'
        if (items.length === 0) return open + (lines ? draw(fc.constantFrom('', ' ', eol + indent)) : '') + comment() + close
        const gap = draw(fc.constantFrom('', ' '))
        const separator = () => `${comment()},${comment()}${lines ? eol + inner : gap}`
        const trailing = relaxed && draw(fc.boolean()) ? ',' : ''
        const body = items.map((item, index) => item + (index < items.length - 1 ? separator() : trailing + comment())).join('')
        return lines ? `${open}${comment()}${eol}${inner}${body}${eol}${indent}${close}` : `${open}${comment()}${body}${close}`
      }
      return (bom ? '\ufeff' : '') + comment() + write(0, '') + comment() + draw(fc.constantFrom('', eol))
    })
}

/** YAML in block and flow style with comments, blank lines, anchors and aliases, tags, all scalar styles, and either line end. */
export function yamlText(options: { readonly anchors: boolean }): fc.Arbitrary<string> {
  return fc
    .tuple(fc.gen(), fc.constantFrom('\n', '\r\n'), fc.constantFrom(2, 2, 3, 4), fc.boolean(), fc.boolean())
    .map(([gen, eol, step, dashes, bom]) => {
      const draw: Draw = (arbitrary) => gen(() => arbitrary)
      let count = 0
      const chance = (one: number) => draw(fc.nat({ max: one - 1 })) === 0
      const comment = () => (chance(5) ? ` # c${++count}` : '')
      const between = (indent: string) => (chance(6) ? draw(fc.constantFrom(eol, `${indent}# above c${++count}${eol}`)) : '')
      const anchors: string[] = []
      const props = (): string => {
        if (options.anchors && chance(6)) {
          const name = `x${anchors.length}`
          anchors.push(name)
          return `&${name} `
        }
        return chance(12) ? draw(fc.constantFrom('!t ', '!!str ')) : ''
      }
      const flowScalar = () =>
        draw(fc.constantFrom('1', '1.0', '0x1F', 'plain', '"dou\\tble"', "'sin''gle'", 'null', 'true', 'a/b', '-x', '""', "''", 'é'))
      const keyText = () => draw(fc.constantFrom('a', 'b', 'c', 'k 1', '"q"', "'s'", '1', 'no', 'é', '__proto__', 'a/b'))
      const flow = (depth: number): string => {
        const kind = depth > 3 ? 0 : draw(fc.nat({ max: 5 }))
        if (kind < 4) return flowScalar()
        const pad = draw(fc.constantFrom('', ' '))
        const comma = draw(fc.constantFrom(', ', ',  '))
        const items = Array.from({ length: draw(fc.nat({ max: 3 })) }, () => flow(depth + 1))
        if (kind === 4) return `[${pad}${items.join(comma)}${pad}]`
        const names = [...new Set(items.map(keyText))]
        return `{${pad}${names.map((name, i) => `${name}: ${items[i]}`).join(comma)}${pad}}`
      }
      /** What follows a `:` or `-`, up to and with its line end. */
      const after = (depth: number, column: number, inList: boolean): string => {
        const kind = depth > 3 ? draw(fc.nat({ max: 6 })) : draw(fc.nat({ max: 11 }))
        const indent = ' '.repeat(column + step)
        if (kind < 3) return ` ${props()}${flowScalar()}${comment()}${eol}`
        if (kind === 3) return chance(2) ? `${comment()}${eol}` : ` ${props()}${flow(depth + 1)}${comment()}${eol}`
        if (kind === 4) {
          const header = draw(fc.constantFrom('|', '|-', '>', '|+'))
          return ` ${props()}${header}${comment()}${eol}${indent}text${eol}${chance(2) ? `${indent}  more${eol}` : ''}${header === '|+' && chance(2) ? eol : ''}`
        }
        if (kind === 5 && options.anchors && anchors.length > 0) return ` *${draw(fc.constantFrom(...anchors))}${comment()}${eol}`
        if (kind === 6) return ` ${draw(fc.constantFrom(`long plain${eol}${indent}text`, `"two${eol}${indent}lines"`))}${comment()}${eol}`
        if (kind < 9) {
          const width = inList && chance(2) ? column + 2 : column + step
          const lead = width === column + 2 && inList ? ' ' : `${chance(4) ? ` ${props()}`.trimEnd() : ''}${comment()}${eol}`
          return lead + map(depth + 1, width, lead === ' ')
        }
        const width = inList ? column + 2 : column + (dashes ? step : 0)
        const lead = inList && chance(2) ? ' ' : `${comment()}${eol}`
        return lead + list(depth + 1, lead === ' ' ? column + 2 : width, lead === ' ')
      }
      const rows = (column: number, begun: boolean, lines: readonly string[]): string =>
        lines.map((line, index) => (index === 0 && begun ? line : between(' '.repeat(column)) + ' '.repeat(column) + line)).join('')
      const map = (depth: number, column: number, begun: boolean): string => {
        const names = [...new Set(Array.from({ length: 1 + draw(fc.nat({ max: 3 })) }, keyText))]
        return rows(
          column,
          begun,
          names.map((name) => `${name}:${after(depth, column, false)}`),
        )
      }
      const list = (depth: number, column: number, begun: boolean): string =>
        rows(
          column,
          begun,
          Array.from({ length: 1 + draw(fc.nat({ max: 3 })) }, () => `-${after(depth, column, true)}`),
        )
      const head = draw(
        fc.constantFrom('', '', '# head', '---', '%YAML 1.2\n---').map((text) => (text === '' ? '' : text.replace('\n', eol) + eol)),
      )
      const body = chance(8) ? `${flow(0)}${eol}` : chance(3) ? list(0, 0, false) : map(0, 0, false)
      const text = head + body
      return (bom ? '\ufeff' : '') + (chance(4) ? text.replace(/\r?\n$/, '') : text)
    })
}
