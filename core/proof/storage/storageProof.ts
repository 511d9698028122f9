import { createMPTFromProof, type MerklePatriciaTrie } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { bytesToHex, hexToBytes, keccak256 } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

/** Trie nodes from `eth_getProof`, of the account and of its storage, in any order. */
type StorageNodes = {
  accountProof: readonly Uint8Array[]
  storageProofs: readonly { proof: readonly Uint8Array[] }[]
}

/** The nodes don't prove what they should. */
export class StorageProofError extends Error {
  override readonly name = 'StorageProofError'
}

/** A contract's storage under a state root. */
export type ProvenStorage = {
  codeHash: Hex
  /** Reads a slot's word; 0 if the nodes prove that it is empty. @throws StorageProofError when they prove neither */
  read(slot: Hex): Promise<bigint>
}

/** Root of a trie without entries: keccak256 of RLP's empty string. */
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/** The state root that an account's proof belongs to, whichever block was requested. */
export function findStateRoot(accountProof: readonly Uint8Array[]): Hex | null {
  const [root] = accountProof
  return root === undefined ? null : keccak256(root)
}

/**
 * A contract's storage, as far as these nodes prove it under the state root. Nodes are looked up by their hashes, so a
 * false node proves nothing.
 *
 * @throws StorageProofError when the account isn't proven or doesn't exist
 */
export async function verifyStorageProof(
  stateRoot: Hex,
  contract: Hex,
  { accountProof, storageProofs }: StorageNodes,
): Promise<ProvenStorage> {
  const account = await readFrom(await openTrie(stateRoot, accountProof), contract)
  if (account === null) throw new StorageProofError('there is no such account')
  const { storageRoot, codeHash } = decodeAccount(account)
  if (storageRoot === EMPTY_ROOT) return { codeHash, read: async () => 0n }
  const nodes = storageProofs.flatMap(({ proof }) => proof)
  const trie = await openTrie(storageRoot, nodes)
  return {
    codeHash,
    async read(slot) {
      const value = await readFrom(trie, slot)
      return value === null ? 0n : decodeWord(value)
    },
  }
}

async function openTrie(root: Hex, nodes: readonly Uint8Array[]): Promise<MerklePatriciaTrie> {
  // The library expects the root node first.
  const at = nodes.findIndex((node) => keccak256(node) === root)
  if (at < 0) throw new StorageProofError('the nodes belong to another root')
  const others = new Map(nodes.map((node) => [keccak256(node), node]))
  others.delete(root)
  return createMPTFromProof([nodes[at]!, ...others.values()], {
    root: hexToBytes(root),
    useKeyHashing: true,
  })
}

async function readFrom(trie: MerklePatriciaTrie, key: Hex): Promise<Uint8Array | null> {
  try {
    return await trie.get(hexToBytes(key), true)
  } catch {
    throw new StorageProofError('a node is missing or broken')
  }
}

function decodeAccount(bytes: Uint8Array): { storageRoot: Hex; codeHash: Hex } {
  const fields = decodeRlp(bytes)
  const [, , storageRoot, codeHash] = Array.isArray(fields) ? fields : []
  if (!(storageRoot instanceof Uint8Array && codeHash instanceof Uint8Array)) {
    throw new StorageProofError('an account is malformed')
  }
  return { storageRoot: bytesToHex(storageRoot), codeHash: bytesToHex(codeHash) }
}

function decodeWord(bytes: Uint8Array): bigint {
  const value = decodeRlp(bytes)
  if (!(value instanceof Uint8Array) || value.length > 32) {
    throw new StorageProofError('a slot is malformed')
  }
  // Development nodes keep cleared slots in their trie.
  return value.length === 0 ? 0n : BigInt(bytesToHex(value))
}

function decodeRlp(bytes: Uint8Array) {
  try {
    return RLP.decode(bytes)
  } catch {
    throw new StorageProofError('a value is not RLP')
  }
}
