import fc from 'fast-check'
import { bytesToHex } from 'viem'
import { RECEIPT_TYPES, type Receipt, type ReceiptLog } from '../../../core/proof/receipt.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { computeBloom } from './computeBloom.ts'

/** Hex text of this many random bytes. */
const bytes = (length: number): fc.Arbitrary<Hex> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => bytesToHex(array))

const uint64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })

const log: fc.Arbitrary<ReceiptLog> = fc.record({
  address: bytes(20),
  topics: fc.array(bytes(32), { maxLength: 4 }),
  data: fc.uint8Array({ maxLength: 200 }).map((array) => bytesToHex(array)),
})

/** Any receipt that a block can hold, of every type that we read. */
export const receipt: fc.Arbitrary<Receipt> = fc
  .record({
    type: fc.constantFrom(...RECEIPT_TYPES.keys()),
    outcome: fc.oneof(fc.constantFrom<Hex>('0x0', '0x1'), bytes(32)),
    cumulativeGasUsed: uint64,
    logs: fc.array(log, { maxLength: 3 }),
    deposit: fc.option(fc.record({ nonce: uint64, version: fc.constant(1n) }), { nil: undefined }),
  })
  .map(({ deposit, ...rest }) => ({
    ...rest,
    logsBloom: computeBloom(rest.logs),
    ...(rest.type === 0x7e && deposit !== undefined && { deposit }),
  }))
