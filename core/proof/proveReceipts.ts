import { createMerkleProof, MerklePatriciaTrie } from '@ethereumjs/mpt'
import { bytesToHex } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { encodeReceiptTrieKey } from './encodeReceiptTrieKey.ts'
import { ProofError } from './proofError.ts'

/** The proof that a block contains a receipt: the trie's nodes from root to leaf. */
export type ReceiptProof = { transactionIndex: number; receipt: Hex; proof: Hex[] }

/**
 * Builds a block's receipts trie from all its receipts, encoded and in order, and proves the requested ones.
 *
 * @throws ProofError `ROOT_MISMATCH` if the trie's root differs, because receipts are wrong or missing;
 *   `RECEIPTS_INCOMPLETE` if a requested index is missing
 */
export async function proveReceipts(
  receipts: readonly Uint8Array[],
  receiptsRoot: Hex,
  transactionIndexes: readonly number[],
): Promise<ReceiptProof[]> {
  const trie = await buildTrie(receipts)
  if (bytesToHex(trie.root()) !== receiptsRoot) {
    throw new ProofError('ROOT_MISMATCH', "the receipts don't hash to the header's receiptsRoot")
  }
  return Promise.all(
    transactionIndexes.map(async (transactionIndex) => {
      const receipt = receipts[transactionIndex]
      if (receipt === undefined) {
        throw new ProofError('RECEIPTS_INCOMPLETE', `the block has no receipt ${transactionIndex}`)
      }
      const nodes = await createMerkleProof(trie, encodeReceiptTrieKey(transactionIndex))
      return {
        transactionIndex,
        receipt: bytesToHex(receipt),
        proof: nodes.map((node) => bytesToHex(node)),
      }
    }),
  )
}

/** The root of the receipts trie over these encoded receipts. */
export async function computeReceiptsRoot(receipts: readonly Uint8Array[]): Promise<Hex> {
  return bytesToHex((await buildTrie(receipts)).root())
}

async function buildTrie(receipts: readonly Uint8Array[]): Promise<MerklePatriciaTrie> {
  const trie = new MerklePatriciaTrie()
  for (const [index, receipt] of receipts.entries())
    await trie.put(encodeReceiptTrieKey(index), receipt)
  return trie
}
