import { computeDeliveryKey } from '../../core/proof/storage/deliveryRecord.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { Refused } from './bridgeState.ts'
import type { Catalogue } from './catalogue.ts'
import type { SolverName } from './deployment.ts'
import type { Revealed } from './messages.ts'

/** The destination chain at a block: deliveries by key. */
export type Destination = {
  time: number
  deliveries: Readonly<Record<Hex, { sequence: number; solvedAt: number }>>
}

/** A call to `solveIntent`. */
export type Solve = { by: SolverName; paramsHash: Hex; revealed: Revealed }

/** A delivery's key, as the destination bridge computes it. */
export function findDeliveryKey(
  { deployment, deliveryKeys }: Catalogue,
  { by, paramsHash, revealed }: Solve,
): Hex {
  const text = `${by} ${paramsHash} ${revealed.recipients} ${revealed.amounts}`
  const found = deliveryKeys.get(text)
  if (found !== undefined) return found
  const { sourceChainId, intentId, tokenB } = deployment
  const { recipients } = revealed
  const amounts = revealed.amounts.map(BigInt)
  const solver = deployment.solvers[by]
  const delivery = { sourceChainId, intentId, paramsHash, tokenB, solver, recipients, amounts }
  const key = computeDeliveryKey(delivery)
  deliveryKeys.set(text, key)
  return key
}

/** The chain after a delivery. @throws Refused */
export function solve(catalogue: Catalogue, destination: Destination, made: Solve): Destination {
  const { recipients, amounts } = made.revealed
  const count = recipients.length
  if (count === 0 || count > 200 || count !== amounts.length)
    throw new Refused('RecipientCountInvalid')
  const key = findDeliveryKey(catalogue, made)
  if (destination.deliveries[key] !== undefined) throw new Refused('AlreadySolved')
  for (const [at, recipient] of recipients.entries()) {
    const isNobody =
      /^0x0{40}$/.test(recipient) || recipient === catalogue.deployment.destinationBridge
    if (isNobody) throw new Refused('InvalidRecipient')
    if (amounts[at] === 0) throw new Refused('ZeroAmount')
  }
  const sequence = Object.keys(destination.deliveries).length + 1
  const delivered = { sequence, solvedAt: destination.time }
  return { ...destination, deliveries: { ...destination.deliveries, [key]: delivered } }
}
