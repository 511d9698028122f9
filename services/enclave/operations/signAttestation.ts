import {
  type AttestationKind,
  type Attestations,
  attestation,
} from '../../../sdk/intent/attestations.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EnclaveChain } from '../chains.ts'
import type { OperationContext } from '../operationContext.ts'

/** Signs a message for a chain's bridge by the attestation key. */
export async function signAttestation<Kind extends AttestationKind>(
  { attester }: OperationContext,
  chain: Pick<EnclaveChain, 'chainId' | 'bridge'>,
  kind: Kind,
  message: Attestations[Kind],
): Promise<{ message: Attestations[Kind]; signature: Hex; signer: Hex }> {
  const { current } = attester
  const signature = await current.signTypedData(attestation(chain, kind, message) as never)
  return { message, signature, signer: current.address.toLowerCase() as Hex }
}
