import type { Logger } from 'pino'
import type { SenderEvent } from '../chain/transactions/senderContext.ts'
import { createRepeatLog } from '../log/repeatLog.ts'
import type { Outcome } from './journal/intentJournal.ts'
import type { Shortage } from './plan/findShortages.ts'
import type { UpkeepAction } from './plan/solverActionTypes.ts'
import type { IntentSnapshot } from './plan/solverSnapshot.ts'
import type { PricedToken } from './policy/policy.ts'

/** Everything that a solver logs: ids, amounts and codes, never recipients or keys. */
export function createSolverLog(log: Logger) {
  const report = createRepeatLog(log)
  return {
    bidding: (intent: IntentSnapshot, amountB: bigint) =>
      log.info({ ...idOf(intent), amountB: String(amountB) }, 'bidding'),
    depositing: (intent: IntentSnapshot, amountB: bigint) =>
      log.info({ ...idOf(intent), amountB: String(amountB) }, 'becoming the winner'),
    asking: (intent: IntentSnapshot) =>
      log.warn(idOf(intent), 'no recipients revealed: asking on chain'),
    delivering: (intent: IntentSnapshot, recipients: number) =>
      log.info({ ...idOf(intent), recipients }, 'delivering'),
    settlementRequested: (intent: IntentSnapshot) =>
      log.info(idOf(intent), 'the relayer has settled the intent'),
    over: (intent: IntentKey, outcome: Outcome) =>
      log.info({ ...idOf(intent), outcome }, 'an intent has ended'),
    upkeep: ({ do: what, ...action }: UpkeepAction) => {
      const amount = 'amount' in action ? { amount: String(action.amount) } : {}
      const after = 'after' in action ? { after: String(action.after) } : {}
      log.info({ ...action, ...amount, ...after }, UPKEEP_MESSAGES[what])
    },
    stepFailed: (step: string, intent: IntentSnapshot | null, error: unknown) =>
      log.warn({ ...(intent && idOf(intent)), step, ...reasonOf(error) }, 'a step failed'),
    chainTrouble: (chain: string, error: unknown) => {
      const reason = { chain, ...reasonOf(error) }
      report('warn', chain, reason, 'a chain does not answer')
    },
    chainStalled: (chain: string) =>
      report(
        'warn',
        `stalled ${chain}`,
        { chain },
        'a chain has produced no block for minutes: not bidding on deliveries there',
      ),
    misdescribedToken: ({ chainId, address, symbol, decimals }: PricedToken, actual: number) => {
      const code = 'DECIMALS_DIFFER'
      const reason = `the chains file gives it ${decimals} decimals, the token itself ${actual}: correct the file`
      const facts = { code, chainId, address, symbol, reason }
      report('error', `${chainId}/${address}`, { reason }, 'not trading a token', facts)
    },
    shortOfFunds: (chain: string, account: string, { symbol, holds, needs }: Shortage) => {
      const what = { chain, ...(symbol && { symbol }), holds: String(holds), needs: String(needs) }
      const message =
        symbol === null
          ? `too little of the chain’s coin, so neither staking nor bidding there: send some to ${account}`
          : `too few tokens for the policy’s stake, so bidding less or not at all: send some to ${account}, or lower the stake`
      report('warn', `funds ${chain} ${symbol}`, { needs: what.needs }, message, what)
    },
    gasTooDear: (chain: string) =>
      report(
        'warn',
        `gas ${chain}`,
        { code: 'GAS_TOO_DEAR', chain },
        'twice the base fee and the tip exceed maxFeeGwei of the chains file, so not bidding there: what is promised may not be sent, which costs the bond',
      ),
    foreignSealingKey: (chain: string, account: string) =>
      report(
        'error',
        `sealing key ${chain}`,
        { code: 'SEALING_KEY_DIFFERS', chain },
        `another program has set ${account}’s sealing key there, permanently, so neither staking nor bidding: use another account`,
      ),
    relayerTrouble: (doing: string, error: unknown) => {
      const reason = { doing, ...reasonOf(error) }
      report('warn', doing, reason, 'a request to the relayer failed')
    },
    policyRisk: (risk: string) =>
      log.warn({ code: 'POLICY_RISK', risk }, 'the policy leaves a risk open'),
    policyRead: (problem: string | null) =>
      problem === null
        ? log.info('the policy has changed')
        : log.error(
            { code: 'POLICY_INVALID', problem },
            'the policy file is invalid; the previous policy stays in force',
          ),
    clockBehind: (chain: string) =>
      report(
        'warn',
        `clock ${chain}`,
        { code: 'CLOCK_BEHIND', chain },
        'its clock is more than a pickup window behind that of an intent’s destination, so not bidding: it is catching up after an outage, or the nodes lag',
      ),
    policyStale: () =>
      report(
        'error',
        'policy',
        { code: 'POLICY_STALE' },
        'the policy file is older than its maxAgeSeconds, so the solver makes no new bids: update the prices',
      ),
    withholding: (intent: IntentSnapshot) =>
      report(
        'warn',
        `withholding ${intent.intentId}`,
        { code: 'STOP_LOSS', ...idOf(intent) },
        'by present prices and gas, the delivery would lose more than the bond: not delivering unless that changes in time',
      ),
    forfeitLimit: () =>
      report(
        'error',
        'forfeited',
        { code: 'FORFEIT_LIMIT' },
        'the bonds forfeited in the last 24 hours exceed the policy’s limit, so the solver makes no new bids: find out why it didn’t deposit or deliver',
      ),
    switched: (running: boolean) => log.info({ running }, 'an operator started or stopped bidding'),
    standby: (isWaiting: boolean) =>
      log.info(
        isWaiting
          ? 'another instance with this key and database is working: this one waits until it stops'
          : 'the other instance has stopped: this one takes over',
      ),
    transaction: (event: SenderEvent) => {
      if (event.type !== 'trouble') return logTransaction(log, event)
      const { type, ...facts } = event
      const subject = `sender ${facts.chainId} ${facts.problem}`
      report('warn', subject, facts, 'transactions are waiting')
    },
  }
}

export type SolverLog = ReturnType<typeof createSolverLog>

type IntentKey = Pick<IntentSnapshot, 'sourceChainId' | 'intentId'>

const UPKEEP_MESSAGES: Record<UpkeepAction['do'], string> = {
  approve: 'approving the bridge for a token',
  seal: 'setting the sealing key, permanently',
  stake: 'staking a token',
  unstake: 'withdrawing stake',
  claim: 'claiming credits from the bridge',
  block:
    'a deadline has come without a block: sending an empty transaction, so that the chain produces one',
}

function idOf({ sourceChainId, intentId }: IntentKey) {
  return { sourceChainId, intentId: String(intentId) }
}

/** The code, if any, and the first line: chain clients' errors quote whole calls. */
function reasonOf(error: unknown): { code?: string; reason: string } {
  const { code, shortMessage, message } = Object(error) as Record<string, unknown>
  const [reason = ''] = String(shortMessage ?? message ?? error).split('\n')
  return { ...(typeof code === 'string' && { code }), reason: reason.slice(0, 200) }
}

/** Reverts, found by simulation, of calls that a competitor's call came before. */
const OVERTAKEN = new Set([
  'BidTooLow',
  'WrongPhase',
  'AuctionOver',
  'PickupOver',
  'PickupReserved',
  'OutsideWindow',
  'AlreadyRevealed',
])

function logTransaction(log: Logger, event: Exclude<SenderEvent, { type: 'trouble' }>): void {
  const { kind, effect, chainId } = event.transaction
  const what = { kind, effect, chainId, ...('hash' in event && { hash: event.hash }) }
  const problem = 'problem' in event ? { problem: event.problem } : {}
  log[levelOf(event)]({ ...what, ...problem }, `transaction ${event.type}`)
}

function levelOf(event: Exclude<SenderEvent, { type: 'trouble' }>): 'warn' | 'info' | 'debug' {
  if (event.type === 'failed') {
    if (OVERTAKEN.has(event.problem)) return 'debug'
    // A competitor's bid came before it in its block: nothing to mend, but its gas is spent.
    const isOvertakenBid = event.transaction.kind === 'bid' && event.problem === 'REVERTED_ON_CHAIN'
    return isOvertakenBid ? 'info' : 'warn'
  }
  return ['waits', 'cancelled', 'taken-back'].includes(event.type) ? 'warn' : 'debug'
}
