import { countMissingIntents } from '../../core/intent/countMissingIntents.ts'
import { toApiOrderId } from '../../core/order/apiOrderId.ts'
import { buildVaultLedger, sumOwed, type TokenLedger } from '../../core/order/buildVaultLedger.ts'
import type { OrderState } from '../../core/order/orderState.ts'
import { deriveOrderStatus } from '../../core/order/orderStatus.ts'
import { ChangedDuringReadError } from '../../services/chain/history/historyErrors.ts'
import { prefetchOne } from '../../services/chain/history/prefetchOne.ts'
import type { Header } from '../../services/chain/history/rpcSchemas.ts'
import type { Enclave } from '../../services/enclave/enclaveInterface.ts'
import {
  type ComparedNodes,
  createComparedNodes,
} from '../../services/indexer/history/comparedNodes.ts'
import { fetchComparedEvents } from '../../services/indexer/history/fetchComparedEvents.ts'
import { readIntentCount } from '../../services/indexer/history/readIntentCount.ts'
import type { VaultChain } from '../../services/orders/chain/vaultChain.ts'
import { createFoldedOrders, type FoldedOrders } from '../../services/orders/follow/foldedOrders.ts'
import { appendOrderEvents } from '../../services/orders/follow/orderEventStore.ts'
import { mapInParallel } from '../../services/process/mapInParallel.ts'
import type { Db } from '../../services/store/database/openDatabase.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../src/event/chainEvent.ts'
import type { Progress } from '../progressBar.ts'
import { readBalances } from '../replay/checkBalances.ts'
import { type ReplayOutput, retryWhileChanging } from '../replay/retryWhileChanging.ts'
import { findContradicted } from './findContradicted.ts'

/** Orders that are checked at once. */
const CONCURRENCY = 16

/**
 * Restores every order of a chain from its history and the key alone. Folds the vault's and the bridge's events, decrypts
 * each order, regenerates each tranche's blob and compares it with the one on chain, then compares the result with the
 * vault's storage and balances at the same block. The answers of all the chain's nodes are compared, so that none of several
 * can hide or invent an order.
 *
 * @param db where to save the events for the service to start from; null saves nothing
 * @throws NodesDisagreeError when nothing shows which node is wrong; EnclaveError while the enclave doesn't answer; ChangedDuringReadError, RpcError, UnusableAnswerError
 */
export function recoverOrders(
  chain: VaultChain,
  enclave: Enclave,
  db: Db | null,
  output: ReplayOutput,
) {
  const nodes = createComparedNodes(chain.pool)
  return retryWhileChanging(chain.name, output, () =>
    recoverOnce(chain, nodes, enclave, db, output.progress),
  )
}

async function recoverOnce(
  chain: VaultChain,
  nodes: ComparedNodes,
  enclave: Enclave,
  db: Db | null,
  progress: Progress,
) {
  const { name, config, chainId, bridge, vault } = chain
  nodes.forget()
  const head = await nodes.head()
  const final = await nodes.header(Math.max(0, head.number - config.confirmations))
  const history = await readHistory(chain, nodes, final, progress)
  const { book, orderEvents, blobs, hasDeployment } = history
  const orders = [...book.all()]
  const contradicted = await findContradicted(chain, nodes, orders, final.number)
  const ledger = await readLedger(chain, nodes, book, final.number)
  const created = await readIntentCount(nodes, { name, bridge }, final.number)
  const after = await nodes.header(final.number)
  if (after.hash !== final.hash)
    throw new ChangedDuringReadError(
      `block ${final.number} of ${chain.name} was replaced during the recovery`,
    )
  if (db !== null) {
    const cursor = { blockNumber: final.number, blockHash: final.hash }
    await appendOrderEvents(db, chain, orderEvents, cursor, config.startBlock - 1)
  }
  const checks = await mapInParallel(orders, CONCURRENCY, (order) =>
    checkBlobs(chain, enclave, order, history),
  )
  const missingIntents = countMissingIntents([...blobs.keys()], created)
  const unreadable = checks.flatMap(({ problem }) => problem ?? [])
  const fired = sum(orders.map(({ facts }) => facts.tranchesFired))
  const recognised = sum(checks.map(({ recognised }) => recognised))
  const statuses = orders.map(({ facts }) => deriveOrderStatus(facts, final.timestamp).status)
  const count = (wanted: string) => statuses.filter((status) => status === wanted).length
  return {
    chainId,
    vault,
    /** First and last block that was read, and the hash of the last. */
    fromBlock: config.startBlock,
    toBlock: final.number,
    blockHash: final.hash,
    /** Whether the bridge's deployment was read: if not, orders before the start block may be missing. */
    hasDeployment,
    /** Intents that the bridge has counted but no node gave. */
    missingIntents,
    /** Which nodes were read, which were refused, and which blocks only one of them gave. */
    nodes: nodes.report(),
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
      hasDeployment &&
      missingIntents === 0 &&
      unreadable.length === 0 &&
      contradicted.length === 0 &&
      fired === recognised &&
      ledger.every(({ difference }) => difference >= 0n),
  }
}

type History = {
  book: FoldedOrders
  orderEvents: ChainEvent[]
  /** Of every order. */
  ciphertexts: Map<Hex, Hex>
  /** Of every intent. */
  blobs: Map<bigint, Hex>
  hasDeployment: boolean
}

async function readHistory(
  { name, chainId, config, bridge, vault }: VaultChain,
  nodes: ComparedNodes,
  final: Header,
  progress: Progress,
): Promise<History> {
  const history: History = {
    book: createFoldedOrders(),
    orderEvents: [],
    ciphertexts: new Map(),
    blobs: new Map(),
    hasDeployment: false,
  }
  const { rpcUrls, startBlock: from } = config
  const contracts = { name, chainId, rpcUrls, startBlock: from, bridge, vault }
  const range = { from, to: final.number }
  let read = 0
  for await (const { to, events } of prefetchOne(
    fetchComparedEvents(nodes, contracts, range, final),
  )) {
    for (const event of events) {
      if (event.type === 'IntentCreated')
        history.blobs.set(event.args.intentId, event.args.encryptedBlob)
      if (event.type === 'OrderFunded')
        history.ciphertexts.set(event.args.orderId, event.args.encrypted)
      if (event.type === 'BridgeDeployed') history.hasDeployment = true
      if (history.book.apply(event)) history.orderEvents.push(event)
    }
    read += events.length
    progress.show({ chain: name, ...range, at: to, events: read })
  }
  return history
}

/** What the vault owes of each token by its events, and what it holds. */
async function readLedger(
  { name, vault }: VaultChain,
  nodes: ComparedNodes,
  book: FoldedOrders,
  block: number,
): Promise<TokenLedger[]> {
  const owed = sumOwed(book.left(), book.credits())
  const tokens = [...owed.keys()]
  const holder = { name: `the vault of ${name}`, address: vault }
  const held = await readBalances(nodes, holder, tokens, block)
  return buildVaultLedger(owed, new Map(tokens.map((token, at) => [token, held[at] ?? 0n])))
}

type BlobCheck = { recognised: number; problem: { orderId: string; code: string } | null }

/** Regenerates each tranche's blob, or the first one of an order without tranches, to check that it decrypts. */
async function checkBlobs(
  chain: VaultChain,
  enclave: Enclave,
  { facts, tranches }: OrderState,
  { blobs, ciphertexts }: Pick<History, 'blobs' | 'ciphertexts'>,
): Promise<BlobCheck> {
  const encrypted = ciphertexts.get(facts.orderId) as Hex
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
    // Says nothing about the order.
    if (code === 'ENCLAVE_UNREACHABLE') throw error
    return { recognised: 0, problem: { orderId: toApiOrderId(facts.orderId), code } }
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
