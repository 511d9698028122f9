/** Places that clients hold, such as one for each open connection. */
type FairSlots<Holder> = {
  /**
   * Takes a place. If all are taken, the client with the most loses its newest to a client that holds fewer.
   *
   * @returns false if there is no place for this client; otherwise the holder that has to leave, if any
   */
  take(client: string, holder: Holder): false | { leaving: Holder | null }
  /** Gives a place back. Does nothing for a holder that already had to leave. */
  give(client: string, holder: Holder): void
  heldBy(client: string): number
  /** Places taken. */
  size(): number
}

/** Shares places so that a late client can get as many as one that took all it could. */
export function createFairSlots<Holder>(places: number): FairSlots<Holder> {
  /** By client, the oldest first. */
  const held = new Map<string, Holder[]>()
  /** Clients by how many they hold: finds the largest without a search through all. */
  const levels: Set<string>[] = []
  let total = 0

  const move = (client: string, from: number, to: number) => {
    levels[from]?.delete(client)
    levels[to] ??= new Set()
    levels[to].add(client)
    while (levels.length > 1 && levels.at(-1)?.size === 0) levels.pop()
    total += to - from
  }
  const give = (client: string, holder: Holder) => {
    const own = held.get(client)
    const at = own?.indexOf(holder) ?? -1
    if (!own || at < 0) return
    own.splice(at, 1)
    move(client, own.length + 1, own.length)
    if (own.length > 0) return
    held.delete(client)
    levels[0]?.delete(client)
  }
  const newestOfLargest = (): { client: string; holder: Holder } | null => {
    const [client] = levels.at(-1) ?? []
    const holder = client === undefined ? undefined : held.get(client)?.at(-1)
    return client === undefined || holder === undefined ? null : { client, holder }
  }

  return {
    give,
    heldBy: (client) => held.get(client)?.length ?? 0,
    size: () => total,
    take: (client, holder) => {
      const own = held.get(client) ?? []
      const isFull = total >= places
      // If this client would hold as many as the largest does now, an exchange would only swap the two.
      if (isFull && levels.length - 1 <= own.length + 1) return false
      const leaving = isFull ? newestOfLargest() : null
      if (leaving) give(leaving.client, leaving.holder)
      own.push(holder)
      held.set(client, own)
      move(client, own.length - 1, own.length)
      return { leaving: leaving?.holder ?? null }
    },
  }
}
