import fc from 'fast-check'
import { bytesToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { encodeReceipt } from '../../../core/proof/encodeReceipt.ts'
import { encodeReceiptTrieKey } from '../../../core/proof/encodeReceiptTrieKey.ts'
import { computeReceiptsRoot, proveReceipts } from '../../../core/proof/proveReceipts.ts'
import { verifyReceiptProof } from '../../../core/proof/verifyReceiptProof.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { receipt } from './arbitraryReceipt.ts'
import { computeYellowPaperRoot } from './yellowPaperTrie.ts'

/** Receipts of a block of this size, small and all different. */
function block(size: number): Uint8Array[] {
  return Array.from({ length: size }, (_, index) =>
    encodeReceipt({
      type: [0, 1, 2, 3, 4, 0x7e][index % 6]!,
      outcome: '0x1',
      cumulativeGasUsed: BigInt(21_000 * (index + 1)),
      logsBloom: `0x${'00'.repeat(256)}`,
      logs: [],
    }),
  )
}

function independentRoot(receipts: readonly Uint8Array[]): Hex {
  return computeYellowPaperRoot(
    receipts.map(
      (bytes, index) => [bytesToHex(encodeReceiptTrieKey(index)), bytesToHex(bytes)] as const,
    ),
  )
}

async function proveAll(receipts: readonly Uint8Array[]) {
  const root = await computeReceiptsRoot(receipts)
  return { root, proofs: await proveReceipts(receipts, root, [...receipts.keys()]) }
}

describe('the key of a receipt', () => {
  it.each([
    [0, '0x80'],
    [1, '0x01'],
    [0x7f, '0x7f'],
    [0x80, '0x8180'],
    [0xff, '0x81ff'],
    [0x100, '0x820100'],
  ])('of index %i is %s', (index, key) => {
    expect(bytesToHex(encodeReceiptTrieKey(index))).toBe(key)
  })
})

describe('a receipts trie', () => {
  // 17: the first two-level branch; 128, 129: keys grow to two bytes; 257: to three.
  it.each([
    1, 2, 16, 17, 127, 128, 129, 255, 256, 257, 300,
  ])('of %i receipts has the root of the definition, and proves each of them', async (size) => {
    const receipts = block(size)
    const { root, proofs } = await proveAll(receipts)
    expect(root).toBe(independentRoot(receipts))
    for (const [index, proof] of proofs.entries()) {
      expect(proof.transactionIndex).toBe(index)
      expect(proof.receipt).toBe(bytesToHex(receipts[index]!))
      await verifyReceiptProof(root, proof)
    }
  })

  it('of random receipts of every type does too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(receipt, { minLength: 1, maxLength: 300 }), async (receipts) => {
        const encoded = receipts.map(encodeReceipt)
        const { root, proofs } = await proveAll(encoded)
        expect(root).toBe(independentRoot(encoded))
        for (const proof of proofs) await verifyReceiptProof(root, proof)
      }),
      { seed: 20_240_313, numRuns: 25 },
    )
  })

  it('is not built from receipts with another root', async () => {
    const receipts = block(5)
    const root = await computeReceiptsRoot(receipts)
    await expect(proveReceipts(receipts.slice(1), root, [0])).rejects.toMatchObject({
      code: 'ROOT_MISMATCH',
    })
    await expect(proveReceipts(receipts, root, [5])).rejects.toMatchObject({
      code: 'RECEIPTS_INCOMPLETE',
    })
  })
})

describe('a proof', () => {
  const setting = proveAll(block(200))

  it('fails under every other index', async () => {
    const { root, proofs } = await setting
    const proof = proofs[130]!
    for (const transactionIndex of [0, 1, 127, 128, 129, 131, 199, 200, 255, 256, 65_536]) {
      await expect(verifyReceiptProof(root, { ...proof, transactionIndex })).rejects.toMatchObject({
        code: 'PROOF_BROKEN',
      })
    }
  })

  it('fails under another root, with another receipt, or without nodes', async () => {
    const { root, proofs } = await setting
    const [a, b] = [proofs[1]!, proofs[2]!]
    const otherRoot = await computeReceiptsRoot(block(201))
    const code = (code: string) => ({ code })
    await expect(verifyReceiptProof(otherRoot, a)).rejects.toMatchObject(code('ROOT_MISMATCH'))
    await expect(verifyReceiptProof(root, { ...a, receipt: b.receipt })).rejects.toMatchObject(
      code('RECEIPT_MISMATCH'),
    )
    await expect(verifyReceiptProof(root, { ...a, proof: [] })).rejects.toMatchObject(
      code('ROOT_MISMATCH'),
    )
  })

  it('fails when it is cut, extended, doubled or shuffled', async () => {
    const { root, proofs } = await setting
    const given = proofs[130]!
    const nodes = given.proof
    expect(nodes.length).toBeGreaterThan(2)
    const refusals = {
      'last node cut': nodes.slice(0, -1),
      'inner node cut': nodes.toSpliced(1, 1),
      'foreign node at the end': [...nodes, proofs[3]!.proof.at(-1)!],
      'own node twice': [...nodes, nodes[1]!],
      'node in between': nodes.toSpliced(1, 0, proofs[3]!.proof[1]!),
      shuffled: [nodes[0]!, ...nodes.slice(1).toReversed()],
    }
    for (const [how, proof] of Object.entries(refusals)) {
      await expect(verifyReceiptProof(root, { ...given, proof }), how).rejects.toMatchObject({
        code: expect.stringMatching(/^PROOF_/),
      })
    }
  })

  it('fails when any byte of it, of the receipt or of the root is changed', async () => {
    const { root, proofs } = await setting
    const given = proofs[130]!
    for (const changed of singleByteChanges(given.receipt)) {
      await expect(verifyReceiptProof(root, { ...given, receipt: changed })).rejects.toThrow()
    }
    for (const changed of singleByteChanges(root)) {
      await expect(verifyReceiptProof(changed, given)).rejects.toThrow()
    }
    for (const [at, node] of given.proof.entries()) {
      for (const changed of singleByteChanges(node)) {
        const proof = given.proof.with(at, changed)
        await expect(verifyReceiptProof(root, { ...given, proof })).rejects.toThrow()
      }
    }
  })
})

/** Every way to replace one byte by its complement, and by its neighbour. */
function* singleByteChanges(hex: Hex): Generator<Hex> {
  for (let at = 2; at < hex.length; at += 2) {
    const byte = Number.parseInt(hex.slice(at, at + 2), 16)
    for (const other of [byte ^ 0xff, byte ^ 0x01]) {
      yield `${hex.slice(0, at)}${other.toString(16).padStart(2, '0')}${hex.slice(at + 2)}` as Hex
    }
  }
}
