import { concat, keccak256 } from 'viem'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import type { Room } from '../room.ts'
import { publicKeys } from './publicKeys.ts'

/** The public keys and a nonce, signed by the attester: shows possession, and no more than that. */
export async function quote(
  room: Room,
  { nonce }: CheckedRequest<'quote'>,
): Promise<ResponseOf<'quote'>> {
  const { eciesPublicKey, attester, relayer } = publicKeys(room)
  const raw = keccak256(concat([nonce, eciesPublicKey, attester, relayer]))
  const signature = await room.keyring.attester.signMessage({ message: { raw } })
  return { kind: 'software', nonce, eciesPublicKey, attester, relayer, signature }
}
