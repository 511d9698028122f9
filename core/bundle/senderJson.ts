import { isAddress } from 'viem'
import { z } from 'zod'
import type { Hex } from '../../src/event/bridgeEvent.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses what a sender encrypted: JSON in UTF-8. Undefined for anything else. */
export function parseSenderJson(plaintext: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(plaintext))
  } catch {
    return undefined
  }
}

/** An address. Mixed letter case is a checksum; a wrong one is a typing error that would lose the money. */
export const writtenAddress = z
  .string()
  .refine(
    (text) => /^0x([0-9a-f]{40}|[0-9A-F]{40})$/.test(text) || isAddress(text, { strict: true }),
  )
  .transform((text) => text.toLowerCase() as Hex)

/**
 * The place of an error as a field and a position, such as `amounts.2`; undefined for the whole. Anything
 * deeper, such as a key of metadata, is the sender's own text.
 */
export function describePlace([name, position]: readonly PropertyKey[]): string | undefined {
  if (name === undefined) return undefined
  return typeof position === 'number' ? `${String(name)}.${position}` : String(name)
}
