import { toApiOrderId } from '../../../core/order/apiOrderId.ts'
import type { OrderState } from '../../../core/order/orderState.ts'
import { deriveOrderStatus } from '../../../core/order/orderStatus.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { requestHeader } from '../../chain/history/requestInBatches.ts'
import type { Enclave } from '../../enclave/enclaveInterface.ts'
import { mapInParallel } from '../../process/mapInParallel.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { readEvents, type VaultChain } from '../chain/vaultChain.ts'
import { matchesStorage, readTokenLedgers } from '../checkVaultLedger.ts'
import { createFoldedOrders, type FoldedOrders } from '../follow/foldedOrders.ts'
import { appendOrderEvents } from '../follow/orderEventStore.ts'

/** Orders that are checked at once. */
const CONCURRENCY = 16

/**
 * Restores every order of a chain from its history and the key alone. Folds the vault's and the bridge's events, decrypts
 * each order, regenerates each tranche's blob and compares it with the one on chain, then compares the result with the
 * vault's storage and balances at the same block.
 *
 * @param db where to save the events for the service to start from; null saves nothing
 */
export async function recoverOrders(chain: VaultChain, enclave: Enclave, db: Db | null) {
  const { config, chainId, vault, pool } = chain
  const head = await requestHeader(pool, 'latest')
  const final = await requestHeader(pool, Math.max(0, head.number - config.confirmations))
  const range = { from: config.startBlock, to: final.number }
  const { book, orderEvents, blobs } = await readHistory(chain, range)
  if (db !== null) {
    const cursor = { blockNumber: final.number, blockHash: final.hash }
    await appendOrderEvents(db, chain, orderEvents, cursor, range.from - 1)
  }
  const orders = [...book.all()]
  const checks = await mapInParallel(orders, CONCURRENCY, (order) =>
    checkBlobs(chain, enclave, order, blobs),
  )
  const unreadable = checks.flatMap(({ problem }) => problem ?? [])
  const mismatches = await mapInParallel(orders, CONCURRENCY, async ({ facts }) => {
    const isMatch = await matchesStorage(chain, facts, BigInt(final.number))
    return isMatch ? [] : [toApiOrderId(facts.orderId)]
  })
  const contradicted = mismatches.flat()
  const ledger = await readTokenLedgers(chain, book, BigInt(final.number))
  const fired = sum(orders.map(({ facts }) => facts.tranchesFired))
  const recognised = sum(checks.map(({ recognised }) => recognised))
  const statuses = orders.map(({ facts }) => deriveOrderStatus(facts, final.timestamp).status)
  const count = (wanted: string) => statuses.filter((status) => status === wanted).length
  return {
    chainId,
    vault,
    /** First and last block that was read, and the hash of the last. */
    fromBlock: range.from,
    toBlock: range.to,
    blockHash: final.hash,
    orders: {
      total: orders.length,
      active: count('active'),
      completed: count('completed'),
      cancelled: count('cancelled'),
    },
    /** Orders that the key decrypts. */
    opened: orders.length - unreadable.length,
    /** The others, with the enclave's error code. Their owners can close them without the enclave. */
    unreadable,
    /** Fired tranches, and those whose blob is exactly the regenerated one. */
    tranches: { fired, recognised },
    /** What the vault owes of each token, and what it holds. */
    ledger,
    /** Orders whose stored record differs from their events, or whose amounts don't add up. */
    contradicted,
    /** Whether nothing is missing, unreadable or contradicted. */
    isComplete:
      unreadable.length === 0 &&
      contradicted.length === 0 &&
      fired === recognised &&
      ledger.every(({ difference }) => difference >= 0n),
  }
}

type History = { book: FoldedOrders; orderEvents: ChainEvent[]; blobs: Map<bigint, Hex> }

async function readHistory(
  chain: VaultChain,
  range: { from: number; to: number },
): Promise<History> {
  const history: History = { book: createFoldedOrders(), orderEvents: [], blobs: new Map() }
  for await (const event of readEvents(chain, range)) {
    if (event.type === 'IntentCreated') {
      history.blobs.set(event.args.intentId, event.args.encryptedBlob)
    }
    if (history.book.apply(event)) history.orderEvents.push(event)
  }
  return history
}

type BlobCheck = { recognised: number; problem: { orderId: string; code: string } | null }

/** Regenerates each tranche's blob, or the first one of an order without tranches, to check that it decrypts. */
async function checkBlobs(
  chain: VaultChain,
  enclave: Enclave,
  { facts, encrypted, tranches }: OrderState,
  blobs: ReadonlyMap<bigint, Hex>,
): Promise<BlobCheck> {
  const blobOf = async (n: number) => {
    const request = { sourceChainId: chain.chainId, encrypted, n }
    return (await enclave.signTranche(request)).encryptedBlob
  }
  try {
    if (tranches.length === 0) await blobOf(0)
    let recognised = 0
    for (const [n, { intentId }] of tranches.entries()) {
      if (blobs.get(intentId) === (await blobOf(n))) recognised += 1
    }
    return { recognised, problem: null }
  } catch (error) {
    const { code = 'UNKNOWN' } = error as { code?: string }
    return { recognised: 0, problem: { orderId: toApiOrderId(facts.orderId), code } }
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
