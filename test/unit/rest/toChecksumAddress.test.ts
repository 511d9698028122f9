import fc from 'fast-check'
import { getAddress } from 'viem'
import { expect, test } from 'vitest'
import { toChecksumAddress } from '../../../api/http/toChecksumAddress.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`)

test('addresses are checksummed as by viem, uncached and cached', () => {
  fc.assert(
    fc.property(address, (one) => {
      expect(toChecksumAddress(one)).toBe(getAddress(one))
      expect(toChecksumAddress(one)).toBe(getAddress(one))
    }),
  )
})

test('addresses beyond the cache’s size are checksummed too', () => {
  const all = Array.from({ length: 25_000 }, (_, n): Hex => `0x${n.toString(16).padStart(40, '0')}`)
  for (const one of all) toChecksumAddress(one)
  for (const one of [all[0]!, all[14_000]!, all[24_999]!])
    expect(toChecksumAddress(one)).toBe(getAddress(one))
})
