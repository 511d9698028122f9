import { enclaveKeySlots, slotsOfEnclaveKey } from '../../core/proof/storage/slots.ts'
import { requestNode } from '../../services/chain/requestNode.ts'
import type { ChainConfig } from '../../services/config/chains.ts'
import type { StorageEvidence } from '../../services/enclave/enclaveInterface.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'

/** `eth_getProof`, as far as it is used. */
type Proof = { accountProof: Hex[]; storageProof: { proof: Hex[] }[] }

/** Position of a key's generation among its slots. */
const GENERATION = 2

/**
 * What a chain's registry stores of an enclave's key and of operators, proven at a block that is as deep as
 * enclaves want it. Any node will do that keeps proofs so far back.
 */
export async function keyEvidence(
  { rpcUrls, confirmations }: Pick<ChainConfig, 'rpcUrls' | 'confirmations'>,
  registry: Hex,
  key: { signer: Hex; operators: readonly Hex[] },
): Promise<StorageEvidence> {
  const ask = requestNode(rpcUrls[0] ?? '')
  const head = Number(await ask('eth_blockNumber', []))
  const blockNumber = Math.max(0, head - confirmations)
  const block = `0x${blockNumber.toString(16)}`
  const slot = enclaveKeySlots(key.signer)[GENERATION]
  const generation = Number(await ask('eth_getStorageAt', [registry, slot, block]))
  const operators = [...key.operators, await operatorOf(ask, registry, key.signer, block)]
  const slots = slotsOfEnclaveKey({ signer: key.signer, generation, operators })
  const proof = (await ask('eth_getProof', [registry, slots, block])) as Proof
  const storageProofs = proof.storageProof.map((one, at) => ({
    slot: slots[at]!,
    proof: one.proof,
  }))
  return { blockNumber, accountProof: proof.accountProof, storageProofs }
}

/** Who registered it: the low 20 bytes of the key's first slot. */
async function operatorOf(
  ask: ReturnType<typeof requestNode>,
  registry: Hex,
  signer: Hex,
  block: string,
): Promise<Hex> {
  const word = String(await ask('eth_getStorageAt', [registry, enclaveKeySlots(signer)[0], block]))
  return `0x${word.slice(2).padStart(64, '0').slice(-40)}`
}
