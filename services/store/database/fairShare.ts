import { AsyncLocalStorage } from 'node:async_hooks'

/** The client whose reads these are; absent for our own. */
const reader = new AsyncLocalStorage<string | undefined>()

/** Runs `work` so that whatever it reads from the database is read in this client's share. */
export function readingFor<Result>(client: string, work: () => Result): Result {
  return reader.run(client, work)
}

/**
 * Runs `work` so that its reads count for no client: others wait for them too, so no client's share may delay
 * them.
 */
export function readingForAll<Result>(work: () => Result): Result {
  return reader.run(undefined, work)
}

/** The client whose reads these are; null for our own. */
export function currentReader(): string | null {
  return reader.getStore() ?? null
}

/** A client's earlier reads took so long that this one never got its turn. */
export class ShareExhaustedError extends Error {
  override name = 'ShareExhaustedError'
}

type ShareTerms = {
  /** Connections that one client may hold at once. */
  atOnce: number
  /** Connections that there are. The last two go to clients that hold none. Default: any number. */
  total?: number
  /** Reads of one client that may wait for their turn. Default 1,000. */
  waiting?: number
  /** Milliseconds that they wait. */
  patienceMs: number
}

/** Gives each client its share of a pool. */
export type Shares = {
  /** Waits for the current client's turn; returns what ends it. Throws ShareExhaustedError. */
  enter(): Promise<() => void>
}

/** Connections that are only for clients without any. */
const KEPT = 2

type Client = { running: number; queue: Set<() => void> }

/**
 * Shares of a pool by client, so that slow reads of one (each as slow as a statement may be, any number
 * in one GraphQL query), or of a few together, can't hold every connection. Reads outside `readingFor`
 * are let through.
 */
export function createShares(terms: ShareTerms): Shares {
  const { atOnce, total = Number.POSITIVE_INFINITY, waiting = 1_000, patienceMs } = terms
  const clients = new Map<string, Client>()
  const queued = new Set<Client>()
  let running = 0

  const mayEnter = (client: Client) =>
    client.running === 0 || (client.running < atOnce && running < total - KEPT)
  const begin = (client: Client) => {
    client.running += 1
    running += 1
  }
  const serveQueued = () => {
    for (const client of queued) {
      while (mayEnter(client)) {
        const [next] = client.queue
        if (!next) break
        next()
      }
    }
  }
  const leaveOnce = (name: string, client: Client) => {
    let left = false
    return () => {
      if (left) return
      left = true
      client.running -= 1
      running -= 1
      serveQueued()
      if (client.running === 0 && client.queue.size === 0) clients.delete(name)
    }
  }
  const turnOf = (client: Client): Promise<void> =>
    new Promise((resolve, reject) => {
      const stopWaiting = () => {
        client.queue.delete(taken)
        if (client.queue.size === 0) queued.delete(client)
        clearTimeout(timer)
      }
      const taken = () => {
        stopWaiting()
        begin(client)
        resolve()
      }
      const timer = setTimeout(() => {
        stopWaiting()
        reject(new ShareExhaustedError('earlier reads of this client are still running'))
      }, patienceMs)
      client.queue.add(taken)
      queued.add(client)
    })

  return {
    async enter() {
      const name = reader.getStore()
      if (name === undefined) return () => {}
      const client = clients.get(name) ?? { running: 0, queue: new Set() }
      clients.set(name, client)
      if (mayEnter(client)) begin(client)
      else if (client.queue.size < waiting) await turnOf(client)
      else throw new ShareExhaustedError('too many reads of this client are waiting')
      return leaveOnce(name, client)
    },
  }
}
