/** Judges moves: a rename, or to another file system a copy of everything and its removal. */
import type { MoveChange, RecordedChange, Side } from '../../core/change.ts'
import { FilewrightError } from '../../core/errors.ts'
import { isWithin, joinPath, type Path } from '../../core/path.ts'
import { type Court, compare, dropOf, isApart, refIn, seenOf } from './court.ts'
import { checkNotStore, diskBelow, type Found } from './forecast.ts'
import type { Step } from './plan.ts'
import { expectState } from './sides.ts'

export function judgeMove(court: Court, change: MoveChange, found: Found | null, index: number): RecordedChange {
  const { parts, forecast } = court
  const { path, to } = change
  checkNotStore(to)
  const from = forecast.parent(path)
  if (!found) throw new FilewrightError('not_found', `${path} does not exist.`)
  const goal = forecast.peek(to)
  expectState(to, goal, 'absent', court.sideOf)
  if (isWithin(to, path)) throw new FilewrightError('invalid_argument', `${path} cannot be moved into itself.`)
  const parent = forecast.parent(to)
  compare(court, path, found)
  compare(court, to, goal)
  const side = court.sideOf(found)
  if (diskBelow(parent).device === diskBelow(from).device && !isApart(parts, path)) {
    court.steps.push({ do: 'move', path, to, seen: seenOf(found) })
    forecast.move(path, to)
  } else {
    const drops: Step[] = []
    carryOver(court, { path, to, parent, from, name: `m${index}.` }, found, drops)
    court.steps.push(...drops.reverse())
  }
  return { kind: 'move', path, to, before: side, after: side, kept: true }
}

interface Crossing {
  readonly path: Path
  readonly to: Path
  /** The directory that holds all that is moved: it stays. */
  readonly from: Found
  /** The directory that the entry comes into. */
  readonly parent: Found
  /** What staged names begin with. */
  readonly name: string
}

/** Copies an entry and what is in it; what removes it comes into `drops`, directories before what is in them. */
function carryOver(court: Court, crossing: Crossing, found: Found, drops: Step[]): void {
  const { parts, forecast, sideOf } = court
  const { path, to, parent, from, name } = crossing
  const number = `${name}${drops.length}`
  const staged = refIn(parts, to, parent, number)
  const side = sideOf(found)
  stageCopy(court, crossing, staged, found, side)
  court.steps.push({ do: 'put', staged, path: to, over: null, saved: null, hash: null })
  drops.push(dropOf(parts, path, from, found, `${number}d`, { path: to, made: staged }))
  const children = found.kind === 'directory' ? forecast.children(path) : []
  const carried: Found = { kind: found.kind, disk: null, stats: null, staged, side: side as Side, near: diskBelow(parent) }
  forecast.put(to, carried)
  for (const child of children) {
    const below = forecast.peek(joinPath(path, child)) as Found
    carryOver(court, { path: joinPath(path, child), to: joinPath(to, child), from, parent: carried, name }, below, drops)
  }
  forecast.drop(path)
}

function stageCopy(court: Court, { path, to, parent }: Crossing, name: string, found: Found, side: Side | null): void {
  const { staging } = court
  const place = { name, path: to, parent, owner: found.stats, mtimeMs: found.stats?.mtimeMs }
  switch (side?.kind) {
    case 'file':
      staging.push({ make: 'duplicate', ...place, mode: side.mode, from: found, hash: side.hash, size: side.size })
      return
    case 'directory':
      staging.push({ make: 'directory', name, path: to, mode: side.mode, parent, moved: found.stats })
      return
    case 'link':
      staging.push({ make: 'link', name, path: to, target: side.target })
      return
    default:
      throw new FilewrightError('unsupported', `${path} is neither a file, a directory nor a link: it cannot go to another file system.`)
  }
}
