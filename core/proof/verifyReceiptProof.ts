import { bytesToHex, hexToBytes, keccak256 } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { encodeReceiptTrieKey } from './encodeReceiptTrieKey.ts'
import { ProofError } from './proofError.ts'
import type { ReceiptProof } from './proveReceipts.ts'
import { readProvenTrieValue, SurplusNodesError } from './readProvenTrieValue.ts'

/**
 * Checks that the block with this receipts root has this receipt at this index. Strict: the nodes must be exactly those
 * from root to leaf, in order, each with the hash that the previous one names, and must use up the key.
 *
 * @throws ProofError `ROOT_MISMATCH`, `PROOF_BROKEN`, `RECEIPT_MISMATCH` or `PROOF_NOT_CANONICAL`
 */
export async function verifyReceiptProof(receiptsRoot: Hex, given: ReceiptProof): Promise<void> {
  const root = given.proof[0]
  if (root === undefined || keccak256(root) !== receiptsRoot) {
    throw new ProofError('ROOT_MISMATCH', "the proof's first node is not the header's receiptsRoot")
  }
  if (bytesToHex(readProof(receiptsRoot, given)) !== given.receipt) {
    throw new ProofError('RECEIPT_MISMATCH', 'the proof is for another receipt')
  }
}

function readProof(receiptsRoot: Hex, { transactionIndex, proof }: ReceiptProof): Uint8Array {
  const nodes = proof.map((node) => hexToBytes(node))
  try {
    return readProvenTrieValue(receiptsRoot, encodeReceiptTrieKey(transactionIndex), nodes)
  } catch (cause) {
    const isSurplus = cause instanceof SurplusNodesError
    throw new ProofError(
      isSurplus ? 'PROOF_NOT_CANONICAL' : 'PROOF_BROKEN',
      isSurplus
        ? 'the proof has more nodes than those from the root to the receipt'
        : `the nodes don't lead from the root to receipt ${transactionIndex}`,
      { cause },
    )
  }
}
