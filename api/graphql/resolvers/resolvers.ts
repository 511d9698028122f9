import type { PairHourRow } from '../../../src/projection/rowTypes.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { pairDayId, pairTotalId, routeId } from '../objectIds.ts'
import { SCALARS } from '../scalars/scalars.ts'
import { bridgeFields, bridgeQueries, escrowFields } from './bridgeQueries.ts'
import { bidDecimals, bidFields, eventFields } from './eventFields.ts'
import { eventQueries } from './eventQueries.ts'
import { amountInTokenA, deliveryFields, intentFields } from './intentFields.ts'
import { intentQueries } from './intentQueries.ts'
import { nodeQuery } from './nodeQuery.ts'
import { orderFields, trancheFields } from './orderFields.ts'
import { orderQueries } from './orderQueries.ts'
import { pushEventFields } from './pushEventSubscription.ts'
import { searchQuery } from './searchQuery.ts'
import { chainFields, pairFields, solverFields, stakeFields } from './solverFields.ts'
import { solverQueries } from './solverQueries.ts'
import { completionFields, type PairTotalNode, statisticsQueries } from './statisticsQueries.ts'
import { subscriptionFields } from './subscriptionFields.ts'
import { withTokens } from './tokenAmountFields.ts'
import { tokenFields, tokenQueries } from './tokenFields.ts'

type QueryField = (args: never, context: GraphqlContext) => unknown

/** The resolvers of `Query`, which has no source object. */
function queryResolvers(fields: Record<string, QueryField>) {
  const parts = Object.entries(fields).map(([name, field]) => {
    const resolve = (_: unknown, args: never, context: GraphqlContext) => field(args, context)
    return [name, resolve] as const
  })
  return Object.fromEntries(parts)
}

/** The scalars' functions. Whole scalar types would replace their descriptions in the schema. */
function scalarResolvers() {
  const parts = Object.entries(SCALARS).map(([name, scalar]) => {
    const { serialize, parseValue, parseLiteral, extensions } = scalar.toConfig()
    return [name, { serialize, parseValue, parseLiteral, extensions }] as const
  })
  return Object.fromEntries(parts)
}

/** Amounts of each type, by the token they are in. */
const AMOUNTS = {
  Intent: {
    tokenA: ['amountA', 'reward', 'bond', 'payout', 'fee', 'forfeitedBond'],
    tokenB: ['expectedAmountB', 'bestBid', 'winningAmountB', 'creditedAmountB'],
  },
  Delivery: { tokenB: ['amountB', 'credited'] },
  SolverVolume: { token: ['delivered', 'paidOut', 'forfeited'] },
  SolverStake: { token: ['staked', 'locked', 'free'] },
  Order: {
    tokenA: [
      'totalAmount',
      'amountSpent',
      'amountRefunded',
      'amountLeft',
      'amountPerPeriod',
      'amountReturned',
    ],
    tokenB: ['expectedAmountB'],
  },
  VaultEscrow: { token: ['orders', 'credits'] },
  Route: { tokenA: ['minEscrow', 'maxEscrow'], tokenB: [] },
  Batch: {
    tokenA: ['totalAmountA', 'totalReward', 'smallestAmountA', 'largestAmountA'],
    tokenB: ['totalExpectedAmountB', 'totalBestB'],
  },
  PairDay: {
    tokenA: ['createdVolumeA', 'completedVolumeA', 'fees', 'rewards'],
    tokenB: ['completedVolumeB'],
  },
  SolverDay: { token: ['delivered', 'settledVolume', 'fees', 'paidOut', 'forfeited'] },
  Escrow: { token: ['open', 'stakes', 'credits', 'deliveryCredits', 'fees', 'total'] },
  BridgeToken: { token: ['minAmount', 'maxAmount'] },
} as const

/** Resolvers by type. A field without one is the property of its name. */
export const resolvers = {
  ...scalarResolvers(),
  Query: queryResolvers({
    ...intentQueries,
    ...eventQueries,
    ...solverQueries,
    ...orderQueries,
    ...statisticsQueries,
    ...bridgeQueries,
    ...tokenQueries,
    ...nodeQuery,
    ...searchQuery,
  }),
  Subscription: subscriptionFields,
  Token: tokenFields,
  Intent: withTokens(AMOUNTS.Intent, intentFields),
  TimelineEntry: chainFields,
  Refund: amountInTokenA,
  Lock: amountInTokenA,
  IntentForfeit: amountInTokenA,
  Delivery: withTokens(AMOUNTS.Delivery, deliveryFields),
  Bid: { ...bidFields, ...bidDecimals },
  Event: eventFields,
  PushEvent: pushEventFields,
  Solver: solverFields,
  SolverChain: chainFields,
  SolverVolume: withTokens(AMOUNTS.SolverVolume, chainFields),
  SolverStake: withTokens(AMOUNTS.SolverStake, stakeFields),
  SealingKey: chainFields,
  Forfeit: withTokens({ token: ['amount'] }, { sourceChain: pairFields.sourceChain }),
  Order: withTokens(AMOUNTS.Order, orderFields),
  Tranche: trancheFields,
  VaultEscrow: withTokens(AMOUNTS.VaultEscrow, chainFields),
  Route: withTokens(AMOUNTS.Route, { ...pairFields, id: routeId }),
  Batch: withTokens(AMOUNTS.Batch, pairFields),
  PairDay: withTokens(AMOUNTS.PairDay, { ...pairFields, id: pairDayId }),
  PairTotal: withTokens(AMOUNTS.PairDay, {
    ...pairFields,
    id: (row: PairTotalNode) => pairTotalId(row, row.days),
  }),
  PairHour: withTokens(AMOUNTS.PairDay, {
    ...pairFields,
    hour: ({ hour }: PairHourRow) => hour * 3_600,
  }),
  SolverDay: withTokens(AMOUNTS.SolverDay, chainFields),
  ChainPeriod: chainFields,
  CompletionTimes: completionFields,
  ChainTotal: chainFields,
  Escrow: withTokens(AMOUNTS.Escrow, escrowFields),
  Bridge: bridgeFields,
  BridgeToken: withTokens(AMOUNTS.BridgeToken, {}),
  BridgeDestination: { destChain: pairFields.destChain },
}
