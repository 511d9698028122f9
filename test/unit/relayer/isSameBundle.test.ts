import { expect, it } from 'vitest'
import { isSameBundle } from '../../../core/recipientBundle/isSameBundle.ts'
import type { BlobContents } from '../../../services/enclave/enclaveInterface.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

const [wallet, safe, other] = ['11', '22', '33'].map((byte) => `0x${byte.repeat(20)}`) as Hex[]

const sealed = {
  recipients: [other, safe],
  amounts: [1n, 2n],
  metadata: { a: '1', b: '2' },
} as unknown as BlobContents

const given = { amounts: [1n, 2n], metadata: { b: '2', a: '1' } }
const isSame = (recipients: (Hex | undefined)[], more: object = {}) =>
  isSameBundle(sealed, { ...given, recipients: recipients as Hex[], ...more })

it('knows a recipient however it is written', () => {
  expect(isSame([other, safe])).toBe(true)
  expect(isSame([other?.toUpperCase().replace('0X', '0x') as Hex, safe])).toBe(true)
})

it('sees every difference that matters', () => {
  expect(isSame([wallet, safe])).toBe(false)
  expect(isSame([safe, other])).toBe(false)
  expect(isSame([other])).toBe(false)
  expect(isSame([other, safe, safe])).toBe(false)
  expect(isSame([other, safe], { amounts: [2n, 1n] })).toBe(false)
  expect(isSame([other, safe], { amounts: [1n, 3n] })).toBe(false)
  expect(isSame([other, safe], { metadata: { a: '1' } })).toBe(false)
  expect(isSame([other, safe], { viewers: [wallet] })).toBe(false)
})
