import { encodeAbiParameters, keccak256 } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import { type OperationContext, registryIn } from '../operationContext.ts'
import { registeredEciesKey } from './provePossession.ts'
import { selectAttester } from './selectAttester.ts'

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
  context: OperationContext,
  { chainId, challenge, verifier, key }: CheckedRequest<'quote'>,
): Promise<ResponseOf<'quote'>> {
  const { registry } = registryIn(context, chainId)
  const signer = selectAttester(context, key).address.toLowerCase() as Hex
  const eciesPublicKey = registeredEciesKey(context)
  const about = [
    'EnclaveKey',
    BigInt(chainId),
    registry,
    signer,
    eciesPublicKey,
    challenge,
  ] as const
  const reportData = keccak256(encodeAbiParameters(REPORT_TYPES, about))
  const { measurement } = context.quoter
  const at = verifier === undefined ? null : { chainId, address: verifier }
  const evidence = await context.quoter.quote(reportData, at)
  return { evidence, measurement, reportData, signer, eciesPublicKey }
}
