import { setTimeout } from 'node:timers/promises'

/**
 * Asks all of a chain's providers the same at once.
 *
 * @param wordOf what of an answer others may say too: once more than half of all providers say the same, the rest
 *   isn't waited for
 * @returns what those say that answer in time, in the order in which they answered
 * @throws what the first one said when none answers
 */
export type QueryAll<Client> = <Answer>(
  ask: (client: Client) => Promise<Answer>,
  wordOf?: (answer: Answer) => string,
) => Promise<Answer[]>

/** Milliseconds for the other providers to answer once one has. */
const OTHERS_MS = 1_000

/**
 * One that has kept a question waiting for too long isn't waited for again until it has answered.
 *
 * @param leftOut those of them that aren't asked now
 */
export function queryAllOf<Client>(
  all: readonly Client[],
  leftOut: () => ReadonlySet<Client> = () => new Set(),
): QueryAll<Client> {
  const late = new Set<Client>()
  return async (ask, wordOf) => {
    const out = leftOut()
    const clients = all.filter((client) => !out.has(client))
    const answers: Awaited<ReturnType<typeof ask>>[] = []
    const counts = new Map<string, number>()
    const waited = new Set(clients.filter((client) => !late.has(client)))
    const { promise: enough, resolve } = Promise.withResolvers<void>()
    const asked = clients.map(async (client) => {
      try {
        const answer = await ask(client)
        late.delete(client)
        answers.push(answer)
        const word = wordOf?.(answer)
        const count = 1 + (word === undefined ? 0 : (counts.get(word) ?? 0))
        if (word !== undefined) counts.set(word, count)
        if (word !== undefined && 2 * count > clients.length) resolve()
      } finally {
        waited.delete(client)
        if (waited.size === 0 && answers.length > 0) resolve()
      }
    })
    const ended = Promise.allSettled(asked)
    await Promise.any(asked).catch(throwFirst)
    const patience = setTimeout(OTHERS_MS, 'over', { ref: false })
    const end = await Promise.race([ended, enough, patience])
    if (end === 'over') for (const client of waited) late.add(client)
    return [...answers]
  }
}

/** For `Promise.any`. @throws what the first one said */
export function throwFirst({ errors: [first] }: AggregateError): never {
  throw first
}
