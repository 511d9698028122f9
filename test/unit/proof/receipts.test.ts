import { RLP } from '@ethereumjs/rlp'
import fc from 'fast-check'
import { concatBytes, keccak256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { computePolygonStateSyncHash } from '../../../core/proof/computePolygonStateSyncHash.ts'
import { decodeReceipt } from '../../../core/proof/decodeReceipt.ts'
import { encodeReceipt } from '../../../core/proof/encodeReceipt.ts'
import { hashHeader } from '../../../core/proof/hashHeader.ts'
import type { PlacedReceipt } from '../../../core/proof/parseRpcReceipt.ts'
import { proveBlockReceipts } from '../../../core/proof/proveBlockReceipts.ts'
import { computeReceiptsRoot } from '../../../core/proof/proveReceipts.ts'
import type { Receipt } from '../../../core/proof/receipt.ts'
import { receipt } from './arbitraryReceipt.ts'
import { givenHeader } from './givenProof.ts'

const BLOOM = new Uint8Array(256)
const plain: Receipt = {
  type: 2,
  outcome: '0x1',
  cumulativeGasUsed: 21_000n,
  logsBloom: `0x${'00'.repeat(256)}`,
  logs: [],
}

describe('a receipt', () => {
  it('is read as it was written, whatever its type', () => {
    fc.assert(
      fc.property(receipt, (given) => {
        expect(decodeReceipt(encodeReceipt(given))).toEqual(given)
      }),
      { seed: 7_702, numRuns: 300 },
    )
  })

  it.each<[what: string, code: string, bytes: Uint8Array]>([
    ['nothing', 'RECEIPT_INVALID', new Uint8Array()],
    [
      'a type that nobody has defined',
      'RECEIPT_TYPE_UNKNOWN',
      encodeReceipt({ ...plain, type: 5 }),
    ],
    [
      'a legacy receipt with a type byte',
      'RECEIPT_TYPE_UNKNOWN',
      concatBytes([Uint8Array.of(0), encodeReceipt({ ...plain, type: 0 })]),
    ],
    ['something after the end', 'RECEIPT_INVALID', concatBytes([encodeReceipt(plain), BLOOM])],
    ['an end too early', 'RECEIPT_INVALID', encodeReceipt(plain).slice(0, -1)],
    ['three fields', 'RECEIPT_INVALID', typed(2, [one(), one(), BLOOM])],
    ['five fields', 'RECEIPT_INVALID', typed(0x7e, [one(), one(), BLOOM, [], one()])],
    [
      "a deposit's fields in another type",
      'RECEIPT_INVALID',
      typed(2, [one(), one(), BLOOM, [], one(), one()]),
    ],
    ['status 2', 'RECEIPT_INVALID', typed(2, [Uint8Array.of(2), one(), BLOOM, []])],
    [
      'an outcome that is neither a status nor a root',
      'RECEIPT_INVALID',
      typed(2, [Uint8Array.of(1, 2), one(), BLOOM, []]),
    ],
    [
      'gas with a leading zero',
      'RECEIPT_INVALID',
      typed(2, [one(), Uint8Array.of(0, 1), BLOOM, []]),
    ],
    [
      'gas beyond 64 bits',
      'RECEIPT_INVALID',
      typed(2, [one(), BLOOM.slice(0, 9).fill(1), BLOOM, []]),
    ],
    ['a short bloom', 'RECEIPT_INVALID', typed(2, [one(), one(), BLOOM.slice(1), []])],
    ['logs that are no list', 'RECEIPT_INVALID', typed(2, [one(), one(), BLOOM, one()])],
    ['a log of two fields', 'RECEIPT_INVALID', typed(2, [one(), one(), BLOOM, [[address(), []]]])],
    [
      'five topics',
      'RECEIPT_INVALID',
      typed(2, [one(), one(), BLOOM, [[address(), Array(5).fill(BLOOM.slice(0, 32)), one()]]]),
    ],
    [
      'a topic of 31 bytes',
      'RECEIPT_INVALID',
      typed(2, [one(), one(), BLOOM, [[address(), [BLOOM.slice(0, 31)], one()]]]),
    ],
    [
      'an address of 21 bytes',
      'RECEIPT_INVALID',
      typed(2, [one(), one(), BLOOM, [[BLOOM.slice(0, 21), [], one()]]]),
    ],
  ])('with %s is refused', (_what, code, bytes) => {
    expect(() => decodeReceipt(bytes)).toThrow(expect.objectContaining({ code }))
  })
})

const one = () => Uint8Array.of(1)
const address = () => BLOOM.slice(0, 20)

function typed(type: number, fields: unknown[]): Uint8Array {
  return concatBytes([Uint8Array.of(type), RLP.encode(fields as never)])
}

describe("Polygon's state syncs", () => {
  const placed = (transactionIndex: number, transactionHash: `0x${string}`): PlacedReceipt => ({
    ...plain,
    transactionIndex,
    transactionHash,
  })

  it('are listed with a block that does not hold them, and left out of its trie', async () => {
    const own = placed(0, `0x${'01'.repeat(32)}`)
    const receiptsRoot = await computeReceiptsRoot([encodeReceipt(own)])
    const header = givenHeader({ number: '0x10', receiptsRoot })
    const block = { hash: hashHeader(header), header }
    const sync = placed(1, computePolygonStateSyncHash(16, block.hash))
    const [proof] = await proveBlockReceipts(block, [own, sync], [0])
    expect(proof!.receipt).toBe(`0x${Buffer.from(encodeReceipt(own)).toString('hex')}`)
    const stranger = placed(1, `0x${'02'.repeat(32)}`)
    await expect(proveBlockReceipts(block, [own, stranger], [0])).rejects.toMatchObject({
      code: 'ROOT_MISMATCH',
    })
  })

  it('have the hash that follows from number and hash of their block', () => {
    const hash = `${'00'.repeat(31)}01`
    // "matic-bor-receipt-", the number as 8 bytes, the hash.
    const preimage = `0x6d617469632d626f722d726563656970742d0000000000000102${hash}` as const
    expect(computePolygonStateSyncHash(258, `0x${hash}`)).toBe(keccak256(preimage))
  })
})
