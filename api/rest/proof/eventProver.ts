import type { EventProof } from '../../../core/proof/proofDocument.ts'
import { ProofError } from '../../../core/proof/proofError.ts'
import {
  BlockTooLargeError,
  BlockUnavailableError,
  type FetchedBlock,
  fetchBlock,
  type SendRequest,
} from '../../../services/chain/proof/fetchBlock.ts'
import { requestFromProvider } from '../../../services/chain/proof/requestFromProvider.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { createLruCache } from '../../../services/store/cache/lruCache.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EventRow } from '../../../src/projection/rowTypes.ts'
import { NotFoundError, UnavailableError } from '../../http/apiError.ts'
import { createConcurrencyLimiter } from '../../http/limits/concurrencyLimiter.ts'
import { createRateLimit } from '../../http/limits/rateLimit.ts'
import { withDeadline } from '../../http/withDeadline.ts'
import { proveBlockEvents } from './proveBlockEvents.ts'

/** A chain whose events can be proven. */
export type ProvableChain = {
  chainId: number
  /** ChainId name. */
  name: string
  bridge: Hex
  /** Its nodes. Each is asked until one gives data that verifies. */
  nodes: readonly ProvingNode[]
}

type ProvingNode = {
  /** Its host, for the operator's log. */
  name: string
  send: SendRequest
  /** Whether it failed just now, so that others are asked first. */
  isFailing(): boolean
}

/**
 * Returns verified proofs of indexed events, in their order. Charges for the blocks that aren't cached, and for large
 * receipts.
 *
 * @throws UnavailableError, RateLimitedError; ReceiptsTooLargeError, never for a single event
 */
export type EventProver = (rows: readonly EventRow[], charge: Charge) => Promise<EventProof[]>

/** Charges the client of one request. @throws RateLimitedError */
type Charge = (units: number) => void

/** A request's charge: together, a request costs at most the burst, so that it passes when a client's budget is full. */
export type ProofBudget = (client: string) => Charge

/**
 * Characters of receipts that cost as much as a block. Each event is proven with the whole receipt of its transaction, which
 * anyone can fill with logs.
 */
const RECEIPT_UNIT = 256 * 1024

/** Limit on the receipts of an answer, each as often as it proves an event: 2 MB take half a second to hash and verify. */
const MOST_RECEIPTS = 2 * 1024 * 1024

/** The events' receipts are too large for one answer: fewer events must be proven at once. */
export class ReceiptsTooLargeError extends Error {
  override readonly name = 'ReceiptsTooLargeError'
}

/** Size limit of an answer: a node's answers to many requests must fit into memory. */
const MOST_BYTES = 10 * 1024 * 1024

/** The configured chains, each with its nodes. */
export function provableChains(
  chains: readonly Pick<
    ChainConfig,
    'name' | 'chainId' | 'rpcUrls' | 'requestsPerSecond' | 'bridge'
  >[],
): ProvableChain[] {
  return chains.map((chain) => ({
    chainId: chain.chainId,
    name: chain.name,
    bridge: chain.bridge.toLowerCase() as Hex,
    nodes: createRpcPool({ ...chain, mostBytes: MOST_BYTES }).providers.map((provider) => ({
      name: provider.name,
      send: requestFromProvider(provider),
      isFailing: () => provider.isBackingOff || provider.quarantine !== undefined,
    })),
  }))
}

type EventProverTerms = {
  chains: readonly ProvableChain[]
  /** Memory for proofs. Default 32 MiB. */
  cacheBytes?: number
  /** Blocks fetched from a chain at once, and queued. Default 4 and 256. */
  blocksAtOnce?: number
  blocksWaiting?: number
  /**
   * Time limit, in milliseconds, for one of several nodes to give a block, whose receipts may take many requests. One that
   * takes more than a sixth of it counts as slow. Default 60,000.
   */
  nodeMs?: number
  /** Milliseconds after which a request fails; its work continues and is cached. Default 20,000. */
  deadlineMs?: number
}

/** Milliseconds for which a slow node is asked last. */
const SLOW_FOR_MS = 600_000

type BlockRows = [EventRow, ...EventRow[]]

/**
 * Seconds after which to retry, by the reason why there is no proof at the moment.
 * - `RPC_UNREACHABLE`: the chain's node doesn't answer, or doesn't have the block (yet).
 * - `REORG_IN_PROGRESS`: the chain and the index have different blocks at that height.
 * - `PROOF_NOT_VERIFIED`: the node's data doesn't hash to what the index has. It is never served.
 * - `PROOF_BUSY`: too many proofs are being made.
 */
const RETRY_AFTER = {
  RPC_UNREACHABLE: 5,
  REORG_IN_PROGRESS: 15,
  PROOF_NOT_VERIFIED: 60,
  PROOF_BUSY: 2,
} as const

/** The failure of a proof that can't be made at the moment. */
export function proofFailure(code: keyof typeof RETRY_AFTER, message: string, cause?: unknown) {
  return new UnavailableError(message, code, RETRY_AFTER[code], cause)
}

export function createProofBudget(limits: Parameters<typeof createRateLimit>[1]): ProofBudget {
  const ofClients = createRateLimit('proof-blocks', limits)
  return (client) => {
    let left = limits.burst
    return (units) => {
      const cost = Math.min(units, left)
      left -= cost
      ofClients.require(client, cost)
    }
  }
}

/** Creates a prover of bounded memory. */
export function createEventProver(terms: EventProverTerms): EventProver {
  const { cacheBytes = 32 * 1024 * 1024, blocksAtOnce = 4, blocksWaiting = 256 } = terms
  const { nodeMs = 60_000, deadlineMs = 20_000 } = terms
  // Keyed by block hash, so a reorg doesn't invalidate it.
  const cache = createLruCache<string, EventProof>(cacheBytes)
  const fetches = new Map<string, Promise<FetchedBlock>>()
  const slowUntil = new Map<ProvingNode, number>()
  const provable = new Map(
    terms.chains.map((chain) => [
      chain.chainId,
      { ...chain, limiter: createConcurrencyLimiter(blocksAtOnce, blocksWaiting, proofsBusy) },
    ]),
  )

  async function fetchFrom(node: ProvingNode, ms: number, row: EventRow): Promise<FetchedBlock> {
    const began = performance.now()
    try {
      return await fetchBlock(endAfter(ms, node.send), row, MOST_BYTES)
    } finally {
      const now = performance.now()
      if (now - began > ms / 6) slowUntil.set(node, now + SLOW_FOR_MS)
    }
  }

  async function proveBlockOf(
    rows: BlockRows,
    take: (size: number) => void,
  ): Promise<EventProof[]> {
    const [first] = rows
    const chain = provable.get(first.chainId)
    if (chain === undefined) {
      throw proofFailure('RPC_UNREACHABLE', `No node of chain ${first.chainId} is configured`)
    }
    const failures: NodeFailure[] = []
    // The only node may be slow because of its rate limit.
    const ms = chain.nodes.length === 1 ? Number.POSITIVE_INFINITY : nodeMs
    // Slow and failing nodes come last.
    const rankOf = (node: ProvingNode) =>
      Number(node.isFailing() || performance.now() < (slowUntil.get(node) ?? 0))
    for (const node of chain.nodes.toSorted((a, b) => rankOf(a) - rankOf(b))) {
      const { name } = node
      // Concurrent requests for a block share one fetch.
      const key = `${blockOf(first)}:${name}`
      const fetching =
        fetches.get(key) ??
        chain.limiter.pass(() => fetchFrom(node, ms, first)).finally(() => fetches.delete(key))
      fetches.set(key, fetching)
      try {
        const block = await fetching
        take(sizeOfReceipts(block, rows))
        return await proveBlockEvents(block, rows, chain.bridge)
      } catch (cause) {
        // Another node may do better.
        if (!isNodesFailure(cause)) throw cause
        failures.push({ name, cause })
      }
    }
    throw toFailure(failures, chain, first)
  }

  return async (rows, charge) => {
    const proofs = new Map(rows.map((row) => [row, cache.get(eventOf(row))]))
    const missing = rows.filter((row) => proofs.get(row) === undefined)
    const blocks = [...Map.groupBy(missing, blockOf).values()] as BlockRows[]
    let total = 0
    const unitsOf = (size: number) => {
      total += size
      if (total > MOST_RECEIPTS && rows.length > 1) throw new ReceiptsTooLargeError()
      return Math.floor(size / RECEIPT_UNIT)
    }
    // The whole document is verified each time.
    const cached = [...proofs.values()].reduce((sum, one) => sum + (one?.receipt.length ?? 0), 0)
    charge(blocks.length + unitsOf(cached))
    const take = (size: number) => charge(unitsOf(size))
    const making = Promise.all(
      blocks.map(async (block) => {
        const made = await proveBlockOf(block, take)
        for (const [index, row] of block.entries()) {
          const proof = made[index]!
          proofs.set(row, proof)
          cache.set(eventOf(row), proof, JSON.stringify(proof).length)
        }
      }),
    )
    if ((await withDeadline(deadlineMs, making, null)) === null) {
      throw proofFailure('PROOF_BUSY', 'The proof isn’t ready yet: retry')
    }
    return rows.map((row) => proofs.get(row)!)
  }
}

/** Fails once the time is over: a node that answers each request slowly would keep others from the chain's blocks. */
function endAfter(ms: number, send: SendRequest): SendRequest {
  const end = performance.now() + ms
  return async (method, params) => {
    if (performance.now() > end) throw new Error(`the node took more than ${ms} ms`)
    return send(method, params)
  }
}

/** Characters of the events' receipts, each as often as it proves one. */
function sizeOfReceipts({ receipts }: FetchedBlock, rows: BlockRows): number {
  const byTransaction = Map.groupBy(rows, ({ transactionHash }) => transactionHash)
  return receipts.reduce((sum, { transactionHash, logs }) => {
    const events = byTransaction.get(transactionHash)?.length ?? 0
    return events === 0 ? sum : sum + events * JSON.stringify(logs).length
  }, 0)
}

function blockOf({ chainId, blockHash }: EventRow): string {
  return `${chainId}:${blockHash}`
}

function eventOf(row: EventRow): string {
  return `${blockOf(row)}:${row.logIndex}`
}

type NodeFailure = { name: string; cause: BlockUnavailableError | ProofError | BlockTooLargeError }

function isNodesFailure(cause: unknown): cause is NodeFailure['cause'] {
  return [BlockUnavailableError, ProofError, BlockTooLargeError].some(
    (kind) => cause instanceof kind,
  )
}

/**
 * No node gave a proof: what the first of them said, or else that none answers. A single node can't say that the block is too
 * large. Only the log names them.
 */
function toFailure(
  failures: readonly NodeFailure[],
  { name: chain, nodes }: ProvableChain,
  row: EventRow,
): unknown {
  const others = failures
    .map(({ cause }) => cause)
    .filter((cause) => !(cause instanceof BlockTooLargeError))
  const cause = others.find(({ code }) => code !== 'RPC_UNREACHABLE') ?? others[0]
  if (cause === undefined) return new NotFoundError(failures[0]!.cause.message, 'BLOCK_TOO_LARGE')
  const said = new Error(failures.map(({ name, cause }) => `${name}: ${cause.message}`).join('; '))
  if (cause instanceof BlockUnavailableError) return proofFailure(cause.code, cause.message, said)
  const which = nodes.length === 1 ? 'The node' : `None of the ${nodes.length} nodes`
  const verb = nodes.length === 1 ? "gave data that doesn't verify" : 'gave data that verifies'
  return proofFailure(
    'PROOF_NOT_VERIFIED',
    `${which} of ${chain} ${verb} for block ${row.blockNumber} (${cause.code})`,
    said,
  )
}

function proofsBusy(): UnavailableError {
  return proofFailure('PROOF_BUSY', 'Too many proofs are being made: try again')
}
