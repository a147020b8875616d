/** What a storage can do, as data that is shown to users and read by tools. */
import type { Anchor } from './path.ts'

/** Facts about one open storage. An adapter never claims more than its tests prove. */
export interface Traits extends Anchor {
  /** The adapter's name: `memory`, `node`, `sqlite`, … */
  readonly adapter: string
  readonly symlinks: boolean
  /** Which permission bits are kept: all nine, the executable bit, or none. */
  readonly modes: 'posix' | 'executable' | 'none'
  readonly caseSensitive: boolean
  /**
   * How a path stays inside the root while others rename things: `race-free` (walked by directory handles),
   * `check-after-open` (verified once opened), or `virtual` (there is no outside).
   */
  readonly confinement: 'race-free' | 'check-after-open' | 'virtual'
  /** What a success survives: `power` a power cut, `process` a killed process, `memory` nothing. */
  readonly durability: 'power' | 'process' | 'memory'
  /** Whether a commit of many changes is all or nothing, also across a crash. */
  readonly atomic: boolean
  /** True when other programs can change the files behind the workspace's back. */
  readonly shared: boolean
  readonly limits: Limits
}

/** Limits as numbers; bytes unless a name says otherwise. */
export interface Limits {
  /** Largest file. */
  readonly fileBytes: number
  /** Largest file that is read whole as text (contract C-37); views by windows have no such limit. */
  readonly textBytes: number
  /** Largest content that travels inside a change; larger content is staged first. */
  readonly inlineBytes: number
  /** Most changes in one commit. */
  readonly changes: number
}

/** 64 MiB: the default of {@link Limits.textBytes} where memory is plentiful. */
export const TEXT_BYTES: number = 64 * 1024 * 1024
/** 16 MiB: the default of {@link Limits.textBytes} on the edge and in a browser. */
export const EDGE_TEXT_BYTES: number = 16 * 1024 * 1024
/** 1 MiB: content above this is staged before the commit. */
export const INLINE_BYTES: number = 1024 * 1024

/** What all storages have in common that keep a whole tree of their own, with nothing outside it. */
export const VIRTUAL_TRAITS: Omit<Traits, 'adapter' | 'durability' | 'shared' | 'limits'> = {
  root: '',
  aliases: [],
  symlinks: true,
  modes: 'posix',
  caseSensitive: true,
  confinement: 'virtual',
  atomic: true,
}
