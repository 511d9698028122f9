import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import { chainIn, type Room } from '../room.ts'

const TYPES = {
  KeyPossession: [
    { name: 'signer', type: 'address' },
    { name: 'evidenceHash', type: 'bytes32' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

/** Signs what the chain's `EnclaveKeyRegistry.register` takes as the proof of possession. */
export async function provePossession(
  room: Room,
  { chainId, evidenceHash, deadline }: CheckedRequest<'provePossession'>,
): Promise<ResponseOf<'provePossession'>> {
  const { registry } = chainIn(room, chainId)
  if (registry === undefined) throw new EnclaveError('CHAIN_NOT_CONFIGURED', 'registry')
  const { attester } = room.keyring
  const signature = await attester.signTypedData({
    domain: { name: 'EnclaveKeyRegistry', version: '1', chainId, verifyingContract: registry },
    types: TYPES,
    primaryType: 'KeyPossession',
    message: { signer: attester.address, evidenceHash, deadline },
  })
  return { signature, signer: attester.address.toLowerCase() as Hex }
}
