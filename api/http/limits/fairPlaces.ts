/** Places that clients hold for as long as something of theirs is open. */
export type FairPlaces<Holder> = {
  /**
   * Takes a place. Once all are taken, the newest of whoever holds most has to leave for a client that holds less.
   *
   * @returns false when there is none for this client; otherwise who has to leave, if anybody has
   */
  take(client: string, holder: Holder): false | { leaving: Holder | null }
  /** Gives a place back; of one that had to leave already, nothing happens. */
  give(client: string, holder: Holder): void
}

/** Shares a number of places so that a client that comes late gets as many as one that took all it could. */
export function createFairPlaces<Holder>(places: number): FairPlaces<Holder> {
  /** By client, the oldest first. */
  const held = new Map<string, Holder[]>()
  /** Clients by how many they hold: with many of them, nobody looks through all for the largest. */
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
    take: (client, holder) => {
      const own = held.get(client) ?? []
      const isFull = total >= places
      // One that would then hold as many as the largest gains nothing that another doesn't lose.
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
