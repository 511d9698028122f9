import { z } from '@hono/zod-openapi'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { MAX_SIGNATURE_BYTES } from '../../http/auth/signatureHeaders.ts'
import { addressInput, chainInput } from '../../http/valueSchemas.ts'
import { createChainNotFollowedError } from '../createChainNotFollowedError.ts'
import type { WriteContext } from '../writeContext.ts'

/** An address in a signed message: kept as it was sent, in any letter case. */
export const verbatimAddress = z
  .string()
  .refine((text) => /^0x/.test(text) && addressInput.safeParse(text).success, {
    error: 'expected an address: 0x and 40 hex digits',
  })
  .transform((text) => text as Hex)
  .openapi({ type: 'string', example: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' })

/** A signature's bytes as hex. Parsed to lower case. */
export const signatureInput = z
  .string()
  .max(2 + 2 * MAX_SIGNATURE_BYTES)
  .regex(/^0x(?:[0-9a-fA-F]{2})+$/, 'expected a signature: 0x and hex digits')
  .transform((text) => text.toLowerCase() as Hex)
  .openapi({ type: 'string', example: '0x…' })

/** The chain of a wallet that is a contract. */
export const walletChainInput = chainInput.optional().openapi({
  type: 'string',
  description:
    'The wallet’s chain, if the wallet is a contract (ERC-1271, ERC-6492). Default: every configured chain.',
})

/** The chains on which a wallet may be a contract: the named one, or all. */
export function walletChains(
  { reads: { configured } }: WriteContext,
  named: number | undefined,
): number[] {
  const chains = configured.map(({ chainId }) => chainId)
  if (named === undefined) return chains
  if (!chains.includes(named)) {
    throw createChainNotFollowedError()
  }
  return [named]
}
