import { type Input, RLP } from '@ethereumjs/rlp'
import { concatBytes, hexToBytes } from 'viem'
import { integerToBytes } from './integerBytes.ts'
import { isUntyped, type Receipt } from './receipt.ts'

/**
 * Encodes a receipt as in the receipts trie (EIP-2718): the type byte, unless untyped, then the RLP list of outcome,
 * cumulative gas, bloom and logs; for an OP-stack deposit since Canyon also its nonce and receipt version. Unknown
 * types are encoded the usual way; a comparison with the block's root shows whether that was right.
 */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const fields: Input[] = [
    encodeOutcome(receipt.outcome),
    integerToBytes(receipt.cumulativeGasUsed),
    hexToBytes(receipt.logsBloom),
    receipt.logs.map((log) => [
      hexToBytes(log.address),
      log.topics.map((topic) => hexToBytes(topic)),
      hexToBytes(log.data),
    ]),
  ]
  if (receipt.deposit !== undefined) {
    fields.push(integerToBytes(receipt.deposit.nonce), integerToBytes(receipt.deposit.version))
  }
  const list = RLP.encode(fields)
  return isUntyped(receipt.type) ? list : concatBytes([Uint8Array.of(receipt.type), list])
}

function encodeOutcome(outcome: Receipt['outcome']): Uint8Array {
  return outcome.length === 66 ? hexToBytes(outcome) : integerToBytes(BigInt(outcome))
}
