import { expect, it } from 'vitest'
import {
  findNotDeliveredRefusal,
  findSettlementRefusal,
} from '../../../core/settlement/attestationRefusals.ts'

const fillDeadline = 1_000
const at = (solvedAt: number) => ({ sequence: 7n, solvedAt })

it.each([
  ['delivered in time, even if it is seen later', at(999), 5_000, null, 'DELIVERED'],
  ['delivered, the deadline to come', at(900), 999, null, 'DELIVERED'],
  ['not delivered, the deadline to come', null, 999, 'NOT_DELIVERED', 'NOT_CONFIRMED'],
  ['not delivered', null, 1_000, 'NOT_DELIVERED', null],
  ['delivered at the deadline', at(1_000), 1_000, 'NOT_DELIVERED', null],
  ['delivered too late', at(1_001), 1_001, 'NOT_DELIVERED', null],
] as const)('%s: exactly one of the two is attested in the end', (_, delivery, destinationTime, settlement, notDelivered) => {
  const given = { delivery, fillDeadline, destinationTime }
  expect(findSettlementRefusal(given)).toBe(settlement)
  expect(findNotDeliveredRefusal(given)).toBe(notDelivered)
})
