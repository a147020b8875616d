/** Values that are made when they are first asked for: what a server may never need should not delay its start. */

/** Gives what `make` makes, which is called at the first time only. When it throws, the next time tries again. */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
