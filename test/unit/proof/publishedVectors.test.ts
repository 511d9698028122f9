import { describe, expect, it } from 'vitest'
import { encodeReceipt } from '../../../core/proof/encodeReceipt.ts'
import { hashHeader, readHeaderNumber } from '../../../core/proof/hashHeader.ts'
import { HEADER_FIELDS } from '../../../core/proof/headerFields.ts'
import { parseRpcHeader } from '../../../core/proof/parseRpcHeader.ts'
import { parseRpcReceipt } from '../../../core/proof/parseRpcReceipt.ts'
import { computeReceiptsRoot } from '../../../core/proof/proveReceipts.ts'
import { DEPOSIT_NONCE, RECEIPTS, RECEIPTS_ROOT } from './optimismGoerliBlock.ts'
import { PUBLISHED } from './publishedHeaders.ts'

describe.each(PUBLISHED)('$what', ({ header, hash }) => {
  it('hashes to its hash', () => {
    expect(hashHeader(header)).toBe(hash)
  })

  it('is read from an RPC answer with more in it', () => {
    const answer = { ...header, hash, size: '0x1', uncles: [], transactions: [], l1Fee: null }
    expect(parseRpcHeader(answer)).toEqual(header)
  })

  it('hashes to another hash when any field loses or changes a digit', () => {
    for (const [name] of HEADER_FIELDS) {
      const value = header[name]
      if (value === undefined) continue
      const digit = value.at(-1) === '0' ? '1' : '0'
      const changed = { ...header, [name]: `${value.slice(0, -1)}${digit}` }
      expect(hashHeader(changed), name).not.toBe(hash)
    }
  })
})

describe('a header', () => {
  const { header } = PUBLISHED[0]!

  it('isn’t hashed unless each field has its one form', () => {
    for (const changed of [
      { number: '0x01' },
      { gasLimit: '0x' },
      { timestamp: '0xA' },
      { stateRoot: header.stateRoot.slice(0, -2) },
      { miner: `0x${'AB'.repeat(20)}` },
      { extraData: '0x1' },
      { difficulty: `0x1${'0'.repeat(64)}` },
    ])
      expect(() => hashHeader({ ...header, ...changed } as never), JSON.stringify(changed)).toThrow(
        expect.objectContaining({ code: 'HEADER_FIELD_INVALID' }),
      )
    const { nonce: _, ...incomplete } = header
    expect(() => hashHeader(incomplete as never)).toThrow(
      expect.objectContaining({ code: 'HEADER_INCOMPLETE' }),
    )
  })

  it('has no number beyond those that are exact', () => {
    const read = (number: `0x${string}`) => readHeaderNumber({ ...header, number }, 'number')
    expect(read('0x1fffffffffffff')).toBe(Number.MAX_SAFE_INTEGER)
    expect(() => read('0x20000000000000')).toThrow(
      expect.objectContaining({ code: 'HEADER_FIELD_INVALID' }),
    )
  })
})

describe('receipts roots of public networks', () => {
  it('one access-list receipt (published with alloy)', async () => {
    const receipt = encodeReceipt({
      type: 1,
      outcome: '0x1',
      cumulativeGasUsed: 102_068n,
      logsBloom: `0x${'00'.repeat(255)}01`,
      logs: [{ address: `0x${'00'.repeat(20)}`, topics: [], data: '0x' }],
    })
    expect(await computeReceiptsRoot([receipt])).toBe(
      '0xfe70ae4a136d98944951b2123859698d59ad251a381abc9960fa81cae3d0d4a0',
    )
  })

  it("an OP-stack block before Canyon: the deposit's nonce is reported and not hashed", async () => {
    const reported = RECEIPTS.map((receipt, index) =>
      parseRpcReceipt({
        type: `0x${receipt.type.toString(16)}`,
        status: receipt.outcome,
        cumulativeGasUsed: `0x${receipt.cumulativeGasUsed.toString(16)}`,
        logsBloom: receipt.logsBloom,
        logs: receipt.logs,
        transactionHash: `0x${'00'.repeat(32)}`,
        transactionIndex: `0x${index.toString(16)}`,
        ...(index === 0 && { depositNonce: `0x${DEPOSIT_NONCE.toString(16)}` }),
      }),
    )
    expect(await computeReceiptsRoot(reported.map(encodeReceipt))).toBe(RECEIPTS_ROOT)
  })

  it('the same block would have another root since Canyon', async () => {
    const [deposit, ...rest] = RECEIPTS
    const since = { ...deposit!, deposit: { nonce: DEPOSIT_NONCE, version: 1n } }
    expect(await computeReceiptsRoot([since, ...rest].map(encodeReceipt))).not.toBe(RECEIPTS_ROOT)
  })
})
