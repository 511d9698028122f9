import type { BridgeEventOf } from '../event/bridgeEvent.ts'
import { deliveryFromEvent } from '../intent/deliveryFromEvent.ts'
import { insertRow, updateRow } from './rowChange.ts'
import { find, type Read } from './rowReader.ts'
import type { Rows } from './rowTypes.ts'
import type { Change } from './rowWrite.ts'
import { updateEscrow } from './updateEscrow.ts'
import { updateSolverDay } from './updateSolverDay.ts'
import { addVolume, countSolver } from './updateSolverRecord.ts'

/**
 * Writes of `IntentSolved`, on the chain that delivered: the delivery and what the solver moved.
 *
 * Counts what happened, not what was owed: this chain can't know whether the intent exists.
 */
export function projectDelivery(read: Read, event: BridgeEventOf<'IntentSolved'>): Change[] {
  const { point, args } = event
  const delivery = deliveryFromEvent(event)
  if (!delivery) return []
  const account = { chainId: point.chainId, solver: args.solver, token: args.tokenB }
  return [
    insertRow('delivery', delivery),
    countSolver(read, args.solver, 'deliveries', point),
    addVolume(read, account, 'delivered', args.amountB),
    updateSolverDay(read, args.tokenB, args.solver, point, {
      deliveries: 1,
      delivered: args.amountB,
    }),
  ]
}

/** The delivery of a `DeliveryCredited`; null when that named a source chain that can't exist. */
export function creditedDelivery(
  read: Read,
  { args, point }: BridgeEventOf<'DeliveryCredited'>,
): Rows['delivery'] | null {
  return find(read, 'delivery', { destChainId: point.chainId, chain2IntentId: args.chain2IntentId })
}

/** Writes of `DeliveryCredited`: the delivery, and what now waits for recipients that the event doesn't name. */
export function projectDeliveryCredited(
  read: Read,
  event: BridgeEventOf<'DeliveryCredited'>,
): Change[] {
  const { args, point } = event
  const delivery = creditedDelivery(read, event)
  return [
    ...(delivery ? [updateRow('delivery', delivery, { ...delivery, credited: args.amount })] : []),
    updateEscrow(read, point.chainId, args.tokenB, { deliveryCredits: args.amount }),
  ]
}
