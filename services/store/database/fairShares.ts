import { AsyncLocalStorage } from 'node:async_hooks'

/** The client on whose behalf we read; absent for our own reads. */
const reader = new AsyncLocalStorage<string | undefined>()

/** Runs `work` with its database reads in this client's share. */
export function readingFor<Result>(client: string, work: () => Result): Result {
  return reader.run(client, work)
}

/**
 * Runs `work` with its database reads in no client's share, because several clients wait for them.
 */
export function readingForAll<Result>(work: () => Result): Result {
  return reader.run(undefined, work)
}

/** The client on whose behalf we read; null for our own reads. */
export function currentReader(): string | null {
  return reader.getStore() ?? null
}

/** A client's earlier reads took so long that this one timed out waiting. */
export class ShareExhaustedError extends Error {
  override name = 'ShareExhaustedError'
}

type ShareTerms = {
  /** Limit on one client's connections. */
  atOnce: number
  /** Number of connections; the last two are for clients without any. Default: unlimited. */
  total?: number
  /** Limit on one client's waiting reads. Default 1,000. */
  waiting?: number
  /** Milliseconds that a read waits at most. */
  timeoutMs: number
}

/** Shares a pool among clients. */
export type FairShares = {
  /** Waits for the current client's turn; the returned function ends it. @throws ShareExhaustedError */
  enter(): Promise<() => void>
}

/** Connections that are only for clients without any. */
const RESERVED = 2

type Client = { running: number; queue: Set<() => void> }

/**
 * Limits each client's share of a pool, so that the slow reads of one or a few can't occupy every connection: one GraphQL
 * query may cause any number of reads. Reads outside `readingFor` aren't limited.
 */
export function createFairShares(terms: ShareTerms): FairShares {
  const { atOnce, total = Number.POSITIVE_INFINITY, waiting = 1_000, timeoutMs } = terms
  const clients = new Map<string, Client>()
  const queued = new Set<Client>()
  let running = 0

  const mayEnter = (client: Client) =>
    client.running === 0 || (client.running < atOnce && running < total - RESERVED)
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
  const leaverOf = (name: string, client: Client) => {
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
  const waitForTurn = (client: Client): Promise<void> =>
    new Promise((resolve, reject) => {
      const stopWaiting = () => {
        client.queue.delete(takeTurn)
        if (client.queue.size === 0) queued.delete(client)
        clearTimeout(timer)
      }
      const takeTurn = () => {
        stopWaiting()
        begin(client)
        resolve()
      }
      const timer = setTimeout(() => {
        stopWaiting()
        reject(new ShareExhaustedError('earlier reads of this client are still running'))
      }, timeoutMs)
      client.queue.add(takeTurn)
      queued.add(client)
    })

  return {
    async enter() {
      const name = reader.getStore()
      if (name === undefined) return () => {}
      const client = clients.get(name) ?? { running: 0, queue: new Set() }
      clients.set(name, client)
      if (mayEnter(client)) begin(client)
      else if (client.queue.size < waiting) await waitForTurn(client)
      else throw new ShareExhaustedError('too many reads of this client are waiting')
      return leaverOf(name, client)
    },
  }
}
