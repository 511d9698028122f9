import { z } from '@hono/zod-openapi'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { BadRequestError } from '../../http/apiError.ts'
import { addressInput, chainInput } from '../../http/valueSchemas.ts'
import type { WriteContext } from '../writeContext.ts'

/** Bytes of the longest signature that is accepted: smart accounts' can be long. */
const LONGEST_SIGNATURE = 4_096

/** An address that is part of a signed message: as it was sent, in any letter case. */
export const verbatimAddress = z
  .string()
  .refine((text) => /^0x/.test(text) && addressInput.safeParse(text).success, {
    error: 'expected an address: 0x and 40 hex digits',
  })
  .transform((text) => text as Hex)
  .openapi({ type: 'string', example: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' })

/** A signature; lower case inside. Anything else gets the same error as a wrong signature. */
export const signatureInput = z
  .string()
  .max(2 + 2 * LONGEST_SIGNATURE)
  .regex(/^0x(?:[0-9a-fA-F]{2})+$/, 'expected a signature: 0x and hex digits')
  .transform((text) => text.toLowerCase() as Hex)
  .openapi({ type: 'string', example: '0x…' })

/** Where a wallet that is a contract lives. */
export const walletChainInput = chainInput.optional().openapi({
  type: 'string',
  description:
    'Chain of a wallet that is a contract (ERC-1271, ERC-6492). Default: every chain that is followed here.',
})

/** The chains on which a wallet may be a contract: the one that it names, or all. */
export function walletChains(
  { reads: { configured } }: WriteContext,
  named: number | undefined,
): number[] {
  const chains = configured.map(({ chainId }) => chainId)
  if (named === undefined) return chains
  if (!chains.includes(named)) {
    throw new BadRequestError('the chain is not followed here', 'UNSUPPORTED_CHAIN')
  }
  return [named]
}
