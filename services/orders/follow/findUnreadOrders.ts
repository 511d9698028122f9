import { encodeEventTopics } from 'viem'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { sendOnlyTo } from '../../chain/history/agreedReads.ts'
import { type BlockRange, readLogs } from '../../chain/history/readLogs.ts'
import { requestFromPool } from '../../chain/history/requestFromPool.ts'
import { TIMEOUT_MS } from '../../chain/history/requestInBatches.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import { findMajority, findMostFrequent } from '../../chain/transactions/medianAndMajority.ts'
import { mapInParallel } from '../../process/mapInParallel.ts'
import { readAgreedEvents, type VaultChain } from '../chain/vaultChain.ts'
import type { FoldedOrders } from './foldedOrders.ts'

/** An open order of the vault whose funding wasn’t read. */
export type UnreadOrder = {
  orderId: Hex
  /** Block of its funding. */
  blockNumber: number
  /** Nodes that don’t show the funding, by name. */
  hiddenBy: string[]
}

/** Orders that one node can make the search check: it may invent any number. */
const MOST_PER_NODE = 100

const CONCURRENCY = 16

const ORDER_FUNDED = encodeEventTopics({ abi: orderVaultAbi, eventName: 'OrderFunded' }) as Hex[]

/**
 * Open orders that were funded in these blocks and that a book lacks. Any node can show one; most nodes’ storage decides
 * whether the vault has it.
 *
 * @throws unless most nodes give their logs
 */
export async function findUnreadOrders(
  chain: VaultChain,
  book: Pick<FoldedOrders, 'find'>,
  range: BlockRange,
  signal: AbortSignal,
): Promise<UnreadOrder[]> {
  const providers = chain.pool.trusted()
  const giveUp = new AbortController()
  const search = { ...range, signal: AbortSignal.any([signal, giveUp.signal]) }
  let failures = 0
  const results = await Promise.allSettled(
    providers.map(async (provider) => {
      try {
        return await listUnreadFundings(chain, provider, book, search)
      } catch (error) {
        failures += 1
        // The others can't decide alone, and a whole history is thousands of requests to each.
        if (2 * failures >= providers.length) giveUp.abort()
        throw error
      }
    }),
  )
  const shown = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  if (2 * shown.length <= providers.length) {
    const failed = results.find((result) => result.status === 'rejected')
    throw failed?.reason ?? new RpcError('unreachable', 'no trusted provider left')
  }
  const ids = new Set(shown.flatMap(({ blocks }) => [...blocks.keys()]))
  const orders = await mapInParallel([...ids], CONCURRENCY, async (orderId) => {
    if (!(await isOpen(chain, orderId))) return []
    const hiding = shown.filter(({ blocks }) => !blocks.has(orderId))
    const said = shown.flatMap(({ blocks }) => blocks.get(orderId) ?? [])
    // A lying node may show it in another block, where nobody would find it.
    const blockNumber = findMostFrequent(said, String) as number
    return [{ orderId, blockNumber, hiddenBy: hiding.map(({ provider }) => provider.name) }]
  })
  return orders.flat()
}

/** The orders whose fundings one node shows and a book lacks, each with its block. */
async function listUnreadFundings(
  { name, pool, vault }: VaultChain,
  provider: Provider,
  book: Pick<FoldedOrders, 'find'>,
  { signal, ...range }: BlockRange & { signal: AbortSignal },
) {
  const send = requestFromPool(sendOnlyTo(pool, provider), { totalTimeoutMs: TIMEOUT_MS })
  const filters = [{ address: vault, topics: ORDER_FUNDED }]
  const blocks = new Map<Hex, number>()
  const isDone = () => signal.aborted
  for await (const { logs } of readLogs(send, { filters, ...range, isDone, chain: name })) {
    for (const { topics, blockNumber } of logs) {
      const orderId = topics[1] as Hex
      if (book.find(orderId) === null) blocks.set(orderId, blockNumber)
    }
    if (blocks.size >= MOST_PER_NODE) break
  }
  return { provider, blocks: new Map([...blocks].slice(0, MOST_PER_NODE)) }
}

/** Whether the vault holds tokens of an order by most nodes. In a tie it does: the nodes contradict each other, which must be seen. */
async function isOpen({ nodes, vault }: VaultChain, orderId: Hex): Promise<boolean> {
  const answers = await nodes.queryAll(async (client) => {
    const { left } = await client.readContract({
      address: vault,
      abi: orderVaultAbi,
      functionName: 'getOrder',
      args: [orderId],
    })
    return left > 0n
  }, String)
  return findMajority(answers, String) ?? true
}

/** Whether an order’s funding is read now: then reading the history again finds it. */
export async function isReadableNow(
  chain: VaultChain,
  { orderId, blockNumber }: UnreadOrder,
): Promise<boolean> {
  const block = { from: blockNumber, to: blockNumber }
  const events = await readAgreedEvents(chain, block, blockNumber)
  return events.some((one) => one.type === 'OrderFunded' && one.args.orderId === orderId)
}
