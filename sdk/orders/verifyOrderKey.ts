import { type Hex, recoverTypedDataAddress } from 'viem'
import { orderKeyTypedData } from '../messages/orderKeyTypedData.ts'
import { findActiveKey, NotAnEnclaveError, type RegistryOn } from '../relayer/verifyEnclaveKey.ts'
import type { OrderKey } from './orderResponses.ts'

/**
 * The key to seal orders to, verified: an attestation key that is active in the chain's registry must have signed it.
 *
 * @throws NotAnEnclaveError; the client's errors
 */
export async function verifyOrderKey(
  { publicKey, signature }: OrderKey,
  registry: RegistryOn,
): Promise<Hex> {
  const signed = orderKeyTypedData(publicKey)
  const attester =
    signature === undefined
      ? null
      : await recoverTypedDataAddress({ ...signed, signature }).catch(() => null)
  if (attester !== null && (await findActiveKey(registry, attester)) !== null) return publicKey
  throw new NotAnEnclaveError(
    'no active enclave of the EnclaveKeyRegistry has signed the order service’s key: place no order, and ask its operator',
  )
}
