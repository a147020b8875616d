/** The shortest way from one sequence of numbers to another, after Myers: in linear space, and with a limit on its work. */

/** Receives the items that only one of the sequences has. */
export interface Unmatched {
  a(index: number): void
  b(index: number): void
}

/** Work for one split never falls below this many steps out from each end. */
const LEAST_COST = 64
/** Steps of all splits together stay in this order of magnitude, however long the sequences are. */
const WORK: number = 2 ** 28

/**
 * Compares two sequences. The result is always right, and the shortest as long as the limit is not met: where too much differs,
 * a split is made at the farthest point reached. There is no clock in it: equal input gives equal output.
 */
export function compareSequences(a: Int32Array, b: Int32Array, unmatched: Unmatched): void {
  const length = a.length + b.length
  const search = createSearch(a, b, costLimit(length))
  const pending = [0, a.length, 0, b.length]
  while (pending.length > 0) {
    let bEnd = pending.pop() as number
    let bStart = pending.pop() as number
    let aEnd = pending.pop() as number
    let aStart = pending.pop() as number
    while (aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart]) {
      aStart++
      bStart++
    }
    while (aStart < aEnd && bStart < bEnd && a[aEnd - 1] === b[bEnd - 1]) {
      aEnd--
      bEnd--
    }
    if (aStart === aEnd) for (; bStart < bEnd; bStart++) unmatched.b(bStart)
    else if (bStart === bEnd) for (; aStart < aEnd; aStart++) unmatched.a(aStart)
    else {
      const [x, y] = search(aStart, aEnd, bStart, bEnd)
      pending.push(aStart, x, bStart, y, x, aEnd, y, bEnd)
    }
  }
}

/** About the square root of the length, less for very long sequences. */
function costLimit(length: number): number {
  let root = 256
  while (root * root < length) root *= 2
  return Math.max(LEAST_COST, Math.min(root, Math.floor(WORK / length)))
}

type Search = (aStart: number, aEnd: number, bStart: number, bEnd: number) => readonly [number, number]

/**
 * Finds a point on a shortest way by walking from both ends until the walks meet. `forward[d]` and `backward[d]` are the farthest
 * places reached on diagonal `d` (index in `a` minus index in `b`), as indexes in `a`.
 */
function createSearch(a: Int32Array, b: Int32Array, limit: number): Search {
  const origin = b.length + 1
  const forward = new Int32Array(a.length + b.length + 3)
  const backward = new Int32Array(a.length + b.length + 3)
  const NONE = 0x7fffffff
  return (aStart, aEnd, bStart, bEnd) => {
    const [lowest, highest] = [aStart - bEnd, aEnd - bStart]
    const [start, end] = [aStart - bStart, aEnd - bEnd]
    let [forwardLow, forwardHigh, backwardLow, backwardHigh] = [start, start, end, end]
    const odd = ((start - end) & 1) !== 0
    forward[origin + start] = aStart
    backward[origin + end] = aEnd
    for (let cost = 1; ; cost++) {
      if (forwardLow > lowest) forward[origin + --forwardLow - 1] = -1
      else forwardLow++
      if (forwardHigh < highest) forward[origin + ++forwardHigh + 1] = -1
      else forwardHigh--
      for (let d = forwardHigh; d >= forwardLow; d -= 2) {
        const below = forward[origin + d - 1] as number
        const above = forward[origin + d + 1] as number
        let x = below < above ? above : below + 1
        let y = x - d
        while (x < aEnd && y < bEnd && a[x] === b[y]) {
          x++
          y++
        }
        forward[origin + d] = x
        if (odd && backwardLow <= d && d <= backwardHigh && (backward[origin + d] as number) <= x) return [x, y]
      }
      if (backwardLow > lowest) backward[origin + --backwardLow - 1] = NONE
      else backwardLow++
      if (backwardHigh < highest) backward[origin + ++backwardHigh + 1] = NONE
      else backwardHigh--
      for (let d = backwardHigh; d >= backwardLow; d -= 2) {
        const below = backward[origin + d - 1] as number
        const above = backward[origin + d + 1] as number
        let x = below < above ? below : above - 1
        let y = x - d
        while (aStart < x && bStart < y && a[x - 1] === b[y - 1]) {
          x--
          y--
        }
        backward[origin + d] = x
        if (!odd && forwardLow <= d && d <= forwardHigh && x <= (forward[origin + d] as number)) return [x, y]
      }
      if (cost >= limit) return farthest(aStart, aEnd, bStart, bEnd, forwardLow, forwardHigh, backwardLow, backwardHigh)
    }
  }

  /** The point that one of the walks carried farthest from where it began. */
  function farthest(
    aStart: number,
    aEnd: number,
    bStart: number,
    bEnd: number,
    forwardLow: number,
    forwardHigh: number,
    backwardLow: number,
    backwardHigh: number,
  ): readonly [number, number] {
    let [ahead, aheadX] = [-1, aStart]
    for (let d = forwardHigh; d >= forwardLow; d -= 2) {
      const x = Math.min(forward[origin + d] as number, aEnd, bEnd + d)
      if (x + x - d > ahead) [ahead, aheadX] = [x + x - d, x]
    }
    let [behind, behindX] = [NONE, aEnd]
    for (let d = backwardHigh; d >= backwardLow; d -= 2) {
      const x = Math.max(backward[origin + d] as number, aStart, bStart + d)
      if (x + x - d < behind) [behind, behindX] = [x + x - d, x]
    }
    return aEnd + bEnd - behind < ahead - (aStart + bStart) ? [aheadX, ahead - aheadX] : [behindX, behind - behindX]
  }
}
