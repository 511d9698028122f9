import { RLP } from '@ethereumjs/rlp'
import { integerToBytes } from './integerBytes.ts'

/** The key of a block's `transactionIndex`-th receipt in its receipts trie: the RLP of the index. */
export function encodeReceiptTrieKey(transactionIndex: number): Uint8Array {
  return RLP.encode(integerToBytes(BigInt(transactionIndex)))
}
