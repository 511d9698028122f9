import { listEnclaveKeySlots, listKeySlots } from '../../core/proof/storage/storageSlots.ts'
import type { StorageEvidence } from '../../services/enclave/enclaveInterface.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { NonsenseAnswerError } from '../checkedHttpTransport.ts'
import type { Registry } from './registries.ts'
import { describeUnreadable, openRegistryNode } from './registryNode.ts'

/** The fields of `eth_getProof` that are used. */
type Proof = { accountProof: Hex[]; storageProof: { proof: Hex[] }[] }

/** Positions of a key's operator and generation among its slots. */
const [OPERATOR, GENERATION] = [0, 2]

/**
 * Fetches proof of what a chain's registry stores about an enclave's key and about operators, at a block as deep as enclaves
 * require. The node must keep proofs that far back.
 *
 * @throws ToolError when the node can't be read
 */
export async function fetchKeyRegistryProof(
  chain: Registry,
  key: { signer: Hex; operators: readonly Hex[] },
): Promise<StorageEvidence> {
  return readProof(chain, key).catch((error: unknown) => {
    throw describeUnreadable(chain.chainId, error)
  })
}

async function readProof(
  chain: Registry,
  key: { signer: Hex; operators: readonly Hex[] },
): Promise<StorageEvidence> {
  const { registry, confirmations } = chain
  const client = openRegistryNode(chain)
  const ask = <Answer>(method: string, params: readonly unknown[]): Promise<Answer> =>
    client.request({ method, params } as never)
  const head = await ask<Hex>('eth_blockNumber', []).then(asNumber('eth_blockNumber'))
  const blockNumber = Math.max(0, head - confirmations)
  const block = `0x${blockNumber.toString(16)}`
  const readSlot = (at: number) =>
    ask<Hex>('eth_getStorageAt', [registry, listKeySlots(key.signer)[at], block])
  const generation = await readSlot(GENERATION).then(asNumber('eth_getStorageAt'))
  const operators = [...key.operators, operatorIn(await readSlot(OPERATOR))]
  const slots = listEnclaveKeySlots({ signer: key.signer, generation, operators })
  const { accountProof, storageProof } = await ask<Proof>('eth_getProof', [registry, slots, block])
  if (storageProof.length !== slots.length) throw new NonsenseAnswerError('eth_getProof')
  const storageProofs = storageProof.map(({ proof }, at) => ({ slot: slots[at]!, proof }))
  return { blockNumber, accountProof, storageProofs }
}

function asNumber(method: string): (answer: Hex) => number {
  return (answer) => {
    const number = Number(answer)
    if (!Number.isSafeInteger(number)) throw new NonsenseAnswerError(method)
    return number
  }
}

/** The operator that registered the key: the low 20 bytes of its first slot. */
function operatorIn(word: Hex): Hex {
  return `0x${word.slice(2).padStart(64, '0').slice(-40)}`
}
