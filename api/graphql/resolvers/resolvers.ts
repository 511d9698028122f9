import type { Route } from '../../../services/store/pairs/listRoutes.ts'
import type { PairDayRow } from '../../../src/projection/rows.ts'
import { pairDayId, pairTotalId, routeId } from '../nodeId.ts'
import { SCALARS } from '../scalars/scalars.ts'
import { bridgeFields, bridgeQueries, escrowFields } from './bridgeQueries.ts'
import { bidFields, eventFields } from './eventFields.ts'
import { eventQueries } from './eventQueries.ts'
import { deliveryFields, intentFields, timelineFields } from './intentFields.ts'
import { intentQueries } from './intentQueries.ts'
import { nodeQuery } from './nodeQuery.ts'
import { orderFields, trancheFields, vaultEscrowFields } from './orderFields.ts'
import { orderQueries } from './orderQueries.ts'
import { chainFields, pairFields, solverFields, stakeFields } from './solverFields.ts'
import { solverQueries } from './solverQueries.ts'
import { type PairTotalNode, statisticsQueries } from './statisticsQueries.ts'
import { subscriptionFields } from './subscriptionFields.ts'

/** What scalars do. What they are is written in the schema, which whole scalar types would replace. */
function scalarParts() {
  const parts = Object.entries(SCALARS).map(([name, scalar]) => {
    const { serialize, parseValue, parseLiteral, extensions } = scalar.toConfig()
    return [name, { serialize, parseValue, parseLiteral, extensions }] as const
  })
  return Object.fromEntries(parts)
}

/** Resolvers by type. A field without one is the property of its name. */
export const resolvers = {
  ...scalarParts(),
  Query: {
    ...intentQueries,
    ...eventQueries,
    ...solverQueries,
    ...orderQueries,
    ...statisticsQueries,
    ...bridgeQueries,
    ...nodeQuery,
  },
  Subscription: subscriptionFields,
  Intent: intentFields,
  TimelineEntry: timelineFields,
  Delivery: deliveryFields,
  Bid: bidFields,
  Event: eventFields,
  Solver: solverFields,
  SolverChain: chainFields,
  SolverVolume: chainFields,
  SolverStake: stakeFields,
  SealingKey: chainFields,
  Forfeit: { sourceChain: pairFields.sourceChain },
  Order: orderFields,
  Tranche: trancheFields,
  VaultEscrow: vaultEscrowFields,
  Route: { ...pairFields, id: (route: Route) => routeId(route) },
  Batch: pairFields,
  PairDay: {
    ...pairFields,
    id: (row: PairDayRow) => pairDayId(row),
  },
  PairTotal: { ...pairFields, id: (row: PairTotalNode) => pairTotalId(row, row.days) },
  ChainTotal: chainFields,
  Escrow: escrowFields,
  Bridge: bridgeFields,
  BridgeDestination: { destChain: pairFields.destChain },
}
