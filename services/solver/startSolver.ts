import type { Logger } from 'pino'
import { findChainName } from '../../core/chain/chainNames.ts'
import { createRelayerClient } from '../../sdk/relayer/relayerClient.ts'
import { findLowerMedian } from '../chain/transactions/medianAndMajority.ts'
import type { Phase } from '../chain/transactions/senderContext.ts'
import { type Sender, startSender } from '../chain/transactions/startSender.ts'
import type { Transaction } from '../chain/transactions/transactionRow.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { findGasPriceCap } from '../config/findGasPriceCap.ts'
import { repeat } from '../process/repeat.ts'
import { openDatabase } from '../store/database/openDatabase.ts'
import type { SolverAccount } from './account/solverAccount.ts'
import { createBackoff } from './act/backoff.ts'
import { countRecipients } from './act/encodeDeliverCall.ts'
import { isOfferStale } from './chain/isOfferStale.ts'
import { createSolverChain } from './chain/solverChain.ts'
import { checkJournal } from './journal/checkJournal.ts'
import { holdAccountLock } from './journal/holdAccountLock.ts'
import {
  findDeliveryKey,
  findFillDeadline,
  isRunning,
  loadActiveEntries,
  setRunning,
} from './journal/intentJournal.ts'
import { migrateJournal } from './journal/migrateJournal.ts'
import { parseEffect } from './journal/transactionJournal.ts'
import { keepRegistered } from './market/keepRegistered.ts'
import { pollRelayerAuctions } from './market/pollRelayerAuctions.ts'
import { calculateDeliveryGas } from './plan/deliveryGas.ts'
import { findPolicyRisks } from './policy/findPolicyRisks.ts'
import { watchPolicy } from './policy/watchPolicy.ts'
import { readIntentStatus } from './readIntentStatus.ts'
import { readSolverStatus } from './readSolverStatus.ts'
import { runRound } from './runRound.ts'
import { chainOf, type SolverContext, type SolverState } from './solverContext.ts'
import { createSolverLog } from './solverLog.ts'
import type { SolverService } from './solverServiceInterface.ts'

type StartSolverOptions = {
  databaseUrl: string
  chains: readonly ChainConfig[]
  relayerUrl: string
  policyFile: string
  account: SolverAccount
  /** Milliseconds between rounds. */
  roundMs: number
  log: Logger
  /** Called at each point at which a crash matters; tests kill the process there. */
  onPhase?: (phase: Phase, transaction: Transaction) => void
}

export type RunningSolver = SolverService & { stop(): Promise<void> }

/** Milliseconds without a round that read every chain after which the solver counts as dead. */
const DEAD_AFTER_MS = 30_000

/**
 * Starts a solver. All its state is in its database and on the chains, so it resumes after any end, even `kill -9`. Of
 * several instances with one account and database, one works and the others wait.
 *
 * @throws ConfigurationError when the policy can't be used, or the key and chains don't fit the journal
 */
export async function startSolver(options: StartSolverOptions): Promise<RunningSolver> {
  const { databaseUrl, account, roundMs } = options
  const events = createSolverLog(options.log)
  const policy = watchPolicy(options.policyFile, options.chains, events.policyRead)
  for (const risk of findPolicyRisks(policy(), options.chains)) events.policyRisk(risk)
  await migrateJournal(databaseUrl)
  const { db, close } = openDatabase({ databaseUrl, name: 'cairn_solver', connections: 6 })
  // Before the check, so that instances for other accounts that start at once see that this one works.
  const lock = holdAccountLock(databaseUrl, account.address, { onWaiting: events.standby })
  const now = Math.floor(Date.now() / 1_000)
  await checkJournal(db, account.address, options.chains, now).catch(async (error) => {
    await lock.stop()
    await close()
    throw error
  })
  const chains = options.chains.map(createSolverChain)
  const relayer = createRelayerClient({ baseUrl: options.relayerUrl, requestTimeoutMs: 30_000 })
  const state: SolverState = { snapshot: null, roundAt: null, aliveAt: null }
  const market = pollRelayerAuctions({
    relayer,
    policy,
    solver: account.address,
    chainTimes: () => [...(state.snapshot?.chains.values() ?? [])].map(({ time }) => time),
    everyMs: roundMs,
    onTrouble: (error) => events.relayerTrouble('finding auctions', error),
  })
  const solver: SolverContext = {
    account,
    chains,
    db,
    relayer,
    market,
    policy,
    events,
    backoff: createBackoff(),
  }
  const registering = keepRegistered({
    relayer,
    account,
    chains,
    policy,
    onTrouble: (error) => events.relayerTrouble('registering', error),
  })
  const senders = startSenders(options, solver)
  const rounds = repeat(
    roundMs,
    (error) => events.stepFailed('round', null, error),
    async () => {
      if (!lock.isHeld()) return
      state.snapshot = await runRound(solver, state.snapshot)
      state.roundAt = new Date()
      // Nothing is delivered on a chain that can't be read.
      const { chains: read } = state.snapshot
      if (chains.every(({ chainId }) => read.has(chainId))) state.aliveAt = performance.now()
    },
    { fromBeginning: true },
  )
  return {
    ...serviceOf(solver, state, lock.isHeldElsewhere),
    stop: async () => {
      await Promise.all([rounds.stop(), market.stop(), registering.stop()])
      await solver.backoff.idle()
      await Promise.all(senders.map((sender) => sender.stop()))
      await lock.stop()
      await close()
    },
  }
}

function serviceOf(
  solver: SolverContext,
  state: SolverState,
  isOtherAtWork: () => boolean,
): SolverService {
  const { db, account, chains, events } = solver
  return {
    status: () => readSolverStatus(solver, state),
    activeIntents: async () => {
      const entries = await loadActiveEntries(db, account)
      return entries.map((entry) => ({ ...entry, network: networkOf(chains, entry.sourceChainId) }))
    },
    intentStatus: (intentId) =>
      readIntentStatus(chains, intentId, () => findDeliveryKey(db, account, intentId)),
    setRunning: async (running) => {
      const wasRunning = await isRunning(db, account.address)
      await setRunning(db, account.address, running)
      if (wasRunning !== running) events.switched(running)
      return wasRunning !== running
    },
    isAlive: () => isOtherAtWork() || hasRecentRound(state.aliveAt),
    policyProblems: () => {
      const { isFromBefore, isStale } = solver.policy()
      return [
        ...(isFromBefore ? (['POLICY_INVALID'] as const) : []),
        ...(isStale ? (['POLICY_STALE'] as const) : []),
      ]
    },
  }
}

/** A chain's name, also of a removed one: an intent that needs nothing more from us may still be listed. */
function networkOf(chains: SolverContext['chains'], chainId: number): string {
  const configured = chains.find((chain) => chain.chainId === chainId)
  return configured?.name ?? findChainName(chainId) ?? String(chainId)
}

/** Uses the monotonic clock: if the wall clock were set back, a dead solver would look alive until it caught up. */
export function hasRecentRound(aliveAt: number | null): boolean {
  return aliveAt !== null && performance.now() - aliveAt < DEAD_AFTER_MS
}

function startSenders(options: StartSolverOptions, solver: SolverContext): Sender[] {
  const { databaseUrl, account, roundMs } = options
  return options.chains.map((chain) =>
    startSender({
      databaseUrl,
      chain,
      account: account.address,
      sign: account.signTransaction,
      maxFeePerGas: findGasPriceCap(chain),
      pollMs: roundMs,
      isStale: async (transaction: Transaction) =>
        (await isOfferStale(solver, transaction)) || shouldCancelDelivery(solver, transaction),
      isUrgent: ({ kind }) => kind === 'deposit',
      leastGas: findLeastDeliveryGas,
      onEvent: solver.events.transaction,
      ...(options.onPhase && { onPhase: options.onPhase }),
    }),
  )
}

/**
 * The recipients may spend their tokens between the estimate and the block, after which each transfer costs more: with no
 * more than the estimate the delivery would fail. Unused gas is not paid.
 */
function findLeastDeliveryGas({ kind, data }: Transaction, payable: bigint): bigint {
  if (kind !== 'deliver') return 0n
  const least = calculateDeliveryGas(countRecipients(data))
  return least <= payable ? least : 0n
}

/**
 * Whether an unmined delivery should be cancelled: from half the policy's safety margin before the deadline, by the
 * destination's latest block. After the deadline it would revert and waste its gas. Of two nodes that differ, the earlier
 * time counts, because a delivery that is cancelled too early costs the bond.
 */
async function shouldCancelDelivery(
  solver: Pick<SolverContext, 'db' | 'account' | 'chains' | 'policy'>,
  transaction: Pick<Transaction, 'kind' | 'effect' | 'chainId'>,
): Promise<boolean> {
  if (transaction.kind !== 'deliver') return false
  const intent = parseEffect(transaction.effect)
  const [deadline, times] = await Promise.all([
    findFillDeadline(solver.db, solver.account.address, intent),
    chainOf(solver, transaction.chainId).queryAll(
      async ({ client }) => Number((await client.getBlock()).timestamp),
      String,
    ),
  ])
  const safety = Math.ceil(solver.policy().deliverySafetySeconds / 2)
  return deadline === null || findLowerMedian(times) + safety >= deadline
}
