import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packIntentId, unpackIntentId } from '../../../core/intent/intentId.ts'

const anyChainId = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const anySequence = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n })

test('an id is the chain in the upper bits and the sequence in the lower 64', () => {
  expect(packIntentId(84532, 1n)).toBe(0x14a34_0000000000000001n)
  expect(unpackIntentId(0x14a34_0000000000000001n)).toEqual({ chainId: 84532, sequence: 1n })
})

test('packing loses nothing', () => {
  fc.assert(
    fc.property(anyChainId, anySequence, (chainId, sequence) => {
      expect(unpackIntentId(packIntentId(chainId, sequence))).toEqual({ chainId, sequence })
    }),
    { seed: 1, numRuns: 1_000 },
  )
})

test('ids of one chain are in the order of their sequence, ids of two chains never equal', () => {
  fc.assert(
    fc.property(anyChainId, anySequence, anyChainId, anySequence, (c1, s1, c2, s2) => {
      const [a, b] = [packIntentId(c1, s1), packIntentId(c2, s2)]
      expect(a < b).toBe(c1 === c2 ? s1 < s2 : c1 < c2)
    }),
    { seed: 2, numRuns: 1_000 },
  )
})

test('what is not an id is refused', () => {
  for (const [chainId, sequence] of [
    [0, 1n],
    [-1, 1n],
    [1.5, 1n],
    [2 ** 53, 1n],
    [1, 0n],
    [1, -1n],
    [1, 2n ** 64n],
  ] as const) {
    expect(() => packIntentId(chainId, sequence)).toThrow(RangeError)
  }
  for (const id of [0n, 1n, -1n, 84532n << 64n, 2n ** 117n + 1n, 2n ** 255n]) {
    expect(() => unpackIntentId(id)).toThrow(RangeError)
  }
})
