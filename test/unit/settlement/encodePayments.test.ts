import { describe, expect, test } from 'vitest'
import { decodePayments, encodePayments } from '../../../core/settlement/encodePayments.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { ALICE, BOB } from '../bundle/bundleCase.ts'

const WORD = 32
const payTo = (count: number) => ({
  recipients: Array.from({ length: count }, (_, at): Hex => (at % 2 ? BOB : ALICE)),
  amounts: Array.from({ length: count }, (_, at) => BigInt(at + 1)),
})

describe('payments for a winner', () => {
  test.each([1, 3, 200])('%i of them are read as they were written', (count) => {
    expect(decodePayments(encodePayments(payTo(count), 256))).toEqual(payTo(count))
  })

  test('have the length of their class, however many there are', () => {
    for (const count of [1, 5, 8]) {
      expect(encodePayments(payTo(count), 8)).toHaveLength((1 + 8) * WORD)
    }
  })

  test('named before the anchor may exceed its class, and have the length of their own', () => {
    expect(encodePayments(payTo(3), 2)).toHaveLength((1 + 4) * WORD)
  })
})

describe('a winner refuses', () => {
  const message = encodePayments(payTo(2), 2)
  const changed = (at: number, byte: number) => message.with(at, byte)

  test.each<[string, Uint8Array]>([
    ['another version', changed(0, 2)],
    ['nobody', changed(2, 0)],
    ['more than it was sent', changed(2, 3)],
    ['more than an intent may have', encodePayments(payTo(201), 256)],
    ['a part of a word', new Uint8Array([...encodePayments(payTo(2), 8), 0])],
    ['nothing', new Uint8Array()],
  ])('%s', (_, bytes) => {
    expect(() => decodePayments(bytes)).toThrow(RangeError)
  })
})
