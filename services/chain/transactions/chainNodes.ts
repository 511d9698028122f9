import {
  type Address,
  createPublicClient,
  type Hash,
  type Hex,
  type PublicClient,
  TransactionNotFoundError,
} from 'viem'
import { createBatchedHttpTransport } from '../batchedHttpTransport.ts'
import { createViewKey, readViewReport, type ViewReport } from './chainViewReports.ts'
import { createPriorityFeeReader, type PriorityFees } from './priorityFees.ts'
import { createQueryAllProviders, type QueryAllProviders, throwFirst } from './queryAllProviders.ts'

/** A chain's providers, queried separately because any one of them may lie. */
export type ChainNodes = {
  /** How many there are. */
  count: number
  /**
   * Sends signed bytes to every provider, so that one that drops or withholds them doesn't matter. Resolves once one has
   * accepted them.
   *
   * @throws RefusedError with every provider's error if none accepts them
   */
  broadcast(raw: Hex): Promise<void>
  /**
   * Whether any provider has the transaction, mined or pending. Providers that don't answer are ignored.
   *
   * @throws the first one's error if none answers
   */
  isKnown(hash: Hash): Promise<boolean>
  /** Each provider's view of an account, without stalled providers. */
  viewAccount(account: Address): Promise<ViewReport[]>
  /** Queries all providers, except those that were stalled at the last `viewAccount`. */
  queryAll: QueryAllProviders<PublicClient>
  /** Current priority fees, by agreement of all nodes. */
  priorityFees(): Promise<PriorityFees>
}

/** No provider accepted a transaction. */
export class RefusedError extends Error {
  override name = 'RefusedError'
  /** The providers' errors, in their order. */
  readonly refusals: readonly unknown[]

  constructor(refusals: readonly unknown[]) {
    super('no provider accepted the transaction')
    this.refusals = refusals
  }
}

export function createChainNodes(rpcUrls: readonly string[]): ChainNodes {
  const clientsThat = (retryCount: number) =>
    rpcUrls.map((url) =>
      createPublicClient({
        transport: createBatchedHttpTransport(url, { timeout: 5_000, retryCount }),
        // The head must be fresh.
        cacheTime: 0,
      }),
    )
  const clients = clientsThat(0)
  const readers = clientsThat(1)
  const heads = new Map<PublicClient, SeenHead>()
  const queryEach = createQueryAllProviders(readers)
  return {
    count: rpcUrls.length,
    async viewAccount(account) {
      const answers = await queryEach(
        async (client) => {
          const report = await readViewReport(client, account)
          noteHead(heads, client, report.head, performance.now())
          return { client, report }
        },
        ({ report }) => createViewKey(report),
      )
      const stalled = findStalledProviders(heads, performance.now())
      const live = answers.filter(({ client }) => !stalled.has(client))
      return (live.length > 0 ? live : answers).map(({ report }) => report)
    },
    queryAll: createQueryAllProviders(readers, () =>
      findStalledProviders(heads, performance.now()),
    ),
    priorityFees: createPriorityFeeReader(readers),
    async broadcast(raw) {
      const sent = clients.map((client) =>
        client.sendRawTransaction({ serializedTransaction: raw }),
      )
      await Promise.any(sent).catch(({ errors }: AggregateError) => {
        throw new RefusedError(errors)
      })
    },
    async isKnown(hash) {
      const answers = clients.map((client) => hasTransaction(client, hash))
      const positive = answers.map(async (answer) => (await answer) || Promise.reject())
      const isAnywhere = await Promise.any(positive).catch(() => false)
      // By now each has answered or failed.
      return isAnywhere || Promise.any(answers).catch(throwFirst)
    },
  }
}

async function hasTransaction(client: PublicClient, hash: Hash): Promise<boolean> {
  try {
    await client.getTransaction({ hash })
    return true
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return false
    throw error
  }
}

/** A provider's highest block, when it was first seen, and when the provider last answered, by `performance.now()`. */
export type SeenHead = { head: number; since: number; answeredAt: number }

/** Records a provider's head if it is above all that the provider has reported before. */
export function noteHead<Provider>(
  heads: Map<Provider, SeenHead>,
  provider: Provider,
  head: number,
  now: number,
): void {
  const previous = heads.get(provider)
  const isNew = !previous || head > previous.head
  heads.set(provider, { ...(isNew ? { head, since: now } : previous), answeredAt: now })
}

/** Milliseconds without a new block after which a provider is stalled, if another has had one. */
const STALLED_AFTER_MS = 60_000

/**
 * Providers without a new block for a while, although at least as many others have one. Their answers are stale. They are
 * never the majority: while the chain itself has stalled, one that invents blocks must not decide alone. Providers that are
 * down don't count; otherwise a stalled one would be believed.
 */
export function findStalledProviders<Provider>(
  heads: ReadonlyMap<Provider, SeenHead>,
  now: number,
): Set<Provider> {
  const stalled = [...heads].filter(([, { since }]) => now - since > STALLED_AFTER_MS)
  const isUp = ({ answeredAt }: SeenHead) => now - answeredAt <= STALLED_AFTER_MS
  const stalledUp = stalled.filter(([, seen]) => isUp(seen)).length
  const up = [...heads.values()].filter(isUp).length
  // If none is up, nothing was asked for a while, or nothing answers.
  const isMinority = up > 0 && 2 * stalledUp <= up
  return new Set(isMinority ? stalled.map(([provider]) => provider) : [])
}
