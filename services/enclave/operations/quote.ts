import { encodeAbiParameters, keccak256 } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import { type Room, registryIn } from '../room.ts'
import { attesterNamed } from './attesterNamed.ts'
import { registeredEciesKey } from './provePossession.ts'

const REPORT_TYPES = [
  { type: 'string' },
  { type: 'uint256' },
  { type: 'address' },
  { type: 'address' },
  { type: 'bytes' },
  { type: 'bytes32' },
] as const

/** Evidence that this program holds its keys, bound to a registry's challenge. */
export async function quote(
  room: Room,
  { chainId, challenge, verifier, key }: CheckedRequest<'quote'>,
): Promise<ResponseOf<'quote'>> {
  const { registry } = registryIn(room, chainId)
  const signer = attesterNamed(room, key).address.toLowerCase() as Hex
  const eciesPublicKey = registeredEciesKey(room)
  const about = [
    'EnclaveKey',
    BigInt(chainId),
    registry,
    signer,
    eciesPublicKey,
    challenge,
  ] as const
  const reportData = keccak256(encodeAbiParameters(REPORT_TYPES, about))
  const { measurement } = room.quoter
  const at = verifier === undefined ? null : { chainId, address: verifier }
  const evidence = await room.quoter.quote(reportData, at)
  return { evidence, measurement, reportData, signer, eciesPublicKey }
}
