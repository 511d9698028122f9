const module = new URL('../../../ponder.schema.ts', import.meta.url).href

/** Ponder's `onchainTable` looks here for the database schema of the tables that it makes. */
type Namespace = { PONDER_NAMESPACE_BUILD?: { schema: string } | undefined }

let loading: Promise<unknown> = Promise.resolve()

/**
 * `ponder.schema.ts` with its tables in a database schema, as Ponder itself loads it.
 *
 * Evaluates the module once for each schema, one at a time, since it reads its schema from a global.
 */
export function loadPonderSchema(schema: string): Promise<object> {
  const loaded = loading.then(async () => {
    const namespace = globalThis as Namespace
    const before = namespace.PONDER_NAMESPACE_BUILD
    namespace.PONDER_NAMESPACE_BUILD = { schema }
    try {
      return (await import(`${module}?schema=${schema}`)) as object
    } finally {
      namespace.PONDER_NAMESPACE_BUILD = before
    }
  })
  loading = loaded.catch(() => {})
  return loaded
}
