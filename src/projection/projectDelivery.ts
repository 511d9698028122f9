import type { BridgeEventOf } from '../event/bridgeEvent.ts'
import { deliveryOf } from '../intent/deliveryOf.ts'
import { addVolume, countSolver } from './amendSolver.ts'
import type { Change } from './change.ts'
import type { Asking } from './read.ts'
import { insertRow } from './rowChange.ts'

/**
 * Writes of `IntentSolved`, on the chain that delivered: the delivery and what the solver moved.
 *
 * Counts what happened, not what was owed: this chain can't know whether the intent exists.
 */
export function* projectDelivery(event: BridgeEventOf<'IntentSolved'>): Asking<Change[]> {
  const { point, args } = event
  const delivery = deliveryOf(event)
  if (!delivery) return []
  const account = { chainId: point.chainId, solver: args.solver, token: args.tokenB }
  return [
    insertRow('delivery', delivery),
    yield* countSolver(args.solver, 'deliveries', point),
    yield* addVolume(account, 'delivered', args.amountB),
  ]
}
