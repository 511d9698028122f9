import fc from 'fast-check'
import { bytesToHex, hexToBytes } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  BLOB_BYTES,
  countCiphertextBytes,
  joinBlob,
  MAX_BLOCKS,
  splitBlobBytes,
} from '../../../core/recoveryBlob/blobLayout.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

const blob = joinBlob({ keyId: '0x0a0b0c0d', ciphertext: `0x${bytesOf(0xee, 506)}` })

describe('the blob’s layout', () => {
  test('is version, number of blocks, key id, ciphertext: 512 bytes or a multiple', () => {
    expect(blob).toBe(`0x01010a0b0c0d${'ee'.repeat(506)}`)
    expect(countCiphertextBytes()).toBe(506)
    expect(countCiphertextBytes(3)).toBe(3 * BLOB_BYTES - 6)
  })

  test('split and join are inverse at every size', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 2, 3, MAX_BLOCKS).chain((blocks) => {
          const size = countCiphertextBytes(blocks)
          return fc.record({ keyId: anyHex(4), ciphertext: anyHex(size) })
        }),
        (parts) => {
          expect(splitBlob(joinBlob(parts))).toEqual(parts)
        },
      ),
      { seed: 5, numRuns: 100 },
    )
  })

  test('another version or size is no blob', () => {
    expect(splitBlob('0x')).toBeNull()
    expect(splitBlob(`0x02${blob.slice(4)}`)).toBeNull()
    expect(splitBlob(blob.slice(0, -2) as Hex)).toBeNull()
    expect(splitBlob(`${blob}00`)).toBeNull()
    for (const k of ['00', '02', '21', 'ff']) {
      expect(splitBlob(`0x01${k}${blob.slice(6)}`)).toBeNull()
    }
  })

  test('parts that don’t fill it exactly are refused', () => {
    const keyId = '0x0a0b0c0d'
    for (const size of [0, 505, 507, countCiphertextBytes(MAX_BLOCKS + 1)]) {
      const ciphertext: Hex = `0x${bytesOf(0xee, size)}`
      expect(() => joinBlob({ keyId, ciphertext })).toThrow(RangeError)
    }
    expect(() => joinBlob({ keyId: '0x0a', ciphertext: `0x${bytesOf(0xee, 508)}` })).toThrow(
      RangeError,
    )
  })
})

function splitBlob(hex: Hex): { keyId: Hex; ciphertext: Hex } | null {
  const parts = splitBlobBytes(hexToBytes(hex))
  return parts && { ...parts, ciphertext: bytesToHex(parts.ciphertext) }
}

function bytesOf(byte: number, count: number): string {
  return byte.toString(16).padStart(2, '0').repeat(count)
}

function anyHex(bytes: number): fc.Arbitrary<Hex> {
  return fc
    .uint8Array({ minLength: bytes, maxLength: bytes, size: 'max' })
    .map((array): Hex => `0x${Buffer.from(array).toString('hex')}`)
}
