import { LRUCache } from 'lru-cache'
import { hexToBytes, numberToHex } from 'viem'
import { z } from 'zod'
import { findStateRoot, verifyStorageProof } from '../../../core/proof/storage/storageProof.ts'
import { listOf } from '../../../core/validation/listOf.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { batchReads } from '../../store/database/batchReads.ts'
import { type Provider, type RpcAnswer, type RpcRequest, resultOf } from '../rpcPool/provider.ts'
import { RpcError } from '../rpcPool/rpcError.ts'
import type { RpcPool } from '../rpcPool/rpcPool.ts'

/** Slots of a contract's storage at a block, with their proof. */
export type ProvenSlots = {
  /** In the enclave's format. */
  evidence: { blockNumber: number; accountProof: Hex[]; storageProofs: SlotProof[] }
  /** Words by slot, proven under the node's state root. */
  values: ReadonlyMap<Hex, bigint>
  /** The block's time in unix seconds, according to the node. */
  timestamp: number
}

type SlotProof = { slot: Hex; proof: Hex[] }

/** Whether proofs are verified here. */
export type ProofMode = 'checked' | 'unchecked'

/** Reads and proves the storage of one contract. */
export type StorageProofReader = {
  /**
   * Reads proofs of slots at a block from any provider, skipping those that refuse, lag, lack old state or return invalid
   * proofs.
   *
   * @param mode `unchecked` leaves verification to the receiver
   * @throws RpcError of the last provider if none succeeds
   */
  prove(slots: readonly Hex[], block: number | 'latest', mode?: ProofMode): Promise<ProvenSlots>
  /**
   * Reports that evidence is false: its provider, on a fork, is used last.
   *
   * @param evidence if unknown, such as from before a restart, the latest proof's provider is doubted
   */
  doubt(evidence?: { accountProof: readonly string[] }): void
}

const hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .transform((text) => text as Hex)

/**
 * Limits of a proof. A trie's longest node has 532 bytes, and a path as many nodes as a key has digits. Without limits, one
 * provider's valid proofs could keep the enclave busy for half a second each, by nodes that belong to no path.
 */
const MAX_NODE_BYTES = 1_024
const MAX_NODES = 64

const nodeSchema = z
  .string()
  .max(2 + 2 * MAX_NODE_BYTES)
  .pipe(hex)

const pathSchema = z
  .custom<unknown[]>((nodes) => Array.isArray(nodes) && nodes.length <= MAX_NODES)
  .pipe(listOf(nodeSchema))

const slotSchema = z.object({ value: hex, proof: pathSchema })

type SlotAnswer = z.output<typeof slotSchema>

const proofSchema = z.object({
  accountProof: pathSchema,
  storageProof: listOf(slotSchema),
})

const blockSchema = z.object({ number: hex, stateRoot: hex, timestamp: hex })

/** Milliseconds per request to one provider. */
const TIMEOUT_MS = 5_000

/**
 * Concurrent requests about one block, and the calls that one request answers, each about a dozen slots. A proof costs a node
 * about as much for one slot as for hundreds.
 */
const BATCHES = { atOnce: 2, largest: 40 }

/** Blocks whose calls are batched. */
const MOST_BLOCKS = 100

/** Attempts at reading a head that moves meanwhile. */
const ATTEMPTS = 4

export function createStorageProofReader(pool: RpcPool, contract: Hex): StorageProofReader {
  /**
   * One that fails or is doubted comes last. Success changes nothing: a late answer of a doubted one mustn't have the next
   * call ask it again.
   */
  let order: readonly Provider[] = pool.providers
  /** The provider of the latest proof; before any, the first one, whose earlier proof may be stored. */
  let latest = order[0]
  const providerOf = new WeakMap<readonly string[], Provider>()
  const askLast = (provider: Provider | undefined) => {
    order = order.toSorted((a, b) => Number(a === provider) - Number(b === provider))
  }

  async function readFromAny(
    slots: readonly Hex[],
    block: number | 'latest',
    mode: ProofMode,
  ): Promise<ProvenSlots> {
    let problem: unknown = new RpcError('unreachable', 'no provider left')
    for (const provider of order.filter(({ quarantine }) => !quarantine)) {
      try {
        const proven = await readFromProvider(provider, contract, slots, block, mode)
        latest = provider
        providerOf.set(proven.evidence.accountProof, provider)
        return proven
      } catch (error) {
        problem = error
        askLast(provider)
      }
    }
    throw problem
  }

  return {
    prove: batched(readFromAny),
    doubt(evidence) {
      // All callers for whom one request proved something may doubt it: after the first of them, the order stays.
      askLast((evidence && providerOf.get(evidence.accountProof)) ?? latest)
    },
  }
}

async function readFromProvider(
  provider: Provider,
  contract: Hex,
  slots: readonly Hex[],
  block: number | 'latest',
  mode: ProofMode,
): Promise<ProvenSlots> {
  const tag = block === 'latest' ? block : numberToHex(block)
  const requests: RpcRequest[] = [
    { method: 'eth_getProof', params: [contract, slots, tag] },
    { method: 'eth_getBlockByNumber', params: [tag, false] },
  ]
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const [proof, header] = await provider.send(requests, { timeoutMs: TIMEOUT_MS })
    const { accountProof, storageProof } = proofSchema.parse(ofBlock(proof))
    if (storageProof.length !== slots.length) throw new RpcError('behind', 'proofs are missing')
    const { number, stateRoot, timestamp } = blockSchema.parse(ofBlock(header))
    if (block !== 'latest' && Number(number) !== block)
      throw new RpcError('behind', 'another block')
    // A proof of `latest` doesn't name its block: if the header is of another one, the head has moved.
    const nodes = accountProof.map((node) => hexToBytes(node))
    if (findStateRoot(nodes) !== stateRoot) continue
    const proven = slots.map((slot, at) => ({ slot, ...(storageProof[at] as SlotAnswer) }))
    const evidence = {
      blockNumber: Number(number),
      accountProof,
      storageProofs: proven.map(({ slot, proof: path }) => ({ slot, proof: path })),
    }
    const values =
      mode === 'checked'
        ? await verifyValues(stateRoot, contract, evidence)
        : new Map(proven.map(({ slot, value }) => [slot, BigInt(value === '0x' ? 0 : value)]))
    return { evidence, values, timestamp: Number(timestamp) }
  }
  throw new RpcError('behind', 'the head moves too fast to read it')
}

/**
 * Verifies the proofs, although the enclave does so too: if one is invalid, another node may have a valid one.
 */
async function verifyValues(
  stateRoot: Hex,
  contract: Hex,
  { accountProof, storageProofs }: ProvenSlots['evidence'],
): Promise<Map<Hex, bigint>> {
  try {
    // Slots of one request share most of their proof nodes.
    const nodes = new Set(storageProofs.flatMap(({ proof }) => proof))
    const storage = await verifyStorageProof(stateRoot, contract, {
      accountProof: accountProof.map((node) => hexToBytes(node)),
      storageProofs: [{ proof: [...nodes].map((node) => hexToBytes(node)) }],
    })
    const values = new Map<Hex, bigint>()
    for (const { slot } of storageProofs) values.set(slot, await storage.read(slot))
    return values
  } catch (error) {
    throw new RpcError('behind', 'an invalid proof', { cause: error })
  }
}

function ofBlock(answer: RpcAnswer | undefined): unknown {
  const result = resultOf(answer)
  if (result === null) throw new RpcError('behind', 'the node lacks the block')
  return result
}

/** Batches concurrent calls about one block. */
function batched(
  read: (slots: readonly Hex[], block: number | 'latest', mode: ProofMode) => Promise<ProvenSlots>,
): StorageProofReader['prove'] {
  type Batches = (slots: readonly Hex[]) => Promise<ProvenSlots>
  const readers = new LRUCache<string, Batches>({ max: MOST_BLOCKS })
  return (slots, block, mode = 'checked') => {
    const key = `${block} ${mode}`
    const reader: Batches =
      readers.get(key) ??
      batchReads(BATCHES, async (group: readonly (readonly Hex[])[]) => {
        const proven = await read([...new Set(group.flat())], block, mode)
        const bySlot = new Map(proven.evidence.storageProofs.map((one) => [one.slot, one]))
        return group.map((own) => partOf(proven, bySlot, own))
      })
    readers.set(key, reader)
    return reader(slots)
  }
}

function partOf(
  { evidence, values, timestamp }: ProvenSlots,
  bySlot: ReadonlyMap<Hex, SlotProof>,
  slots: readonly Hex[],
): ProvenSlots {
  const storageProofs = slots.flatMap((slot) => bySlot.get(slot) ?? [])
  return { evidence: { ...evidence, storageProofs }, values, timestamp }
}
