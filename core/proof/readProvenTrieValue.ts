import { RLP } from '@ethereumjs/rlp'
import { bytesToHex, keccak256 } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'

/** Flags of hex-prefix encoding (yellow paper, appendix C): an odd number of nibbles, and the end of a path. */
const ODD = 1
const LEAF = 2

/**
 * Reads the value under a key of a Merkle-Patricia trie from the nodes between root and value. Each node's hash must be
 * the one that the previous node names, and the path must use up the whole key and all nodes. Refuses nodes of less
 * than 32 bytes, which are embedded in others: a receipts trie has none, because receipts are larger.
 *
 * @throws Error when the nodes don't lead to a value
 */
export function readProvenTrieValue(
  root: Hex,
  key: Uint8Array,
  nodes: readonly Uint8Array[],
): Uint8Array {
  let path = bytesToHex(key).slice(2)
  let expected: string = root
  for (const [depth, node] of nodes.entries()) {
    if (keccak256(node) !== expected) throw new Error(`node ${depth} does not match its hash`)
    const step = stepFrom(itemsOf(node), path)
    path = step.path
    if (!step.isEnd) {
      if (step.item.length !== 32) throw new Error(`node ${depth} doesn't name another node`)
      expected = bytesToHex(step.item)
      continue
    }
    if (depth !== nodes.length - 1) throw new SurplusNodesError('nodes follow the value')
    return step.item
  }
  throw new Error('the nodes end before the path does')
}

/** Nodes are left over after the value. */
export class SurplusNodesError extends Error {
  override readonly name = 'SurplusNodesError'
}

/** Where a node leads: to a value, or to the node of this hash. */
type Step = { item: Uint8Array; path: string; isEnd: boolean }

function stepFrom(items: Uint8Array[], path: string): Step {
  if (items.length === 17) {
    const [nibble] = path
    const item = items[nibble === undefined ? 16 : Number.parseInt(nibble, 16)]
    if (item === undefined || item.length === 0)
      throw new Error('the branch has no entry for the key')
    return { item, path: path.slice(1), isEnd: nibble === undefined }
  }
  const [prefix, item] = items
  if (items.length !== 2 || prefix === undefined || item === undefined)
    throw new Error(`a node has ${items.length} items`)
  const { nibbles, isLeaf } = nibblesOf(prefix)
  if (!path.startsWith(nibbles)) throw new Error('the path diverges from the key')
  if (isLeaf && nibbles !== path) throw new Error('the leaf belongs to another key')
  return { item, path: path.slice(nibbles.length), isEnd: isLeaf }
}

function itemsOf(node: Uint8Array): Uint8Array[] {
  const decoded = RLP.decode(node)
  if (!Array.isArray(decoded) || !decoded.every((item) => item instanceof Uint8Array))
    throw new Error('a node is not a list of byte strings')
  return decoded
}

function nibblesOf(prefix: Uint8Array): { nibbles: string; isLeaf: boolean } {
  const [first, ...rest] = bytesToHex(prefix).slice(2)
  const flag = Number.parseInt(first ?? '', 16)
  if (!(flag <= (ODD | LEAF))) throw new Error('a path has an unknown flag')
  const [pad, ...even] = rest
  const isOdd = (flag & ODD) !== 0
  if (!isOdd && pad !== '0') throw new Error('a path is not in canonical form')
  return { nibbles: (isOdd ? rest : even).join(''), isLeaf: (flag & LEAF) !== 0 }
}
