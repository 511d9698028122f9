import { z } from '@hono/zod-openapi'
import { STATUSES } from '../../../core/intent/status.ts'
import {
  address,
  amount,
  chainId,
  chainName,
  count,
  flag,
  hash,
  intentId,
  moment,
  text,
} from '../../http/valueSchemas.ts'

const refundSchema = z
  .object({
    status: z
      .enum(['waiting', 'due', 'done'])
      .describe('waiting: not yet possible; due: anyone may call refund now; done: refunded.'),
    amount,
    claimableAt: moment.nullable(),
    attestableAt: moment
      .nullable()
      .describe(
        'Destination chain time from which enclaves can attest that nothing was delivered, for an early refund. Null if that doesn’t apply.',
      ),
    txHash: hash.nullable(),
    at: moment.nullable(),
  })
  .openapi('Refund')

const lockSchema = z.object({ solverAddress: address, amount }).openapi('Lock')

const forfeitSchema = z
  .object({
    solverAddress: address,
    amount: amount.describe('In tokenA. Nobody gets it.'),
    reason: z.enum(['no_deposit', 'not_delivered']),
    txHash: hash,
    at: moment,
  })
  .openapi('Forfeit', {
    description:
      'A lock forfeited by a best bidder that didn’t deposit or a winner that didn’t deliver.',
  })

const timelineSchema = z
  .object({
    type: text.describe(
      'Event name, or AuctionExpired or DeliveryOverdue for a deadline that passed.',
    ),
    status: z.enum(STATUSES).nullable().describe('Status from here on, if it changed.'),
    at: moment,
    chainId,
    blockNumber: count.nullable(),
    txHash: hash.nullable(),
  })
  .openapi('TimelineEntry')

/** An intent's record: the specification's fields first, then additional ones. */
export const intentSchema = z
  .object({
    intentId,
    sourceChainId: chainId,
    destChainId: chainId,
    solverAddress: address.nullable(),
    depositTxHash: hash.nullable(),
    solveTxHash: hash.nullable(),
    settleTxHash: hash.nullable(),
    status: z.enum(STATUSES),
    timestamp: moment.describe('When it was created.'),
    settledAt: moment.nullable(),

    sourceChain: chainName,
    destChain: chainName,
    substatus: z.string(),
    isTerminal: flag.describe(
      'Whether an event has ended it. A status that follows from a deadline alone isn’t terminal: a refund is still due.',
    ),
    finality: z.enum(['latest', 'safe', 'finalized']),
    sequence: text.describe(
      'Increases with every change by an event or reorg, but not when only time passes.',
    ),
    createTxHash: hash,
    anchorTxHash: hash.nullable(),
    cancelTxHash: hash.nullable(),
    sender: address,
    tokenA: address,
    tokenB: address,
    amountA: amount,
    expectedAmountB: amount,
    reward: amount,
    paramsHash: hash.describe(
      'keccak256 of chain, bridge, sender and the seven arguments of createIntent. Signatures about the intent contain it.',
    ),
    feeBps: count.nullable().describe('250 or 700; null until anchored.'),
    recipientClass: count
      .nullable()
      .describe('Upper bound of the number of recipients, a power of two; null until anchored.'),
    quorum: count.describe(
      'How many operators must sign a reveal, a settlement or an early refund.',
    ),
    blobsHash: hash.describe('The contract’s commitment to the recovery blobs, fixed at firmAt.'),
    endTime: moment,
    firmAt: moment.describe(
      'From this time on, the recipients are fixed, and an intent with a bid can’t be cancelled.',
    ),
    bids: z.object({
      count: count,
      best: z.object({ solver: address, amountB: amount }).nullable(),
    }),
    lock: lockSchema
      .nullable()
      .describe('The part of the best bidder’s or winner’s stake that backs the intent now.'),
    forfeits: z.array(forfeitSchema),
    winningAmountB: amount.nullable(),
    bond: amount.nullable(),
    fillDeadline: moment.nullable(),
    askedAt: moment.nullable().describe('When the winner asked on chain for the recipients.'),
    askTxHash: hash.nullable(),
    revealedAt: moment
      .nullable()
      .describe('When the recipients, sealed to the winner, were put on chain.'),
    revealTxHash: hash.nullable(),
    chain2IntentId: intentId.nullable(),
    creditedAmountB: amount
      .nullable()
      .describe(
        'The part that the token refused to transfer at the delivery. Recipients can claim it from the bridge.',
      ),
    payout: amount.nullable(),
    fee: amount.nullable(),
    updatedAt: moment.describe('Block time of the latest event of its source chain.'),
    refund: refundSchema.nullable(),
    timeline: z.array(timelineSchema),
  })
  .openapi('Intent')

export type IntentRecord = z.infer<typeof intentSchema>
export type RefundRecord = z.infer<typeof refundSchema>
export type ForfeitRecord = z.infer<typeof forfeitSchema>
export type TimelineRecord = z.infer<typeof timelineSchema>
