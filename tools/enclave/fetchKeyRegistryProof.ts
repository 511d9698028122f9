import { listEnclaveKeySlots, listKeySlots } from '../../core/proof/storage/storageSlots.ts'
import { requestNode } from '../../services/chain/requestNode.ts'
import type { ChainConfig } from '../../services/config/chainConfig.ts'
import type { StorageEvidence } from '../../services/enclave/enclaveInterface.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'

/** The fields of `eth_getProof` that are used. */
type Proof = { accountProof: Hex[]; storageProof: { proof: Hex[] }[] }

/** Position of a key's generation among its slots. */
const GENERATION = 2

/**
 * Fetches proof of what a chain's registry stores about an enclave's key and about operators, at a block as deep as enclaves
 * require. The node must keep proofs that far back.
 */
export async function fetchKeyRegistryProof(
  { rpcUrls, confirmations }: Pick<ChainConfig, 'rpcUrls' | 'confirmations'>,
  registry: Hex,
  key: { signer: Hex; operators: readonly Hex[] },
): Promise<StorageEvidence> {
  const ask = requestNode(rpcUrls[0] ?? '')
  const head = Number(await ask('eth_blockNumber', []))
  const blockNumber = Math.max(0, head - confirmations)
  const block = `0x${blockNumber.toString(16)}`
  const slot = listKeySlots(key.signer)[GENERATION]
  const generation = Number(await ask('eth_getStorageAt', [registry, slot, block]))
  const operators = [...key.operators, await readOperator(ask, registry, key.signer, block)]
  const slots = listEnclaveKeySlots({ signer: key.signer, generation, operators })
  const proof = (await ask('eth_getProof', [registry, slots, block])) as Proof
  const storageProofs = proof.storageProof.map((one, at) => ({
    slot: slots[at]!,
    proof: one.proof,
  }))
  return { blockNumber, accountProof: proof.accountProof, storageProofs }
}

/** The operator that registered the key: the low 20 bytes of its first slot. */
async function readOperator(
  ask: ReturnType<typeof requestNode>,
  registry: Hex,
  signer: Hex,
  block: string,
): Promise<Hex> {
  const word = String(await ask('eth_getStorageAt', [registry, listKeySlots(signer)[0], block]))
  return `0x${word.slice(2).padStart(64, '0').slice(-40)}`
}
