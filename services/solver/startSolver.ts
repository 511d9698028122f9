import type { Logger } from 'pino'
import { createRelayerClient } from '../../sdk/relayer/relayerClient.ts'
import type { Phase } from '../chain/transactions/senderContext.ts'
import { type Sender, startSender } from '../chain/transactions/startSender.ts'
import type { Transaction } from '../chain/transactions/transaction.ts'
import type { ChainConfig } from '../config/chains.ts'
import { repeat } from '../process/repeat.ts'
import { openDatabase } from '../store/database/database.ts'
import type { SolverAccount } from './account/solverAccount.ts'
import { createBackoff } from './act/backoff.ts'
import { solverChain } from './chain/solverChain.ts'
import { describeSolver } from './describeSolver.ts'
import { deliveryIsStale } from './journal/deliveryIsStale.ts'
import { activeEntries, deliveryKeyOf, isRunning, setRunning } from './journal/journal.ts'
import { prepareJournal } from './journal/prepareJournal.ts'
import { waitForAccountLock } from './journal/waitForAccountLock.ts'
import { keepRegistered } from './market/keepRegistered.ts'
import { watchMarket } from './market/watchMarket.ts'
import { followPolicy } from './policy/followPolicy.ts'
import { readIntentStatus } from './readIntentStatus.ts'
import { runRound } from './runRound.ts'
import { chainOf, type Solver, type SolverState } from './solver.ts'
import { solverEvents } from './solverEvents.ts'
import type { SolverService } from './solverService.ts'

type StartSolverOptions = {
  databaseUrl: string
  chains: readonly ChainConfig[]
  relayerUrl: string
  policyFile: string
  account: SolverAccount
  /** Milliseconds between rounds. */
  roundMs: number
  log: Logger
  /** Called at each moment between which the process can die; a test dies there. */
  onPhase?: (phase: Phase, transaction: Transaction) => void
}

export type RunningSolver = SolverService & { stop(): Promise<void> }

/** Rounds that fail for so long make it count as dead, in milliseconds. */
const DEAD_AFTER = 30_000

/**
 * A running solver. All its state is in its database or on the chains, so it can end at any moment,
 * even by `kill -9`, and resumes where it was. Of several with one account and database one works,
 * the others wait.
 *
 * @throws ConfigurationError when the policy can't be used
 */
export async function startSolver(options: StartSolverOptions): Promise<RunningSolver> {
  const { databaseUrl, account, roundMs } = options
  const events = solverEvents(options.log)
  const policy = followPolicy(options.policyFile, options.chains, events.policyRead)
  await prepareJournal(databaseUrl)
  const { db, close } = openDatabase({ databaseUrl, connections: 6 })
  const chains = options.chains.map(solverChain)
  const relayer = createRelayerClient({ baseUrl: options.relayerUrl, requestTimeoutMs: 30_000 })
  const market = watchMarket({
    ...{ relayer, policy, solver: account.address, everyMs: roundMs },
    onTrouble: (error) => events.relayerTrouble('finding auctions', error),
  })
  const solver: Solver = {
    ...{ account, chains, db, relayer, market, policy, events, backoff: createBackoff() },
  }
  const registering = keepRegistered({
    ...{ relayer, account, chains, policy },
    onTrouble: (error) => events.relayerTrouble('registering', error),
  })
  const state: SolverState = { snapshot: null, roundAt: null }
  const turn = waitForAccountLock(databaseUrl, account.address)
  const senders = startSenders(options, solver)
  const rounds = repeat(
    roundMs,
    (error) => events.stepFailed('round', null, error),
    async () => {
      if (!turn.isOurs()) return
      state.snapshot = await runRound(solver)
      state.roundAt = new Date()
    },
    { fromBeginning: true },
  )
  return {
    ...serviceOf(solver, state, turn.isOurs),
    stop: async () => {
      await Promise.all([rounds.stop(), market.stop(), registering.stop()])
      await solver.backoff.idle()
      await Promise.all(senders.map((sender) => sender.stop()))
      await turn.stop()
      await close()
    },
  }
}

function serviceOf(solver: Solver, state: SolverState, isOurTurn: () => boolean): SolverService {
  const { db, account, chains, events } = solver
  return {
    status: () => describeSolver(solver, state),
    activeIntents: async () => {
      const entries = await activeEntries(db, account.address)
      return entries.map((entry) => ({
        ...entry,
        network: chainOf(solver, entry.sourceChainId).name,
      }))
    },
    intentStatus: (intentId) =>
      readIntentStatus(chains, intentId, () => deliveryKeyOf(db, account.address, intentId)),
    setRunning: async (running) => {
      const was = await isRunning(db, account.address)
      await setRunning(db, account.address, running)
      if (was !== running) events.switched(running)
      return was !== running
    },
    isAlive: () =>
      !isOurTurn() || (state.roundAt !== null && Date.now() - state.roundAt.getTime() < DEAD_AFTER),
  }
}

function startSenders(options: StartSolverOptions, solver: Solver): Sender[] {
  const { databaseUrl, account, roundMs } = options
  return options.chains.map((chain) =>
    startSender({
      ...{ databaseUrl, chain, account: account.address, sign: account.signTransaction },
      pollMs: roundMs,
      // A delivery that isn't in a block by then may come too late to be paid.
      isStale: (transaction: Transaction) => deliveryIsStale(solver, transaction),
      onEvent: solver.events.transaction,
      ...(options.onPhase && { onPhase: options.onPhase }),
    }),
  )
}
