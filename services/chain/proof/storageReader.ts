import { hexToBytes, numberToHex } from 'viem'
import { z } from 'zod'
import { stateRootOf, verifyStorageProof } from '../../../core/proof/storage/storageProof.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { type Provider, type RpcAnswer, type RpcRequest, resultOf } from '../rpcPool/provider.ts'
import { RpcError } from '../rpcPool/rpcError.ts'
import type { RpcPool } from '../rpcPool/rpcPool.ts'

/** A contract's storage with its proof, and the block that it is of. */
export type ProvenSlots = {
  /** As the enclave takes it. */
  evidence: { blockNumber: number; accountProof: Hex[]; storageProofs: SlotProof[] }
  /** Words by slot, as the proof shows them under the root that the node names. */
  values: ReadonlyMap<Hex, bigint>
  /** Unix seconds of the block, as the node says. */
  timestamp: number
}

type SlotProof = { slot: Hex; proof: Hex[] }

/** Whether proofs are looked through before they are given on. */
export type ProofMode = 'checked' | 'unchecked'

/** Reads and proves the storage of one contract. */
export type StorageReader = {
  /**
   * Proofs of slots at a block, from any provider: it skips one that refuses, lags, keeps no old state or
   * gives invalid proofs.
   *
   * @param mode `unchecked` leaves checking the proofs to their receiver
   * @throws RpcError what the last one said, when none does
   */
  prove(slots: readonly Hex[], block: number | 'latest', mode?: ProofMode): Promise<ProvenSlots>
  /** The last proof wasn't of a block on the chain: its provider, on a fork, is asked last. */
  doubt(): void
}

const hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .transform((text) => text as Hex)

const slotSchema = z.object({ value: hex, proof: z.array(hex) })

type SlotAnswer = z.output<typeof slotSchema>

const proofSchema = z.object({
  accountProof: z.array(hex),
  storageProof: z.array(slotSchema),
})

const blockSchema = z.object({ number: hex, stateRoot: hex, timestamp: hex })

/** Milliseconds that one exchange with one provider may take. */
const PATIENCE_MS = 5_000

/** Milliseconds in which questions about one block are gathered into one, and slots in it at most. */
const GATHER_MS = 4
const MOST_SLOTS = 512

/**
 * Concurrent requests about one block. Callers that arrive meanwhile are batched, since a proof costs a node about
 * as much for one slot as for hundreds.
 */
const MOST_AT_ONCE = 2

/** Attempts at a head that moves while it is asked for. */
const ROUNDS = 4

export function storageReader(pool: RpcPool, contract: Hex): StorageReader {
  /** The one that was good the last time comes first. */
  let order: readonly Provider[] = pool.providers

  async function ask(
    slots: readonly Hex[],
    block: number | 'latest',
    mode: ProofMode,
  ): Promise<ProvenSlots> {
    let problem: unknown = new RpcError('unreachable', 'no provider left')
    for (const provider of order.filter(({ quarantine }) => !quarantine)) {
      try {
        const proven = await proveBy(provider, contract, slots, block, mode)
        order = [provider, ...order.filter((one) => one !== provider)]
        return proven
      } catch (error) {
        problem = error
        order = [...order.filter((one) => one !== provider), provider]
      }
    }
    throw problem
  }

  return {
    prove: gathered(ask),
    doubt() {
      order = [...order.slice(1), ...order.slice(0, 1)]
    },
  }
}

async function proveBy(
  provider: Provider,
  contract: Hex,
  slots: readonly Hex[],
  block: number | 'latest',
  mode: ProofMode,
): Promise<ProvenSlots> {
  const tag = block === 'latest' ? block : numberToHex(block)
  const questions: RpcRequest[] = [
    { method: 'eth_getProof', params: [contract, slots, tag] },
    { method: 'eth_getBlockByNumber', params: [tag, false] },
  ]
  for (let round = 1; round <= ROUNDS; round++) {
    const [proof, header] = await provider.send(questions, { timeoutMs: PATIENCE_MS })
    const { accountProof, storageProof } = proofSchema.parse(ofBlock(proof))
    if (storageProof.length !== slots.length) throw new RpcError('behind', 'proofs are missing')
    const { number, stateRoot, timestamp } = blockSchema.parse(ofBlock(header))
    if (block !== 'latest' && Number(number) !== block)
      throw new RpcError('behind', 'another block')
    // Only the node that gave a proof of the head knows which block it is of.
    const nodes = accountProof.map((node) => hexToBytes(node))
    if (stateRootOf(nodes) !== stateRoot) continue
    const proven = slots.map((slot, at) => ({ slot, ...(storageProof[at] as SlotAnswer) }))
    const evidence = {
      blockNumber: Number(number),
      accountProof,
      storageProofs: proven.map(({ slot, proof: path }) => ({ slot, proof: path })),
    }
    const values =
      mode === 'checked'
        ? await readSound(stateRoot, contract, evidence)
        : new Map(proven.map(({ slot, value }) => [slot, BigInt(value === '0x' ? 0 : value)]))
    return { evidence, values, timestamp: Number(timestamp) }
  }
  throw new RpcError('behind', 'the head moves too fast to be read')
}

/**
 * Checked here too: the enclave would refuse an invalid proof, and another node might have given a
 * valid one.
 */
async function readSound(
  stateRoot: Hex,
  contract: Hex,
  { accountProof, storageProofs }: ProvenSlots['evidence'],
): Promise<Map<Hex, bigint>> {
  try {
    // Slots that are asked for together share most of their nodes.
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

type Waiting = {
  slots: readonly Hex[]
  resolve(proven: ProvenSlots): void
  reject(error: unknown): void
}

/** Gathers what is asked about one block at about the same time into one question. */
function gathered(
  ask: (slots: readonly Hex[], block: number | 'latest', mode: ProofMode) => Promise<ProvenSlots>,
): StorageReader['prove'] {
  const queues = new Map<string, { waiting: Waiting[]; asking: number }>()

  async function answer(
    group: readonly Waiting[],
    block: number | 'latest',
    mode: ProofMode,
  ): Promise<void> {
    const slots = [...new Set(group.flatMap((one) => one.slots))]
    try {
      const proven = await ask(slots, block, mode)
      const bySlot = new Map(proven.evidence.storageProofs.map((one) => [one.slot, one]))
      for (const one of group) one.resolve(partOf(proven, bySlot, one.slots))
    } catch (error) {
      for (const one of group) one.reject(error)
    }
  }

  const flush = (key: string, block: number | 'latest', mode: ProofMode) => {
    const queue = queues.get(key)
    if (!queue) return
    while (queue.waiting.length > 0 && queue.asking < MOST_AT_ONCE) {
      queue.asking += 1
      void answer(takeGroup(queue.waiting), block, mode).then(() => {
        queue.asking -= 1
        flush(key, block, mode)
      })
    }
    if (queue.asking === 0) queues.delete(key)
  }

  return (slots, block, mode = 'checked') =>
    new Promise((resolve, reject) => {
      const key = `${block} ${mode}`
      const queue = queues.get(key) ?? { waiting: [], asking: 0 }
      if (queue.waiting.length === 0) setTimeout(flush, GATHER_MS, key, block, mode)
      queues.set(key, queue)
      queue.waiting.push({ slots, resolve, reject })
    })
}

/** Takes the first waiting callers, as many as fit in one request. */
function takeGroup(all: Waiting[]): Waiting[] {
  const group: Waiting[] = []
  for (let slots = 0; all.length > 0 && (group.length === 0 || slots < MOST_SLOTS); ) {
    const next = all.shift() as Waiting
    group.push(next)
    slots += next.slots.length
  }
  return group
}

function partOf(
  { evidence, values, timestamp }: ProvenSlots,
  bySlot: ReadonlyMap<Hex, SlotProof>,
  slots: readonly Hex[],
): ProvenSlots {
  const storageProofs = slots.flatMap((slot) => bySlot.get(slot) ?? [])
  return { evidence: { ...evidence, storageProofs }, values, timestamp }
}
