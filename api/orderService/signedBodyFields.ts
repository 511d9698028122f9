import { z } from '@hono/zod-openapi'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { BadRequestError } from '../http/apiError.ts'

/** A message and its signature in a body: the limits leave room for every kind of wallet, contracts included. */
export const signedBodyFields = {
  signature: z
    .string()
    .max(8_192)
    .openapi({
      description:
        'The signature of `message` in hex: EIP-191 (personal_sign, 65 bytes) or, by a contract, ERC-1271.',
      example: `0x${'1b'.repeat(65)}`,
    }),
  message: z.string().max(2_048),
}

/** @throws BadRequestError `INVALID_SIGNATURE` unless it is hex */
export function readSignature(text: string): Hex {
  const hex = hexOf(text)
  if (hex !== null) return hex
  throw new BadRequestError('signature: expected bytes as hex', 'INVALID_SIGNATURE')
}

/** Bytes as hex, with or without `0x`, in any letter case; null for anything else. */
export function hexOf(text: string): Hex | null {
  const digits = /^(?:0[xX])?((?:[0-9a-fA-F]{2})+)$/.exec(text)?.[1]
  return digits === undefined ? null : `0x${digits.toLowerCase()}`
}
