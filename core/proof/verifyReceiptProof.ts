import { createMerkleProof, createMPTFromProof } from '@ethereumjs/mpt'
import { bytesToHex, hexToBytes, keccak256 } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { ProofError } from './proofError.ts'
import type { ReceiptProof } from './proveReceipts.ts'
import { receiptKey } from './receiptKey.ts'

/**
 * Checks that the block with this receipts root holds this receipt at this index. Strict: the nodes
 * are exactly those from root to leaf, in order and in canonical form, and the key is used up. To
 * see that, the proof is made again from what was read of it and must come out the same.
 * Throws ProofError `ROOT_MISMATCH`, `PROOF_BROKEN`, `RECEIPT_MISMATCH` or `PROOF_NOT_CANONICAL`.
 */
export async function verifyReceiptProof(receiptsRoot: Hex, given: ReceiptProof): Promise<void> {
  const root = given.proof[0]
  if (root === undefined || keccak256(root) !== receiptsRoot) {
    throw new ProofError('ROOT_MISMATCH', "the proof's first node is not the header's receiptsRoot")
  }
  const { value, nodes } = await readProof(receiptsRoot, given)
  if (bytesToHex(value) !== given.receipt) {
    throw new ProofError('RECEIPT_MISMATCH', 'the proof is of another receipt')
  }
  if (nodes.length !== given.proof.length || nodes.some((node, i) => node !== given.proof[i])) {
    throw new ProofError(
      'PROOF_NOT_CANONICAL',
      'the proof holds more than the canonical nodes from the root to the receipt',
    )
  }
}

async function readProof(
  receiptsRoot: Hex,
  given: ReceiptProof,
): Promise<{ value: Uint8Array; nodes: Hex[] }> {
  const key = receiptKey(given.transactionIndex)
  try {
    const trie = await createMPTFromProof(
      given.proof.map((node) => hexToBytes(node)),
      { root: hexToBytes(receiptsRoot) },
    )
    const value = await trie.get(key, true)
    if (value === null) throw new Error('the key is not in the trie')
    const nodes = (await createMerkleProof(trie, key)).map((node) => bytesToHex(node))
    return { value, nodes }
  } catch (cause) {
    throw new ProofError(
      'PROOF_BROKEN',
      `the nodes don't lead from the root to receipt ${given.transactionIndex}`,
      { cause },
    )
  }
}
