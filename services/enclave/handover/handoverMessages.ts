import { hashTypedData } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

const DOMAIN = { name: 'CairnEnclave', version: '1' } as const
const TRANSPORT_KEY = { name: 'transportKey', type: 'bytes' } as const

/** Signed by an enclave that waits for the root: its attestation key vouches for the transport key. */
export function buildRootRequest(transportKey: Hex) {
  return {
    domain: DOMAIN,
    types: { RootRequest: [TRANSPORT_KEY] },
    primaryType: 'RootRequest',
    message: { transportKey },
  } as const
}

/** Signed by a registry's operators: this enclave may receive the root. */
export function buildRootHandover(
  { chainId, registry }: { chainId: number; registry: Hex },
  message: { signer: Hex; transportKey: Hex },
) {
  return {
    domain: { ...DOMAIN, chainId, verifyingContract: registry },
    types: { RootHandover: [{ name: 'signer', type: 'address' }, TRANSPORT_KEY] },
    primaryType: 'RootHandover',
    message,
  } as const
}

/** Signed by the giving enclave: the sealed roots, and the transport key that they are sealed to. */
export function buildRootGift(message: { transportKey: Hex; sealedRoots: Hex }) {
  return {
    domain: DOMAIN,
    types: { RootGift: [TRANSPORT_KEY, { name: 'sealedRoots', type: 'bytes' }] },
    primaryType: 'RootGift',
    message,
  } as const
}

export function hashTyped(typed: object): Hex {
  return hashTypedData(typed as never)
}
