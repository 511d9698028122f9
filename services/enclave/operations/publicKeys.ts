import { bytesToHex } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ResponseOf } from '../messages.ts'
import type { OperationContext } from '../operationContext.ts'

/** The public halves of the keys in use. */
export function publicKeys({ keyring, attester }: OperationContext): ResponseOf<'publicKeys'> {
  const { current, byId, relayer } = keyring
  return {
    eciesPublicKey: bytesToHex(current.publicKey),
    keyId: current.id,
    attester: attester.current.address.toLowerCase() as Hex,
    nextAttester: (attester.next?.address.toLowerCase() ?? null) as Hex | null,
    relayer: relayer.address.toLowerCase() as Hex,
    previousKeyIds: [...byId.keys()].filter((id) => id !== current.id),
  }
}
