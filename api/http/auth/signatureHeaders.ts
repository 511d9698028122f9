import { z } from '@hono/zod-openapi'
import type { Hex } from 'viem'
import type { ApiContext } from '../apiEnv.ts'
import { BadRequestError } from '../apiError.ts'
import { addressInput } from '../valueSchemas.ts'

/** Seconds that a signed timestamp may differ from our clock, either way. */
const PATIENCE_SECONDS = 300

/** Bytes of the longest signature that is accepted: smart accounts' can be long. */
const LONGEST_BYTES = 4_096

/** A header as documented; the functions below parse it. */
export function headerText(description: string): z.ZodOptional<z.ZodString> {
  return z.string().optional().openapi({ description })
}

/** `X-Timestamp` as documented. */
export const timestampHeader = headerText('Unix seconds, within five minutes of now; signed too.')

/**
 * The address that a header must hold; lower case.
 *
 * @param whose as in "the solver’s"
 * @throws BadRequestError
 */
export function addressHeader(c: ApiContext, name: string, whose: string): Hex {
  const parsed = addressInput.safeParse(c.req.header(name) ?? '')
  if (parsed.success) return parsed.data
  throw new BadRequestError(`the header ${name} must be ${whose} address`)
}

/**
 * A signature from a header; null when it isn't there.
 *
 * @throws BadRequestError `INVALID_SIGNATURE` when it is there and no signature
 */
export function signatureHeader(c: ApiContext, name: string): Hex | null {
  const text = c.req.header(name)
  if (text === undefined) return null
  const isHex = /^0x(?:[0-9a-fA-F]{2})+$/.test(text) && text.length <= 2 + 2 * LONGEST_BYTES
  if (!isHex) throw new BadRequestError(`${name} is not a signature`, 'INVALID_SIGNATURE')
  return text.toLowerCase() as Hex
}

/**
 * The unix seconds of `X-Timestamp`.
 *
 * @throws BadRequestError `STALE_TIMESTAMP` when it is missing, or too far from now
 */
export function freshTimestamp(c: ApiContext, now: number): number {
  const text = c.req.header('x-timestamp') ?? ''
  const timestamp = /^[0-9]{1,12}$/.test(text) ? Number(text) : Number.NaN
  if (!(Math.abs(timestamp - now) <= PATIENCE_SECONDS)) {
    throw new BadRequestError(
      'X-Timestamp must be unix seconds within five minutes of now',
      'STALE_TIMESTAMP',
    )
  }
  return timestamp
}

/** The failure of a signature that is not the expected account's. */
export function notSignedBy(whose: string): BadRequestError {
  return new BadRequestError(`the signature is not ${whose}`, 'INVALID_SIGNATURE')
}
