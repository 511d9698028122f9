import fc from 'fast-check'
import type { Address } from 'viem'
import { expect, test } from 'vitest'
import { createBatchState, hashRequest, requireSameBatch } from '../../../sdk/batch/batchState.ts'
import { type BatchRequest, splitBatch } from '../../../sdk/index.ts'

const address = (number: number): Address => `0x${(number + 1).toString(16).padStart(40, '0')}`
const SENDER = address(0xfff)
const BRIDGE = address(0xeee)

/** A payroll of these amounts, and so much more for whoever delivers it. */
function payroll(amounts: readonly bigint[], more = 0n): BatchRequest {
  const sum = amounts.reduce((total, amount) => total + amount, 0n)
  return {
    sourceChain: 'a',
    destChain: 'b',
    tokenIn: address(1),
    tokenOut: address(2),
    amountIn: sum * 2n,
    minAmountOut: sum + more,
    reward: sum / 7n,
    auctionSeconds: 60,
    recipients: amounts.map((amount, at) => ({ address: address(at), amount })),
  }
}

test('up to 200 recipients are one unchanged intent', () => {
  const request = payroll(Array.from({ length: 200 }, () => 5n))
  const { auctionSeconds: _, ...rest } = request
  expect(splitBatch(request)).toEqual([rest])
})

test('amounts of zero stay one intent, which the check of its terms refuses', () => {
  const nothing = payroll(Array.from({ length: 201 }, () => 0n))
  expect(splitBatch(nothing)).toHaveLength(1)
})

test('401 recipients are three intents of about the same size', () => {
  const parts = splitBatch(payroll(Array.from({ length: 401 }, () => 5n)))
  expect(parts.map(({ recipients }) => recipients.length)).toEqual([133, 134, 134])
})

test('the parts add up to the whole, in order, and each can pay its own recipients', () => {
  const amounts = fc.array(fc.bigInt({ min: 1n, max: 10n ** 24n }), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(amounts, fc.bigInt({ min: 0n, max: 1_000n }), (each, more) => {
      const request = payroll(each, more)
      const parts = splitBatch(request, 7)
      const sum = (name: 'amountIn' | 'minAmountOut' | 'reward') =>
        parts.reduce((total, part) => total + part[name], 0n)
      expect(parts.flatMap(({ recipients }) => recipients)).toEqual(request.recipients)
      for (const name of ['amountIn', 'minAmountOut', 'reward'] as const)
        expect(sum(name)).toBe(request[name])
      for (const { recipients, minAmountOut } of parts) {
        expect(recipients.length).toBeLessThanOrEqual(7)
        const owed = recipients.reduce((total, { amount }) => total + amount, 0n)
        expect(owed).toBeLessThanOrEqual(minAmountOut)
      }
    }),
  )
})

test('a saved state works only for the same request, sender and bridge', () => {
  const request = payroll([1n, 2n])
  const digest = hashRequest(request, SENDER, BRIDGE)
  const state = JSON.parse(JSON.stringify(createBatchState(digest, 1)))
  const reordered = { ...Object.fromEntries(Object.entries(request).toReversed()), ...request }
  requireSameBatch(state, hashRequest(reordered, SENDER, BRIDGE), 1)
  const written = (one: Address): Address => `0x${one.slice(2).toUpperCase()}`
  const same = request.recipients.map((one) => ({ ...one, address: written(one.address) }))
  requireSameBatch(
    state,
    hashRequest({ ...request, recipients: same }, written(SENDER), written(BRIDGE)),
    1,
  )
  const others = [
    hashRequest(payroll([2n, 1n]), SENDER, BRIDGE),
    hashRequest({ ...request, reward: 1n }, SENDER, BRIDGE),
    hashRequest({ ...request, metadata: { month: '11' } }, SENDER, BRIDGE),
    hashRequest({ ...request, viewers: [address(8)] }, SENDER, BRIDGE),
    hashRequest({ ...request, recipients: request.recipients.toReversed() }, SENDER, BRIDGE),
    hashRequest(
      { ...request, recipients: payroll([2n, 1n]).recipients.toReversed() },
      SENDER,
      BRIDGE,
    ),
    hashRequest(request, address(7), BRIDGE),
    hashRequest(request, SENDER, address(7)),
  ]
  for (const other of others)
    expect(() => requireSameBatch(state, other, 1)).toThrow('another batch')
  expect(() => requireSameBatch(state, digest, 2)).toThrow('another batch')
  const later = { ...state, version: 2 }
  expect(() => requireSameBatch(later, digest, 1)).toThrow('another batch')
  const months = { a: '1', b: '2' }
  expect(hashRequest({ ...request, metadata: { b: '2', a: '1' } }, SENDER, BRIDGE)).toBe(
    hashRequest({ ...request, metadata: months }, SENDER, BRIDGE),
  )
})
