/** The repository as one call sees it: for reading, and without the paths that are not there for it. */
import { isWithin, type Path } from '../../core/path.ts'
import type { PathFilter, Repository, RepositoryReads } from '../../core/repository.ts'

/** What a call may see. */
export interface Sight {
  /** Whether a path is there for the call. */
  readonly shows: (path: Path) => boolean
  /** The directories that it must stay in; null for the whole workspace. */
  readonly places: readonly Path[] | null
  readonly signal: AbortSignal
}

/** A repository of which nothing is told but what the call may see. Commits of which it may see nothing are left out of logs. */
export function readsOf(repository: Repository, { shows, places, signal }: Sight): RepositoryReads {
  /** What a filter comes to inside of the places. */
  const within = <Filter extends PathFilter>(filter: Filter): Filter => {
    const paths = places === null ? filter.paths : placesWithin(places, filter.paths)
    return { signal, ...filter, ...(paths && { paths }) }
  }
  const seen = <Told extends { readonly path: Path }>(all: readonly Told[]): Told[] => all.filter(({ path }) => shows(path))
  return {
    async status(filter = {}) {
      const status = await repository.status(within(filter))
      return { ...status, changes: seen(status.changes), beside: status.beside.filter(shows) }
    },
    async log(query = {}) {
      const narrowed = within(query)
      return narrowed.paths?.length === 0 ? [] : repository.log(narrowed)
    },
    resolve: (revision) => repository.resolve(revision),
    commit: (oid) => repository.commit(oid),
    diff: async (from, to, filter = {}) => seen(await repository.diff(from, to, within(filter))),
    entryAt: async (commit, path) => (shows(path) ? repository.entryAt(commit, path) : null),
    blob: (oid, maxBytes) => repository.blob(oid, maxBytes),
    prefetch: (oids) => repository.prefetch(oids),
    branches: () => repository.branches(),
    tags: () => repository.tags(),
  }
}

/** The parts of the places that the paths ask for. */
function placesWithin(places: readonly Path[], paths: readonly Path[] | undefined): readonly Path[] {
  if (paths === undefined) return places
  return paths.flatMap((path) => (places.some((place) => isWithin(path, place)) ? [path] : places.filter((place) => isWithin(place, path))))
}
