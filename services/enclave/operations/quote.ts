import { encodeAbiParameters, keccak256 } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { attesterKey } from '../keys/attester.ts'
import { type Handler, registryIn } from '../operationContext.ts'
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
export const quote: Handler<'quote'> = async (context, { chainId, challenge, verifier, key }) => {
  const { registry } = registryIn(context, chainId)
  const signer = attesterKey(context.attester, key).address.toLowerCase() as Hex
  const eciesPublicKey = registeredEciesKey(context)
  const about = ['EnclaveKey', BigInt(chainId), registry, signer, eciesPublicKey] as const
  const reportData = keccak256(encodeAbiParameters(REPORT_TYPES, [...about, challenge]))
  const { measurement } = context.quoter
  const at = verifier === undefined ? null : { chainId, address: verifier }
  const evidence = await context.quoter.quote(reportData, at)
  return { evidence, measurement, reportData, signer, eciesPublicKey }
}
