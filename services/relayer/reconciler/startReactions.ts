import { setTimeout } from 'node:timers/promises'
import type { Hex } from 'viem'
import { createChainNodes } from '../../chain/transactions/chainNodes.ts'
import { endFormerTransactions } from '../../chain/transactions/endFormerTransactions.ts'
import { createRollupDataFees } from '../../chain/transactions/rollupDataFees.ts'
import type { SenderEvent, SignTransaction } from '../../chain/transactions/senderContext.ts'
import { createSilentChainWaker } from '../../chain/transactions/silentChainWaker.ts'
import {
  type Sender,
  type StartSenderOptions,
  startSender,
} from '../../chain/transactions/startSender.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { findGasPriceCap } from '../../config/findGasPriceCap.ts'
import type { Enclave } from '../../enclave/enclaveInterface.ts'
import { bindDatabase } from '../../enclaveBinding/bindDatabase.ts'
import { type Repeated, repeat } from '../../process/repeat.ts'
import { createChainStateCache } from '../../store/chains/chainStateCache.ts'
import { type ChangeFeed, startChangeFeed } from '../../store/changes/changeFeed.ts'
import { type Db, openDatabase } from '../../store/database/openDatabase.ts'
import { writeRoleHeartbeats } from '../../store/roles/writeRoleHeartbeats.ts'
import { pruneEvidence } from '../evidence/evidenceRows.ts'
import { createBundleContext } from '../recipientBundles/createBundleContext.ts'
import { createEnclaveTransactionSigner } from '../recipients/sponsored/enclaveTransactionSigner.ts'
import { SPONSORED_KINDS } from '../recipients/sponsored/sponsorContext.ts'
import type { SafePrice } from '../recipients/sponsored/sponsoredGasQuota.ts'
import { createSigning } from '../settlement/signingContext.ts'
import { createFairTurns } from './fairTurns.ts'
import { findIntentsToReconcile } from './findIntentsToReconcile.ts'
import { listenForChanges } from './listenForChanges.ts'
import { readRefundGas } from './perform/refundGas.ts'
import {
  createUnpaidGasBudget,
  GAS_PER_MINIMUM,
  gasOfSender,
  readUnpaidGas,
} from './perform/unpaidGas.ts'
import type { ReactionChain, ReactionContext, ReactionEvent } from './reactionContext.ts'
import { type ReactionsStatus, senderStatus } from './readReactionsHealth.ts'
import { isStale, reconcileIntent } from './reconcileIntent.ts'
import { EFFECT_KINDS } from './reconcilerEffect.ts'
import { type Queue, releaseDeadWorkers, startQueue } from './startQueue.ts'
import { wakeSilentChains } from './wakeSilentChains.ts'
import { watchRelayerProblems } from './watchRelayerProblems.ts'

export type ReactionsOptions = {
  databaseUrl: string
  chains: readonly ChainConfig[]
  /** The enclave that decrypts bundles and signs transactions. */
  enclave: Enclave
  /** The enclaves that attest, of different operators. Default: only that one. */
  enclaves?: readonly Enclave[] | undefined
  /** Mode of chains that don't set their own. Default `strict`. */
  mode?: 'strict' | 'compat' | undefined
  /** Signs a transaction. Default: the enclave. */
  sign?: SignTransaction
  /** Seconds that a due refund is left to others. Default 60. */
  refundAfter?: number
  /** Gas for the anchor and appends of an intent with the lowest possible fee. Default 400,000. */
  anchorGasPerMinimum?: bigint | undefined
  /** Gas per day and chain that no fee covers, for all senders. Default 60,000,000. */
  unpaidGas?: bigint | undefined
  /** How many Safes an intent's fee pays for, as configured for the API. An intent with more isn't anchored. */
  safePrice: SafePrice
  /** Maximum wei per gas on chains that don't configure it. Default: by chain. */
  maxFeePerGas?: bigint | null | undefined
  /** Settings for every sender, such as `bumpAfterMs`. */
  sender?: Partial<Pick<StartSenderOptions, 'bumpAfterMs' | 'resendAfterMs' | 'pollMs'>>
  /** Milliseconds between checks for the problems in `/health`. Default 15,000. */
  problemsEveryMs?: number
  /** Milliseconds between searches for intents that no notification announced. Default 2,000. */
  sweepMs?: number
  /** Maximum concurrent reactions. Default 256: most of the time, they wait for nodes or for their turn. */
  concurrency?: number
  onEvent?: (event: ReactionEvent | SenderEvent) => void
}

export type Reactions = { status(): ReactionsStatus; stop(): Promise<void> }

const SWEEP_LIMIT = 500
/** Anchors and appends of one chain that are proven and signed concurrently. */
const SIGNED_AT_ONCE = 48
/** Gas per day and chain that no fee covers, as for scheduled orders. */
const UNPAID_GAS = 60_000_000n
/** Milliseconds between searches for jobs of killed workers. */
const RELEASE_MS = 1_000

/**
 * Runs the reconciler: reactions from a queue in the database, and a sender for each chain. Projection changes,
 * stored bundles and requests trigger reactions. A periodic sweep finds the rest, so nothing depends on a
 * notification that was lost.
 *
 * @throws EnclaveBindingError when the database belongs to another enclave
 */
export async function startReactions(options: ReactionsOptions): Promise<Reactions> {
  const { databaseUrl, enclave, onEvent = () => {} } = options
  await bindDatabase(databaseUrl, enclave)
  const { relayer } = await enclave.publicKeys()
  const database = openDatabase({
    databaseUrl,
    name: 'cairn_reactions',
    connections: 10,
    // No caller waits here, so a late answer is better than a second attempt.
    statementTimeoutMs: 30_000,
    connectTimeoutMs: 15_000,
  })
  const feed = startChangeFeed({ databaseUrl })
  const reactor = createReactor(options, database.db, feed, relayer)
  const chains = [...reactor.configured.values()]
  const trouble: Trouble = (where) => (error) => {
    const detail = error instanceof Error ? error.message : String(error)
    onEvent({ type: 'trouble', where, detail })
  }
  const queue = await startQueue({
    databaseUrl,
    concurrency: options.concurrency ?? 256,
    react: (key) => reconcileIntent(reactor, key),
    onProblem: trouble('queue'),
  })
  const senders = startSenders(options, reactor)
  const pulse = watchEnclave(enclave)
  const problems = watchRelayerProblems({
    db: database.db,
    chains,
    signing: reactor.signing,
    everyMs: options.problemsEveryMs,
    enclaves: [enclave, ...(options.enclaves ?? []).filter((one) => one !== enclave)],
  })
  const status = (): ReactionsStatus => ({
    workers: queue.workers(),
    relayer,
    enclave: pulse.state(),
    problems: problems.found(),
    unpaidGas: chains.map(({ chainId, cap, unpaidGas: { limit } }) => ({
      chainId,
      cap: String(cap),
      ofSender: String(gasOfSender(limit)),
      limit: String(limit),
    })),
    senders: senders.map((sender) => senderStatus(sender.report())),
  })
  // Separate, so that a busy pool doesn't make this process look dead.
  const heartbeats = openDatabase({ databaseUrl, name: 'cairn_heartbeat', connections: 1 })
  const changes = listenForChanges({
    databaseUrl,
    feed,
    onChange: (keys) => void queue.add(keys).catch(trouble('queue')),
  })
  const heartbeat = writeRoleHeartbeats(heartbeats.db, 'reactions', status, trouble('heartbeat'))
  const releasing = repeat(RELEASE_MS, trouble('queue'), () => releaseDeadWorkers(queue.pool))
  const sweeping = sweep(reactor, queue, options.sweepMs ?? 2_000, trouble('sweep'))
  const stopAll = async () => {
    await Promise.all([changes, releasing, sweeping, pulse, problems].map((one) => one.stop()))
    await queue.stop()
    await Promise.all(senders.map((sender) => sender.stop()))
    await heartbeat.stop()
    await heartbeats.close()
    await queue.pool.end()
    await feed.stop()
    await database.close()
  }
  let stopped: Promise<void> | null = null
  return {
    status,
    stop: () => {
      stopped ??= stopAll()
      return stopped
    },
  }
}

type Trouble = (where: string) => (error: unknown) => void

function createReactor(
  { chains, enclave, onEvent = () => {}, ...options }: ReactionsOptions,
  db: Db,
  feed: ChangeFeed,
  relayer: Hex,
): ReactionContext {
  const limit = options.unpaidGas ?? UNPAID_GAS
  const configured = new Map(
    chains.map((chain) => {
      const known = toReactionChain(db, chain, findGasPriceCap(chain, options.maxFeePerGas), limit)
      return [chain.chainId, known]
    }),
  )
  const confirmations = new Map(chains.map((chain) => [chain.chainId, chain.confirmations]))
  const { safePrice, mode = 'strict' } = options
  return {
    bundles: createBundleContext({ db, enclave, safePrice }, chains, mode),
    configured,
    relayer,
    onEvent,
    signing: createSigning(db, chains, options.enclaves ?? [enclave]),
    chains: createChainStateCache(db, feed, confirmations),
    refundAfter: options.refundAfter ?? 60,
    anchorGasPerMinimum: options.anchorGasPerMinimum ?? GAS_PER_MINIMUM,
  }
}

/** @param limit of the gas per day that no fee covers, and of that for refunds */
function toReactionChain(db: Db, chain: ChainConfig, cap: bigint, limit: bigint): ReactionChain {
  const { chainId } = chain
  const share = { cap, ofSender: gasOfSender(limit) }
  return {
    ...chain,
    bridge: chain.bridge.toLowerCase() as Hex,
    cap,
    dataFees: createRollupDataFees(createChainNodes(chain.rpcUrls), chainId),
    unpaidGas: createUnpaidGasBudget(() => readUnpaidGas(db, chainId, share), limit),
    refundGas: createUnpaidGasBudget(() => readRefundGas(db, chainId, cap), limit),
    turns: createFairTurns(SIGNED_AT_ONCE),
  }
}

function startSenders(
  { databaseUrl, enclave, onEvent = () => {}, ...options }: ReactionsOptions,
  reactor: ReactionContext,
): Sender[] {
  const { db } = reactor.bundles
  return [...reactor.configured.values()].map((chain) =>
    startSender({
      databaseUrl,
      chain,
      account: reactor.relayer,
      maxFeePerGas: chain.cap,
      sign: options.sign ?? createEnclaveTransactionSigner(db, enclave),
      isStale: (transaction) => isStale(reactor, transaction),
      onEvent,
      ...options.sender,
    }),
  )
}

/** What the relayer's senders send: for intents and Safes, to fill a nonce's gap, and to wake a silent chain. */
const SENT_KINDS = [...EFFECT_KINDS, ...SPONSORED_KINDS, 'fill', 'block']

/** Periodically searches for intents that no notification announced. */
function sweep(
  reactor: ReactionContext,
  queue: Queue,
  everyMs: number,
  onProblem: (error: unknown) => void,
): Repeated {
  const { db } = reactor.bundles
  const { refundAfter } = reactor
  const wake = createSilentChainWaker(db, reactor.relayer)
  return repeat(everyMs, onProblem, async () => {
    const found = await findIntentsToReconcile(db, { refundAfter, limit: SWEEP_LIMIT }).catch(
      noneWithoutIndex,
    )
    await queue.add(found)
    await endFormerTransactions(db, reactor.relayer, SENT_KINDS)
    await pruneEvidence(db)
    await wakeSilentChains(reactor, wake)
  })
}

/** Before the indexer has ever run, there are no views and nothing to reconcile. */
function noneWithoutIndex(error: unknown): [] {
  if ((error as { code?: string }).code === '42P01') return []
  throw error
}

const EVERY_MS = 2_000
const TIMEOUT_MS = 3_000

/** Periodically checks whether the enclave answers. */
function watchEnclave(
  enclave: Pick<Enclave, 'publicKeys'>,
): Repeated & { state(): 'ok' | 'unreachable' } {
  let state: 'ok' | 'unreachable' = 'ok'
  const watching = repeat(
    EVERY_MS,
    () => {},
    async () => {
      const late = setTimeout(TIMEOUT_MS, null, { ref: false })
      const keys = await Promise.race([enclave.publicKeys().catch(() => null), late])
      state = keys === null ? 'unreachable' : 'ok'
    },
  )
  return { state: () => state, stop: () => watching.stop() }
}
