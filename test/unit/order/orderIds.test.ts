import { expect, test } from 'vitest'
import { parseOrderId, toApiOrderId } from '../../../core/order/apiOrderId.ts'
import { countTranches } from '../../../core/order/countTranches.ts'
import { deriveOrderStatus } from '../../../core/order/orderStatus.ts'

const ID = `0x${'0123456789abcdef'.repeat(4)}` as const

test('the API’s id is the first 128 bits of the vault’s, and means all that begin with them', () => {
  expect(toApiOrderId(ID)).toBe('twap-0123456789abcdef0123456789abcdef')
  const range = parseOrderId(toApiOrderId(ID))!
  expect(range.from <= ID && ID <= range.to).toBe(true)
  const beside = ID.replace('0x01234567', '0x01234568')
  expect(range.from <= beside && beside <= range.to).toBe(false)
  expect(parseOrderId(ID.toUpperCase().replace('0X', '0x'))).toEqual({ from: ID, to: ID })
})

test.each([
  '',
  'twap-',
  'twap-1',
  `twap-${'g'.repeat(32)}`,
  `${ID}0`,
  ID.slice(2),
  `${toApiOrderId(ID)}00`,
])('“%s” is no order’s id', (text) => expect(parseOrderId(text)).toBeNull())

test.each([
  [100n, 100n, 1],
  [299n, 100n, 2],
  [300n, 100n, 3],
  [50n, 100n, 1],
  // GraphQL has no larger integer: one such order would hide every list that it is on.
  [2n ** 96n - 1n, 1n, 2 ** 31 - 1],
])('a deposit of %s in parts of %s makes %i tranches', (total, each, tranches) => {
  expect(countTranches(total, each)).toBe(tranches)
})

const OPEN = { closeReason: null, remaining: 100n, amountPerPeriod: 100n, endTime: 1_000 }

test.each([
  ['is active before its end', OPEN, 999, 'active', null],
  ['is active on a chain without a clock', OPEN, null, 'active', null],
  ['has stopped at its end', OPEN, 1_000, 'completed', 'end_time'],
  ['is filled when no tranche is left', { ...OPEN, remaining: 99n }, 1_000, 'completed', 'filled'],
  [
    'is cancelled by closing alone',
    { ...OPEN, closeReason: 'user_cancel' as const },
    0,
    'cancelled',
    'user_cancel',
  ],
  [
    'closed at its end',
    { ...OPEN, closeReason: 'end_time' as const },
    2_000,
    'completed',
    'end_time',
  ],
])('an order %s', (_, order, now, status, stopReason) => {
  const isClosed = order.closeReason !== null
  expect(deriveOrderStatus(order, now)).toEqual({ status, stopReason, isClosed })
})
