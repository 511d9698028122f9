import type { Logger } from 'pino'
import type { SenderEvent } from '../chain/transactions/senderContext.ts'
import { createRepeatFilter } from '../log/repeatFilter.ts'
import type { Outcome } from './journal/journal.ts'
import type { UpkeepAction } from './plan/action.ts'
import type { SeenIntent } from './plan/snapshot.ts'

/**
 * Everything that a solver logs: ids, amounts and codes. Recipients and keys are in none of these.
 */
export type SolverEvents = {
  bidding(intent: SeenIntent, amountB: bigint): void
  depositing(intent: SeenIntent, amountB: bigint): void
  asking(intent: SeenIntent): void
  delivering(intent: SeenIntent, recipients: number): void
  settlementAsked(intent: SeenIntent): void
  over(intent: Pick<SeenIntent, 'sourceChainId' | 'intentId'>, outcome: Outcome): void
  upkeep(action: UpkeepAction): void
  stepFailed(step: string, intent: SeenIntent | null, error: unknown): void
  chainTrouble(chain: string, error: unknown): void
  relayerTrouble(doing: string, error: unknown): void
  policyRead(problem: string | null): void
  switched(running: boolean): void
  transaction(event: SenderEvent): void
}

export function solverEvents(log: Logger): SolverEvents {
  const isNews = createRepeatFilter()
  return {
    bidding: (intent, amountB) =>
      log.info({ ...idOf(intent), amountB: String(amountB) }, 'bidding'),
    depositing: (intent, amountB) =>
      log.info({ ...idOf(intent), amountB: String(amountB) }, 'becoming the winner'),
    asking: (intent) => log.warn(idOf(intent), 'no recipients revealed: asking on chain'),
    delivering: (intent, recipients) => log.info({ ...idOf(intent), recipients }, 'delivering'),
    settlementAsked: (intent) => log.info(idOf(intent), 'settled, according to the relayer'),
    over: (intent, outcome) => log.info({ ...idOf(intent), outcome }, 'an intent is over'),
    upkeep: ({ do: what, ...action }) => {
      const amount = 'amount' in action ? { amount: String(action.amount) } : {}
      log.info({ ...action, ...amount }, UPKEEP_WORDS[what])
    },
    stepFailed: (step, intent, error) =>
      log.warn({ ...(intent && idOf(intent)), step, ...whyOf(error) }, 'a step failed'),
    chainTrouble: (chain, error) => {
      const why = { chain, ...whyOf(error) }
      log[isNews(chain, why) ? 'warn' : 'debug'](why, 'a chain doesn’t answer')
    },
    relayerTrouble: (doing, error) => {
      const why = { doing, ...whyOf(error) }
      log[isNews(doing, why) ? 'warn' : 'debug'](why, 'a request to the relayer failed')
    },
    policyRead: (problem) =>
      problem === null
        ? log.info('the policy has changed')
        : log.error({ problem }, 'the policy file is invalid; the previous policy stays in force'),
    switched: (running) => log.info({ running }, 'switched by an operator'),
    transaction: (event) => logTransaction(log, event),
  }
}

const UPKEEP_WORDS: Record<UpkeepAction['do'], string> = {
  approve: 'approving the bridge for a token',
  seal: 'setting the sealing key, for good',
  stake: 'staking a token',
  unstake: 'taking out stake',
  claim: 'claiming credits from the bridge',
}

function idOf({ sourceChainId, intentId }: Pick<SeenIntent, 'sourceChainId' | 'intentId'>) {
  return { sourceChainId, intentId: String(intentId) }
}

/** A code where there is one, and one line: errors of chain clients quote whole calls. */
function whyOf(error: unknown): { code?: string; reason: string } {
  const { code, shortMessage, message } = Object(error) as Record<string, unknown>
  const [reason = ''] = String(shortMessage ?? message ?? error).split('\n')
  return { ...(typeof code === 'string' && { code }), reason: reason.slice(0, 200) }
}

const QUICKER = new Set([
  ...['BidTooLow', 'WrongPhase', 'AuctionOver', 'PickupOver', 'PickupReserved'],
  ...['OutsideWindow', 'AlreadyRevealed'],
])

function logTransaction(log: Logger, event: SenderEvent): void {
  if (event.type === 'trouble') {
    log.warn({ problem: event.problem, detail: event.detail }, 'transactions wait')
    return
  }
  const { kind, effect, chainId } = event.transaction
  const what = { kind, effect, chainId, ...('hash' in event && { hash: event.hash }) }
  const problem = 'problem' in event ? { problem: event.problem } : {}
  // Somebody else was faster, noticed before anything was paid for: part of the game.
  const isGame = event.type === 'failed' && QUICKER.has(event.problem)
  const isNews = !isGame && ['failed', 'waits', 'cancelled', 'taken-back'].includes(event.type)
  log[isNews ? 'warn' : 'debug']({ ...what, ...problem }, `transaction ${event.type}`)
}
