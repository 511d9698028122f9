import { hashTypedData } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

const NAME = 'CairnEnclave'

/**
 * What an enclave that waits for the root signs: its attestation key vouches for the key to seal it to.
 */
export function rootRequest(transportKey: Hex) {
  return {
    domain: { name: NAME, version: '1' },
    types: { RootRequest: [{ name: 'transportKey', type: 'bytes' }] },
    primaryType: 'RootRequest',
    message: { transportKey },
  } as const
}

/** What a registry's operators sign: that this enclave may have the root. */
export function rootHandover(
  { chainId, registry }: { chainId: number; registry: Hex },
  message: { signer: Hex; transportKey: Hex },
) {
  return {
    domain: { name: NAME, version: '1', chainId, verifyingContract: registry },
    types: {
      RootHandover: [
        { name: 'signer', type: 'address' },
        { name: 'transportKey', type: 'bytes' },
      ],
    },
    primaryType: 'RootHandover',
    message,
  } as const
}

/** What the giving enclave signs: to whom it gives the roots, and which. */
export function rootGift(message: { transportKey: Hex; sealedRoots: Hex }) {
  return {
    domain: { name: NAME, version: '1' },
    types: {
      RootGift: [
        { name: 'transportKey', type: 'bytes' },
        { name: 'sealedRoots', type: 'bytes' },
      ],
    },
    primaryType: 'RootGift',
    message,
  } as const
}

export function hashOf(
  typed:
    | ReturnType<typeof rootRequest>
    | ReturnType<typeof rootHandover>
    | ReturnType<typeof rootGift>,
): Hex {
  return hashTypedData(typed as never)
}
