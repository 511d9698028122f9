import { isAddress } from 'viem'
import { z } from 'zod'
import type { Hex } from '../../src/event/bridgeEvent.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses a sender's plaintext: JSON in UTF-8. Undefined for anything else. */
export function parseSenderJson(plaintext: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(plaintext))
  } catch {
    return undefined
  }
}

/** An address. Mixed case must be a valid checksum, since a mistyped address would lose the money. */
export const writtenAddress = z
  .string()
  .refine(
    (text) => /^0x([0-9a-f]{40}|[0-9A-F]{40})$/.test(text) || isAddress(text, { strict: true }),
  )
  .transform((text) => text.toLowerCase() as Hex)

/**
 * An error's position as field and index, such as `amounts.2`; undefined for the whole bundle. Anything deeper, such as
 * a metadata key, is the sender's own text.
 */
export function describePlace([name, position]: readonly PropertyKey[]): string | undefined {
  if (name === undefined) return undefined
  return typeof position === 'number' ? `${String(name)}.${position}` : String(name)
}
