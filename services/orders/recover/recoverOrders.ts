import { apiOrderId } from '../../../core/order/apiOrderId.ts'
import type { OrderState } from '../../../core/order/orderState.ts'
import { orderStatus } from '../../../core/order/orderStatus.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { requestHeader } from '../../chain/history/requestInBatches.ts'
import type { Enclave } from '../../enclave/enclaveInterface.ts'
import { inParallel } from '../../process/inParallel.ts'
import type { Db } from '../../store/database/database.ts'
import { type OrderChain, readEvents } from '../chain/orderChain.ts'
import { extendCopy } from '../follow/copiedEvents.ts'
import { createOrderBook, type OrderBook } from '../follow/orderBook.ts'
import { isStoredSo, tokenLedgers } from '../readLedger.ts'

/** Orders whose records are compared at once. */
const AT_ONCE = 16

/**
 * Restores every order of a chain from its history and the key alone: all is folded from the vault's and the
 * bridge's events, each ciphertext is opened, each tranche's blob is made again and compared with the one on
 * chain, and the result is compared with the vault's own storage and balances at the same block.
 *
 * @param db where the events are to be kept, so that the service begins with them; null keeps nothing
 */
export async function recoverOrders(chain: OrderChain, enclave: Enclave, db: Db | null) {
  const { config, chainId, vault, pool } = chain
  const head = await requestHeader(pool, 'latest')
  const final = await requestHeader(pool, Math.max(0, head.number - config.confirmations))
  const range = { from: config.startBlock, to: final.number }
  const { book, kept, blobs } = await readHistory(chain, range)
  if (db !== null) {
    const cursor = { blockNumber: final.number, blockHash: final.hash }
    await extendCopy(db, chain, kept, cursor, range.from - 1)
  }
  const orders = [...book.all()]
  const read = await inParallel(orders, AT_ONCE, (order) => open(chain, enclave, order, blobs))
  const unreadable = read.flatMap(({ problem }) => problem ?? [])
  const found = await inParallel(orders, AT_ONCE, async ({ facts }) => {
    const isSame = await isStoredSo(chain, facts, BigInt(final.number))
    return isSame ? [] : [apiOrderId(facts.orderId)]
  })
  const contradicted = found.flat()
  const ledger = await tokenLedgers(chain, book, BigInt(final.number))
  const fired = sum(orders.map(({ facts }) => facts.tranchesFired))
  const recognised = sum(read.map((one) => one.recognised))
  const statuses = orders.map(({ facts }) => orderStatus(facts, final.timestamp).status)
  const count = (word: string) => statuses.filter((status) => status === word).length
  return {
    ...{ chainId, vault },
    /** Blocks that were read, both ends included, and the hash of the last. */
    ...{ fromBlock: range.from, toBlock: range.to, blockHash: final.hash },
    orders: {
      ...{ total: orders.length, active: count('active'), completed: count('completed') },
      cancelled: count('cancelled'),
    },
    /** How many the key opens. */
    opened: orders.length - unreadable.length,
    /** Those that it doesn't, with the enclave's code: their owners can close them without it. */
    unreadable,
    /** Tranches fired, and how many carry exactly the blob that the key makes for them. */
    tranches: { fired, recognised },
    /** What was taken from owners equals what was spent, refunded and is left; and that equals the balance. */
    ledger,
    /** Orders of which the vault has stored something else than its events say. */
    contradicted,
    /** Nothing is missing, unreadable or contradicted. */
    isComplete:
      unreadable.length === 0 &&
      contradicted.length === 0 &&
      fired === recognised &&
      ledger.every(({ difference }) => difference >= 0n),
  }
}

type History = { book: OrderBook; kept: ChainEvent[]; blobs: Map<bigint, Hex> }

async function readHistory(
  chain: OrderChain,
  range: { from: number; to: number },
): Promise<History> {
  const history: History = { book: createOrderBook(), kept: [], blobs: new Map() }
  for await (const event of readEvents(chain, range)) {
    if (event.type === 'IntentCreated') {
      history.blobs.set(event.args.intentId, event.args.encryptedBlob)
    }
    if (history.book.take(event)) history.kept.push(event)
  }
  return history
}

type Opened = { recognised: number; problem: { orderId: string; code: string } | null }

/**
 * Makes each tranche's blob again; for an order without a tranche the first one's, to check that it opens.
 */
async function open(
  chain: OrderChain,
  enclave: Enclave,
  { facts, encrypted, tranches }: OrderState,
  blobs: ReadonlyMap<bigint, Hex>,
): Promise<Opened> {
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
    return { recognised: 0, problem: { orderId: apiOrderId(facts.orderId), code } }
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
