import { hashTypedData } from 'viem'
import {
  type AttestationKind,
  type Attestations,
  attestation,
} from '../../../sdk/intent/attestationTypedData.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { SignatureJudge } from '../../quorum/collectSignatures.ts'
import { isGenuineSignature } from '../../quorum/isGenuineSignature.ts'
import type { RegisteredEnclaveKeys } from './registeredEnclaveKeys.ts'

/** A message that an enclave has signed. */
export type Attested<Kind extends AttestationKind> = {
  message: Attestations[Kind]
  signature: Hex
  signer: Hex
}

/** Checks signatures of one kind of message as a chain's bridge does. */
export function createBridgeSignatureJudge<Kind extends AttestationKind>(
  { chainId, bridge, keys }: { chainId: number; bridge: Hex; keys: RegisteredEnclaveKeys },
  kind: Kind,
  quorum: number,
): SignatureJudge<Attested<Kind>> {
  return {
    quorum,
    isGenuine: (answer) =>
      isGenuineSignature(
        hashTypedData(attestation({ chainId, bridge }, kind, answer.message) as never),
        answer,
      ),
    async operatorOf(signer) {
      if (quorum > 1) return keys.operatorOf(signer)
      // One signature's operator doesn't matter, only whether its key counts.
      return (await keys.countsAlone(signer, kind)) ? signer : null
    },
  }
}
