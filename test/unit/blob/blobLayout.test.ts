import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  BLOB_BYTES,
  countCiphertextBytes,
  extractTrailingBlob,
  joinBlob,
  MAX_BLOCKS,
  splitBlob,
} from '../../../core/blob/blobLayout.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

const CALL_BYTES = 4 + 7 * 32
const call = bytesOf(0xcc, CALL_BYTES)
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

describe('the blob behind createIntent’s calldata', () => {
  const behind = (bytes: string) => extractTrailingBlob(`0x${call}${bytes}`)

  test('is read at its fixed offset, and what follows it is ignored', () => {
    expect(behind(blob.slice(2))).toBe(blob)
    expect(behind(`${blob.slice(2)}deadbeef`)).toBe(blob)
    const long = joinBlob({
      keyId: '0x0a0b0c0d',
      ciphertext: `0x${bytesOf(0xee, countCiphertextBytes(3))}`,
    })
    expect(behind(`${long.slice(2)}deadbeef`)).toBe(long)
  })

  test('is none when absent, cut short, shifted or of another version', () => {
    for (const bytes of [
      '',
      'deadbeef',
      blob.slice(2, -2),
      `02${blob.slice(4)}`,
      `00${blob.slice(2)}`,
      `0102${blob.slice(6)}`,
      `0100${blob.slice(6)}`,
      `0121${blob.slice(6)}${'ee'.repeat(40 * BLOB_BYTES)}`,
    ]) {
      expect(behind(bytes)).toBe('0x')
    }
    expect(extractTrailingBlob('0x')).toBe('0x')
  })
})

function bytesOf(byte: number, count: number): string {
  return byte.toString(16).padStart(2, '0').repeat(count)
}

function anyHex(bytes: number): fc.Arbitrary<Hex> {
  return fc
    .uint8Array({ minLength: bytes, maxLength: bytes, size: 'max' })
    .map((array): Hex => `0x${Buffer.from(array).toString('hex')}`)
}
