import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  BLOB_BYTES,
  countCiphertextBytes,
  MAX_BLOCKS,
} from '../../../core/recoveryBlob/blobLayout.ts'
import {
  countSealedBlocks,
  countSenderBlocks,
  roundUpBlocks,
  toRecipientClass,
} from '../../../core/recoveryBlob/blobSize.ts'
import { decodePlaintext } from '../../../core/recoveryBlob/decodePlaintext.ts'
import { encodePlaintext } from '../../../core/recoveryBlob/encodePlaintext.ts'
import {
  countBlocks,
  countPaddedBytes,
  ECIES_OVERHEAD,
  padPlaintext,
  unpadPlaintext,
} from '../../../core/recoveryBlob/padPlaintext.ts'
import { BlobFormatError } from '../../../core/recoveryBlob/plaintextFormat.ts'
import { anyPlaintext } from './anyPlaintext.ts'

describe('a plaintext', () => {
  test('decodes to what was encoded', () => {
    fc.assert(
      fc.property(anyPlaintext, (contents) => {
        expect(decodePlaintext(encodePlaintext(contents))).toEqual(contents)
      }),
      { seed: 21, numRuns: 300 },
    )
  })

  test('any bytes decode, or fail with BlobFormatError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(outcomeOf(bytes)).not.toBe('something else')
      }),
      { seed: 22, numRuns: 2_000 },
    )
  })

  test('has one encoding: changed bytes mean something else, or nothing', () => {
    const change = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 }))
    fc.assert(
      fc.property(
        anyPlaintext,
        fc.array(change, { minLength: 1, maxLength: 3 }),
        (given, changes) => {
          const bytes = encodePlaintext(given)
          for (const [at, flip] of changes) bytes[at % bytes.length]! ^= flip
          const found = outcomeOf(bytes)
          expect(found).not.toBe('something else')
          if (found !== 'refused' && found !== 'something else') {
            expect(encodePlaintext(found)).toEqual(bytes)
          }
        },
      ),
      { seed: 23, numRuns: 2_000 },
    )
  })

  test('is refused if truncated or extended', () => {
    fc.assert(
      fc.property(anyPlaintext, fc.nat(), (contents, cut) => {
        const bytes = encodePlaintext(contents)
        expect(outcomeOf(bytes.subarray(0, cut % bytes.length))).toBe('refused')
        expect(outcomeOf(Uint8Array.of(...bytes, 0))).toBe('refused')
      }),
      { seed: 24, numRuns: 200 },
    )
  })

  test('refuses to encode what doesn’t fit', () => {
    const [sample] = fc.sample(anyPlaintext, { seed: 25, numRuns: 1 })
    const encode = (other: object) => () => encodePlaintext({ ...sample!, ...other })
    expect(encode({ amounts: [...sample!.amounts, 1n] })).toThrow(BlobFormatError)
    expect(encode({ metadata: { a: '\ud800' } })).toThrow(BlobFormatError)
    expect(encode({ user: '0x12' })).toThrow(BlobFormatError)
    expect(encode({ intentId: 1n << 256n })).toThrow(BlobFormatError)
    expect(encode({ intentId: -1n })).toThrow(BlobFormatError)
    expect(encode({ createdAt: 2 ** 53 - 1 })).toThrow(BlobFormatError)
    expect(encode({ n: 2 ** 53 })).toThrow(BlobFormatError)
    const payments = { recipients: [`0x${'11'.repeat(20)}`], amounts: [1n] }
    expect(encode({ ...payments, amounts: [1n << 96n] })).toThrow(BlobFormatError)
    const position = (position: number) => ({ position, isContract: false })
    expect(encode({ ...payments, registered: [position(1)] })).toThrow(BlobFormatError)
    expect(encode({ ...payments, registered: [position(0), position(0)] })).toThrow(BlobFormatError)
  })
})

describe('padding', () => {
  test('fills the blob at any plaintext size, and is removed again', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (plaintext) => {
        const blocks = countBlocks(plaintext.length)
        const filling = new Uint8Array(countPaddedBytes(blocks)).fill(0xee)
        expect(filling.length + ECIES_OVERHEAD).toBe(countCiphertextBytes(blocks))
        expect(unpadPlaintext(padPlaintext(plaintext, filling))).toEqual(plaintext)
        if (blocks > 1) expect(plaintext.length + 4).toBeGreaterThan(countPaddedBytes(blocks - 1))
      }),
      { seed: 26, numRuns: 500 },
    )
    expect(countBlocks(BLOB_BYTES - 6 - ECIES_OVERHEAD - 4)).toBe(1)
    expect(countBlocks(BLOB_BYTES - 6 - ECIES_OVERHEAD - 3)).toBe(2)
  })

  test('with an impossible length is refused', () => {
    expect(() => unpadPlaintext(new Uint8Array(3))).toThrow(BlobFormatError)
    expect(() => unpadPlaintext(Uint8Array.of(0, 0, 0, 2, 9))).toThrow(BlobFormatError)
    expect(() => unpadPlaintext(new Uint8Array(20).fill(255))).toThrow(BlobFormatError)
    expect(() => padPlaintext(new Uint8Array(9), new Uint8Array(12))).toThrow(RangeError)
  })
})

describe('the size of a blob', () => {
  const one = fc.sample(anyPlaintext, { seed: 28, numRuns: 1 })[0]!
  const largest = (recipients: number, extra: object = {}) =>
    encodePlaintext({
      ...one,
      metadata: undefined,
      viewers: undefined,
      signature: undefined,
      registered: [],
      intentId: (84_532n << 64n) | 0xffff_ffff_ffff_ffffn,
      recipients: Array(recipients).fill(one.bridge),
      amounts: Array(recipients).fill((1n << 96n) - 1n),
      ...extra,
    })
  const registered = (recipients: number) =>
    Array.from({ length: recipients }, (_, position) => ({ position, isContract: true }))

  test('reveals only the recipient class', () => {
    for (let recipients = 1; recipients <= 200; recipients++) {
      const recipientClass = toRecipientClass(recipients)
      expect(Math.log2(recipientClass) % 1).toBe(0)
      expect(recipientClass).toBeGreaterThanOrEqual(recipients)
      expect(recipientClass).toBeLessThan(2 * recipients)
      const { length } = largest(recipients)
      expect(countBlocks(length)).toBeLessThanOrEqual(countSenderBlocks(recipientClass))
      const sealed = largest(recipients, {
        signature: `0x${'11'.repeat(65)}`,
        registered: registered(recipients),
      })
      expect(countBlocks(sealed.length)).toBeLessThanOrEqual(countSealedBlocks(recipientClass))
    }
  })

  test('is 512 bytes for eight recipients, and the bridge’s limit for two hundred', () => {
    expect([1, 2, 4, 8].map(countSenderBlocks)).toEqual([1, 1, 1, 1])
    expect(countSenderBlocks(256)).toBeLessThanOrEqual(MAX_BLOCKS)
    expect(countSealedBlocks(1)).toBe(1)
  })

  test('with metadata or viewers grows by four blocks at a time', () => {
    const fits = (blocks: number) => countPaddedBytes(blocks) - 4
    const blocksOf = (bytes: number) => roundUpBlocks(bytes, 3)
    expect([0, fits(3), fits(3) + 1, fits(7), fits(7) + 1].map(blocksOf)).toEqual([3, 3, 7, 7, 11])
  })
})

function outcomeOf(bytes: Uint8Array) {
  try {
    return decodePlaintext(bytes)
  } catch (error) {
    return error instanceof BlobFormatError ? 'refused' : 'something else'
  }
}
