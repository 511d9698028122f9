import { z } from '@hono/zod-openapi'
import { STATUSES } from '../../src/intent/status.ts'
import { address, amount, chainId, chainName, hash, intentId, moment } from './values.ts'

export const refundSchema = z
  .object({
    status: z.enum(['waiting', 'due', 'done']).openapi({
      description: 'waiting: not yet; due: anyone may call refund now; done: paid back.',
    }),
    amount,
    claimableAt: moment.nullable(),
    txHash: hash.nullable(),
    at: moment.nullable(),
  })
  .openapi('Refund')

export const timelineSchema = z
  .object({
    type: z.string().openapi({
      description: 'Event name, or AuctionExpired or DeliveryOverdue for a deadline that passed.',
    }),
    status: z
      .enum(STATUSES)
      .nullable()
      .openapi({ description: 'Status from here on, if it changed.' }),
    at: moment,
    chainId,
    blockNumber: z.number().int().nullable(),
    txHash: hash.nullable(),
  })
  .openapi('TimelineEntry')

/** The record of an intent: the specification's fields, then what goes beyond them. */
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
    timestamp: moment.openapi({ description: 'When it was created.' }),
    settledAt: moment.nullable(),

    sourceChain: chainName,
    destChain: chainName,
    substatus: z.string(),
    isTerminal: z.boolean().openapi({
      description: 'A chain event ended it. Late by the clock alone is not final: a refund is due.',
    }),
    finality: z.enum(['latest', 'safe', 'finalized']),
    sequence: z.string().openapi({
      description:
        'Grows with every change that an event makes, also when a reorg takes something back; time alone (a deadline, finality) leaves it.',
    }),
    createTxHash: hash,
    anchorTxHash: hash.nullable(),
    cancelTxHash: hash.nullable(),
    sender: address,
    tokenA: address,
    tokenB: address,
    amountA: amount,
    expectedAmountB: amount,
    reward: amount,
    feeBps: z
      .number()
      .int()
      .nullable()
      .openapi({ description: '250 or 700; null until anchored.' }),
    endTime: moment,
    bids: z.object({
      count: z.number().int(),
      best: z.object({ solver: address, amountB: amount }).nullable(),
    }),
    winningAmountB: amount.nullable(),
    bond: amount.nullable(),
    fillDeadline: moment.nullable(),
    chain2IntentId: intentId.nullable(),
    payout: amount.nullable(),
    fee: amount.nullable(),
    updatedAt: moment.openapi({
      description: 'Block time of the latest event of its source chain.',
    }),
    refund: refundSchema.nullable(),
    timeline: z.array(timelineSchema),
  })
  .openapi('Intent')

export type IntentRecord = z.infer<typeof intentSchema>
export type RefundRecord = z.infer<typeof refundSchema>
export type TimelineRecord = z.infer<typeof timelineSchema>
