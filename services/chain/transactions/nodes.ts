import {
  type Address,
  createPublicClient,
  type Hash,
  type Hex,
  type PublicClient,
  TransactionNotFoundError,
} from 'viem'
import { batchedHttp } from '../batchedHttp.ts'
import { reportOf, type ViewReport, wordOfView } from './chainView.ts'
import { type PriorityFees, priorityFeesFrom } from './priorityFees.ts'
import { type QueryAll, queryAllOf, throwFirst } from './queryAll.ts'
import { type SeenHead, stalledProviders } from './stalledProviders.ts'

/** A chain's providers, each asked separately. */
export type Nodes = {
  /**
   * Sends signed bytes to every provider at once, so that one that drops or withholds them doesn't
   * matter. Resolves as soon as one has accepted them; the others, which may not answer at all, have
   * been sent them too.
   *
   * @throws RefusedError with what each of them said when none takes them
   */
  broadcast(raw: Hex): Promise<void>
  /**
   * Whether any provider has the transaction, in a block or waiting for one: the first yes is enough.
   * One that doesn't answer doesn't count as long as another does.
   *
   * @throws what the first one said when none answers
   */
  isKnown(hash: Hash): Promise<boolean>
  /** What each provider reports about an account, except those that stand still. */
  look(account: Address): Promise<ViewReport[]>
  /** Asks all providers, of which any may lie, except those that stood still at the last look. */
  queryAll: QueryAll<PublicClient>
  /** What the market pays for priority, according to all nodes together. */
  priorityFees(): Promise<PriorityFees>
}

/** No provider took a transaction. */
export class RefusedError extends Error {
  override name = 'RefusedError'
  /** In the order of the providers. */
  readonly refusals: readonly unknown[]

  constructor(refusals: readonly unknown[]) {
    super('no provider took the transaction')
    this.refusals = refusals
  }
}

export function nodesAt(rpcUrls: readonly string[]): Nodes {
  const clientsThat = (retryCount: number) =>
    rpcUrls.map((url) =>
      createPublicClient({
        transport: batchedHttp(url, { timeout: 5_000, retryCount }),
        // Answers about the head must be fresh.
        cacheTime: 0,
      }),
    )
  const clients = clientsThat(0)
  const readers = clientsThat(1)
  const heads = new Map<PublicClient, SeenHead>()
  const queryEach = queryAllOf(readers)
  return {
    async look(account) {
      const said = await queryEach(
        async (client) => {
          const report = await reportOf(client, account)
          const before = heads.get(client)
          if (!before || report.head > before.head)
            heads.set(client, { head: report.head, since: performance.now() })
          return { client, report }
        },
        ({ report }) => wordOfView(report),
      )
      const still = stalledProviders(heads, performance.now())
      const alive = said.filter(({ client }) => !still.has(client))
      return (alive.length > 0 ? alive : said).map(({ report }) => report)
    },
    queryAll: queryAllOf(readers, () => stalledProviders(heads, performance.now())),
    priorityFees: priorityFeesFrom(readers),
    async broadcast(raw) {
      const sent = clients.map((client) =>
        client.sendRawTransaction({ serializedTransaction: raw }),
      )
      await Promise.any(sent).catch(({ errors }: AggregateError) => {
        throw new RefusedError(errors)
      })
    },
    async isKnown(hash) {
      const asked = clients.map((client) => hasTransaction(client, hash))
      const isThere = asked.map(async (answer) => (await answer) || Promise.reject())
      const isAnywhere = await Promise.any(isThere).catch(() => false)
      // By now each has answered or failed.
      return isAnywhere || Promise.any(asked).catch(throwFirst)
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
