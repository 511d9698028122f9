import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { Logger, run, type WorkerEvents } from 'graphile-worker'
import pg from 'pg'
import type { Hex } from 'viem'
import type { BundleVault } from '../bundles/bundleVault.ts'
import { leaveUnshielded, type ShieldRecipients } from '../bundles/shieldRecipients.ts'
import type { SenderEvent, SignTransaction } from '../chain/transactions/sender.ts'
import { type StartSenderOptions, startSender } from '../chain/transactions/startSender.ts'
import type { ChainConfig } from '../config/chains.ts'
import { bindEnclave } from '../enclave/bindEnclave.ts'
import type { Enclave } from '../enclave/port.ts'
import { historyProver } from '../settlement/proveHistory.ts'
import { startChangeFeed } from '../store/changeFeed.ts'
import { openDatabase } from '../store/database.ts'
import { followChains } from '../store/liveChains.ts'
import { beat, endBeat, type ReactionsStatus, senderStatus } from './beat.ts'
import { findCandidates } from './findCandidates.ts'
import { hasLostItsDelivery } from './hasLostItsDelivery.ts'
import { queueReaction, REACT, type ReactJob } from './jobs.ts'
import { listenForWishes } from './listenForWishes.ts'
import { oneAtATime } from './oneAtATime.ts'
import type { ReactionEvent, Reactor } from './reactor.ts'
import { reactTo } from './reactTo.ts'
import { releaseDeadWorkers } from './releaseDeadWorkers.ts'
import { repeat } from './repeat.ts'

export type ReactionsOptions = {
  databaseUrl: string
  chains: readonly ChainConfig[]
  enclave: Enclave
  /** How registered recipients are shielded. Default: not at all. */
  shield?: ShieldRecipients
  /** Signs a transaction; default: the enclave, without more than the transaction itself. */
  sign?: SignTransaction
  /** Seconds for which a refund that is due is left to others. Default 60. */
  refundAfter?: number
  /** Settings of every sender, such as `bumpAfterMs`. */
  sender?: Partial<
    Pick<StartSenderOptions, 'bumpAfterMs' | 'resendAfterMs' | 'pollMs' | 'maxFeePerGas'>
  >
  /** Milliseconds between two searches for what nobody told of. Default 2,000. */
  sweepMs?: number
  /** Reactions at once. Default 4. */
  concurrency?: number
  onEvent?: (event: ReactionEvent | (SenderEvent & { chainId: number })) => void
}

export type Reactions = { status(): ReactionsStatus; stop(): Promise<void> }

const SWEEP_LIMIT = 500
const BEAT_MS = 1_000

/**
 * Does what the facts ask for: reactions over a queue in the database, and a sender for each chain.
 * Woken by changes of the projections, by stored bundles and by whoever wishes; a periodic search
 * finds whatever nobody told of, so that nothing hangs on a message that was lost.
 */
export async function startReactions(options: ReactionsOptions): Promise<Reactions> {
  const { databaseUrl, chains, enclave, onEvent = () => {} } = options
  const { relayer } = await enclave.publicKeys()
  const database = openDatabase({
    ...{ databaseUrl, connections: 10 },
    // Nobody waits for an answer here: better late than tried again.
    ...{ statementTimeoutMs: 30_000, connectTimeoutMs: 15_000 },
  })
  const feed = startChangeFeed({ databaseUrl })
  const confirmations = new Map(chains.map((chain) => [chain.chainId, chain.confirmations]))
  const configured = new Map(chains.map((chain) => [chain.chainId, chain]))
  const vault: BundleVault = {
    db: database.db,
    enclave,
    shield: options.shield ?? leaveUnshielded,
    bridgeOn: (chainId) => (configured.get(chainId)?.bridge.toLowerCase() as Hex) ?? null,
    now: () => Math.floor(Date.now() / 1_000),
  }
  const reactor: Reactor = {
    vault,
    enclave,
    chains: followChains(database.db, feed, confirmations),
    configured,
    relayer,
    prove: historyProver(database.db, chains),
    refundAfter: options.refundAfter ?? 60,
    tell: onEvent,
  }
  const senders = chains.map((chain) =>
    startSender({
      databaseUrl,
      chain,
      account: relayer,
      sign: options.sign ?? signByEnclave(enclave),
      isStale: (transaction) => hasLostItsDelivery(database.db, transaction),
      onEvent: (event) => onEvent({ ...event, chainId: chain.chainId }),
      ...options.sender,
    }),
  )
  await bindEnclave(database.pool, enclave)
  const queue = await startQueue(reactor, databaseUrl, options.concurrency ?? 4)
  const status = (): ReactionsStatus => ({
    workers: queue.workers(),
    relayer,
    enclave: enclaveState,
    senders: senders.map((sender) => senderStatus(sender.report())),
  })
  let enclaveState: ReactionsStatus['enclave'] = 'ok'
  const instance = randomUUID()
  const trouble = (where: string) => (error: unknown) => {
    const detail = error instanceof Error ? error.message : String(error)
    onEvent({ type: 'trouble', where, detail })
  }
  const wishes = listenForWishes({
    databaseUrl,
    feed,
    onWish: (key) => void queueReaction(queue, key).catch(trouble('queue')),
  })
  const loops = [
    repeat(BEAT_MS, trouble('beat'), async () => {
      await beat(queue.pool, instance, status())
      await releaseDeadWorkers(queue.pool)
    }),
    repeat(BEAT_MS * 2, trouble('enclave'), async () => {
      const asked = enclave.publicKeys().then(
        () => 'ok' as const,
        () => 'unreachable' as const,
      )
      const late = new Promise<'unreachable'>((resolve) => {
        setTimeout(() => resolve('unreachable'), 3_000).unref()
      })
      enclaveState = await Promise.race([asked, late])
    }),
    repeat(options.sweepMs ?? 2_000, trouble('sweep'), async () => {
      const found = await findCandidates(database.db, {
        refundAfter: reactor.refundAfter,
        limit: SWEEP_LIMIT,
      }).catch(noneWithoutIndex)
      for (const key of found) await queueReaction(queue, key)
    }),
  ]
  let stopped: Promise<void> | null = null
  const stopAll = async () => {
    await Promise.all([wishes.stop(), ...loops.map((loop) => loop.stop())])
    await queue.stop()
    await Promise.all(senders.map((sender) => sender.stop()))
    await endBeat(queue.pool, instance).catch(() => {})
    await queue.pool.end()
    await feed.stop()
    await database.close()
  }
  return {
    status,
    stop: () => {
      stopped ??= stopAll()
      return stopped
    },
  }
}

/** Before the indexer has ever run there are no views, and nothing to react to. */
function noneWithoutIndex(error: unknown): [] {
  if ((error as { code?: string }).code === '42P01') return []
  throw error
}

function signByEnclave(enclave: Enclave): SignTransaction {
  return ({ chainId, nonce, to, data, gas, maxFeePerGas, maxPriorityFeePerGas }) =>
    enclave.signTransaction({
      ...{ chainId, nonce, to, data, gas, maxFeePerGas, maxPriorityFeePerGas },
    })
}

async function startQueue(reactor: Reactor, databaseUrl: string, concurrency: number) {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: 'cairn_reactions',
    max: concurrency + 4,
    connectionTimeoutMillis: 15_000,
  })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const workers = new Set<string>()
  const events: WorkerEvents = new EventEmitter()
  events.on('worker:create', ({ worker }) => workers.add(worker.workerId))
  events.on('worker:stop', ({ worker }) => workers.delete(worker.workerId))
  const react = oneAtATime((key) => reactTo(reactor, key))
  const runner = await run({
    pgPool: pool,
    concurrency,
    noHandleSignals: true,
    pollInterval: 1_000,
    events,
    // Jobs hold no more than an intent's id; what goes wrong in them is told by the reactions.
    logger: new Logger(() => () => {}),
    taskList: {
      [REACT]: async (payload) => {
        const { sourceChainId, intentId } = payload as ReactJob
        await react({ sourceChainId, intentId: BigInt(intentId) })
      },
    },
  })
  return {
    pool,
    addJob: runner.addJob,
    workers: () => [...workers],
    stop: () => runner.stop(),
  }
}
