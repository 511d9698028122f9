import { setTimeout } from 'node:timers/promises'

/**
 * Sends the same query to all of a chain's providers at once.
 *
 * @param keyOf identifies equal answers: once more than half of the providers agree, the rest isn't waited for
 * @returns the answers that came in time, in the order of their arrival
 * @throws the first provider's error if none answers
 */
export type QueryAllProviders<Client> = <Answer>(
  query: (client: Client) => Promise<Answer>,
  keyOf?: (answer: Answer) => string,
) => Promise<Answer[]>

/** Milliseconds that the other providers have once one has answered. */
const GRACE_MS = 1_000

/**
 * Queries these clients. One that was too late isn't waited for again until it has answered.
 *
 * @param excluded clients to skip at present
 */
export function createQueryAllProviders<Client>(
  all: readonly Client[],
  excluded: () => ReadonlySet<Client> = () => new Set(),
): QueryAllProviders<Client> {
  const late = new Set<Client>()
  return async (query, keyOf) => {
    const skipped = excluded()
    const clients = all.filter((client) => !skipped.has(client))
    const answers: Awaited<ReturnType<typeof query>>[] = []
    const counts = new Map<string, number>()
    const awaited = new Set(clients.filter((client) => !late.has(client)))
    const { promise: enough, resolve } = Promise.withResolvers<void>()
    const queries = clients.map(async (client) => {
      try {
        const answer = await query(client)
        late.delete(client)
        answers.push(answer)
        if (!keyOf) return
        const key = keyOf(answer)
        const count = 1 + (counts.get(key) ?? 0)
        counts.set(key, count)
        if (2 * count > clients.length) resolve()
      } finally {
        awaited.delete(client)
        if (awaited.size === 0 && answers.length > 0) resolve()
      }
    })
    const ended = Promise.allSettled(queries)
    await Promise.any(queries).catch(throwFirst)
    const timeout = setTimeout(GRACE_MS, 'timeout', { ref: false })
    const result = await Promise.race([ended, enough, timeout])
    if (result === 'timeout') for (const client of awaited) late.add(client)
    return [...answers]
  }
}

/** Handles a failed `Promise.any`. @throws the first error */
export function throwFirst({ errors: [first] }: AggregateError): never {
  throw first
}
