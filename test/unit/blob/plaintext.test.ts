import fc from 'fast-check'
import { concat, keccak256, numberToHex, pad } from 'viem'
import { describe, expect, test } from 'vitest'
import { decodePlaintext } from '../../../core/blob/decodePlaintext.ts'
import { encodePlaintext } from '../../../core/blob/encodePlaintext.ts'
import { BLOB_BYTES, ciphertextBytes } from '../../../core/blob/layout.ts'
import {
  blocksFor,
  ECIES_OVERHEAD,
  paddedBytes,
  padPlaintext,
  unpadPlaintext,
} from '../../../core/blob/padPlaintext.ts'
import { BlobFormatError } from '../../../core/blob/plaintext.ts'
import { paramsHash, paramsOfLog } from '../../../src/blob/paramsHash.ts'
import { anyHex, anyPlaintext } from './anyPlaintext.ts'

describe('a plaintext', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(anyPlaintext, (contents) => {
        expect(decodePlaintext(encodePlaintext(contents))).toEqual(contents)
      }),
      { seed: 21, numRuns: 300 },
    )
  })

  test('any bytes are read, or refused with the one error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(outcomeOf(bytes)).not.toBe('something else')
      }),
      { seed: 22, numRuns: 2_000 },
    )
  })

  test('has one way to be written: changed bytes mean something else, or nothing', () => {
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

  test('cut short or made longer is refused', () => {
    fc.assert(
      fc.property(anyPlaintext, fc.nat(), (contents, cut) => {
        const bytes = encodePlaintext(contents)
        expect(outcomeOf(bytes.subarray(0, cut % bytes.length))).toBe('refused')
        expect(outcomeOf(Uint8Array.of(...bytes, 0))).toBe('refused')
      }),
      { seed: 24, numRuns: 200 },
    )
  })

  test('what has no place in it is refused', () => {
    const [sample] = fc.sample(anyPlaintext, { seed: 25, numRuns: 1 })
    const encode = (other: object) => () => encodePlaintext({ ...sample!, ...other })
    expect(encode({ amounts: [...sample!.amounts, 1n] })).toThrow(BlobFormatError)
    expect(encode({ metadata: { a: '\ud800' } })).toThrow(BlobFormatError)
    expect(encode({ user: '0x12' })).toThrow(BlobFormatError)
    expect(encode({ intentId: 1n << 256n })).toThrow(BlobFormatError)
    expect(encode({ intentId: -1n })).toThrow(BlobFormatError)
  })
})

describe('padding', () => {
  test('fills the blob whatever the plaintext’s size, and comes off again', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (plaintext) => {
        const blocks = blocksFor(plaintext.length)
        const filling = new Uint8Array(paddedBytes(blocks)).fill(0xee)
        expect(filling.length + ECIES_OVERHEAD).toBe(ciphertextBytes(blocks))
        expect(unpadPlaintext(padPlaintext(plaintext, filling))).toEqual(plaintext)
        if (blocks > 1) expect(plaintext.length + 4).toBeGreaterThan(paddedBytes(blocks - 1))
      }),
      { seed: 26, numRuns: 500 },
    )
    expect(blocksFor(BLOB_BYTES - 5 - ECIES_OVERHEAD - 4)).toBe(1)
    expect(blocksFor(BLOB_BYTES - 5 - ECIES_OVERHEAD - 3)).toBe(2)
  })

  test('a length that can’t be is refused', () => {
    expect(() => unpadPlaintext(new Uint8Array(3))).toThrow(BlobFormatError)
    expect(() => unpadPlaintext(Uint8Array.of(0, 0, 0, 2, 9))).toThrow(BlobFormatError)
    expect(() => unpadPlaintext(new Uint8Array(20).fill(255))).toThrow(BlobFormatError)
    expect(() => padPlaintext(new Uint8Array(9), new Uint8Array(12))).toThrow(RangeError)
  })
})

describe('the hash of an intent’s terms', () => {
  test('is keccak256 of the seven words of the call', () => {
    const [tokenA, tokenB] = [anyHex(20), anyHex(20)].map(
      (one) => fc.sample(one, { seed: 27, numRuns: 1 })[0]!,
    ) as [`0x${string}`, `0x${string}`]
    const numbers = [5n, 6n, 7n, 84532n, 60n] as const
    const [amountA, expectedAmountB, reward, destChainId, auctionDuration] = numbers
    const words = concat([
      pad(tokenA),
      pad(tokenB),
      ...numbers.map((n) => numberToHex(n, { size: 32 })),
    ])
    const params = {
      tokenA,
      tokenB,
      amountA,
      expectedAmountB,
      reward,
      destChainId,
      auctionDuration,
    }
    expect(paramsHash(params)).toBe(keccak256(words))
    const { auctionDuration: _, ...args } = params
    expect(paramsOfLog({ ...args, endTime: 1_060n }, 1_000)).toEqual(params)
  })
})

function outcomeOf(bytes: Uint8Array) {
  try {
    return decodePlaintext(bytes)
  } catch (error) {
    return error instanceof BlobFormatError ? 'refused' : 'something else'
  }
}
