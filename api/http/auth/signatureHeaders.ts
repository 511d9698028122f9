import { z } from '@hono/zod-openapi'
import type { Hex } from 'viem'
import { BadRequestError } from '../apiError.ts'
import type { ApiContext } from '../honoEnvironment.ts'
import { addressInput } from '../valueSchemas.ts'

/** Seconds by which a signed timestamp may differ from the server's clock. */
const MAX_CLOCK_DIFFERENCE = 300

/** Bytes of the longest accepted signature: those of smart accounts can be long. */
export const MAX_SIGNATURE_BYTES = 4_096

/** A header's schema for the documentation. The functions below parse the header itself. */
export function headerText(description: string): z.ZodOptional<z.ZodString> {
  return z.string().optional().describe(description)
}

/** `X-Timestamp`, for the documentation. */
export const timestampHeader = headerText(
  'Unix seconds, at most five minutes from now. Part of the signed message.',
)

/**
 * The address in a required header, in lower case.
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
 * The signature in a header; null without the header.
 *
 * @throws BadRequestError `INVALID_SIGNATURE` if the header isn't a signature
 */
export function signatureHeader(c: ApiContext, name: string): Hex | null {
  const text = c.req.header(name)
  if (text === undefined) return null
  const isHex = /^0x(?:[0-9a-fA-F]{2})+$/.test(text) && text.length <= 2 + 2 * MAX_SIGNATURE_BYTES
  if (!isHex) throw new BadRequestError(`${name} is not a signature`, 'INVALID_SIGNATURE')
  return text.toLowerCase() as Hex
}

/**
 * The value of `X-Timestamp`, in unix seconds.
 *
 * @throws BadRequestError `STALE_TIMESTAMP` if it is missing or too far from now
 */
export function freshTimestamp(c: ApiContext, now: number): number {
  const text = c.req.header('x-timestamp') ?? ''
  const timestamp = /^[0-9]{1,12}$/.test(text) ? Number(text) : Number.NaN
  if (!(Math.abs(timestamp - now) <= MAX_CLOCK_DIFFERENCE)) {
    throw new BadRequestError(
      `X-Timestamp must be unix seconds within five minutes of this server’s clock, which says ${now}`,
      'STALE_TIMESTAMP',
    )
  }
  return timestamp
}

/**
 * The failure of a signature by another account than expected, or over another text. Programs without the SDK see the
 * expected text in `details.message`.
 *
 * @param forContracts what a contract does, if that isn't just to sign
 */
export function notSignedBy(
  whose: string,
  message: string,
  forContracts?: string,
): BadRequestError {
  const forKeys = 'sign the text in details.message'
  return new BadRequestError(
    `the signature is not ${whose}: ${forContracts ? `${forKeys}, or ${forContracts}` : forKeys}`,
    'INVALID_SIGNATURE',
    { message },
  )
}
