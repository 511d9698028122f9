/** Slots that clients hold, such as one for each open connection. */
type FairSlots<Holder> = {
  /**
   * Takes a slot. If all are taken, the client with the most slots loses its newest to a client with fewer.
   *
   * @returns false if there is no slot for this client; otherwise the evicted holder, if any
   */
  take(client: string, holder: Holder): false | { evicted: Holder | null }
  /** Releases a slot. Does nothing for an evicted holder. */
  release(client: string, holder: Holder): void
  heldBy(client: string): number
  size(): number
}

/** Shares slots so that a late client can get as many as one that took all it could. */
export function createFairSlots<Holder>(slots: number): FairSlots<Holder> {
  /** Holders by client, oldest first. */
  const held = new Map<string, Holder[]>()
  /** Clients by the number of slots they hold, to find the largest without a search. */
  const byCount: Set<string>[] = []
  let total = 0

  const move = (client: string, from: number, to: number) => {
    byCount[from]?.delete(client)
    byCount[to] ??= new Set()
    byCount[to].add(client)
    while (byCount.length > 1 && byCount.at(-1)?.size === 0) byCount.pop()
    total += to - from
  }
  const release = (client: string, holder: Holder) => {
    const own = held.get(client)
    const at = own?.indexOf(holder) ?? -1
    if (!own || at < 0) return
    own.splice(at, 1)
    move(client, own.length + 1, own.length)
    if (own.length > 0) return
    held.delete(client)
    byCount[0]?.delete(client)
  }
  const newestOfLargestHolder = (): { client: string; holder: Holder } | null => {
    const [client] = byCount.at(-1) ?? []
    const holder = client === undefined ? undefined : held.get(client)?.at(-1)
    return client === undefined || holder === undefined ? null : { client, holder }
  }

  return {
    release,
    heldBy: (client) => held.get(client)?.length ?? 0,
    size: () => total,
    take: (client, holder) => {
      const own = held.get(client) ?? []
      const isFull = total >= slots
      // If this client would then hold as many as the largest does now, evicting would only swap the two.
      if (isFull && byCount.length - 1 <= own.length + 1) return false
      const evicted = isFull ? newestOfLargestHolder() : null
      if (evicted) release(evicted.client, evicted.holder)
      own.push(holder)
      held.set(client, own)
      move(client, own.length - 1, own.length)
      return { evicted: evicted?.holder ?? null }
    },
  }
}
