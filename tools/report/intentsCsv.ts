import { formatIsoTimestamp } from '../formatIsoTimestamp.ts'
import { findEnd, type IntentRecord } from './composeIntentRecords.ts'
import { type Cell, csvLines } from './csv.ts'
import { formatAmount } from './formatAmount.ts'
import type { TokenNames } from './readTokenNames.ts'

const COLUMNS = [
  ...(['date', 'chain', 'intent', 'status', 'symbol', 'amount', 'reward', 'fee'] as const),
  ...(['payout', 'refund', 'transaction', 'created', 'create_transaction'] as const),
  ...(['destination_chain_id', 'delivered_symbol', 'delivered'] as const),
  ...(['delivery_transaction', 'solver', 'token', 'amount_base', 'reward_base'] as const),
  ...(['fee_base', 'payout_base', 'refund_base', 'delivered_token', 'delivered_base'] as const),
] as const

/** The line of an intent, by column. */
export type IntentLine = Record<(typeof COLUMNS)[number], Cell>

/** `intents.csv`: one line per intent, amounts in whole tokens and in base units. */
export function formatIntentsCsv(lines: Iterable<IntentLine>): Iterable<string> {
  return csvLines(COLUMNS, lines)
}

/** An intent's line. It omits the sender; the recipient isn't known here. */
export function composeIntentLine(record: IntentRecord, names: TokenNames): IntentLine {
  const { chain, after, status, delivery } = record
  const token = names.find(after.sourceChainId, after.tokenA)
  const there = delivery && names.find(delivery.destChainId, delivery.tokenB)
  const whole = (amount: bigint | null) => formatAmount(amount, token)
  return {
    date: formatIsoTimestamp(findEnd(after) ?? after.createdAt),
    chain,
    intent: after.intentId,
    status,
    symbol: token?.symbol ?? null,
    amount: whole(after.amountA),
    reward: whole(after.reward),
    fee: whole(after.fee),
    payout: whole(after.payout),
    refund: whole(after.refundAmount),
    transaction:
      after.settleTxHash ?? after.cancelTxHash ?? after.refundTxHash ?? after.createTxHash,
    created: formatIsoTimestamp(after.createdAt),
    create_transaction: after.createTxHash,
    destination_chain_id: after.destChainId,
    delivered_symbol: there?.symbol ?? null,
    delivered: formatAmount(delivery?.amountB ?? null, there),
    delivery_transaction: delivery?.solveTxHash ?? null,
    solver: after.solver,
    token: after.tokenA,
    amount_base: after.amountA,
    reward_base: after.reward,
    fee_base: after.fee,
    payout_base: after.payout,
    refund_base: after.refundAmount,
    delivered_token: delivery?.tokenB ?? null,
    delivered_base: delivery?.amountB ?? null,
  }
}
