import type { Hex } from '../../src/event/bridgeEvent.ts'
import {
  BASE_HEADER_FIELDS,
  type BlockHeader,
  HEADER_FIELDS,
  type HeaderFieldKind,
} from './headerFields.ts'
import { ProofError } from './proofError.ts'

/**
 * Extracts the header fields from a block that `eth_getBlockByNumber` returned.
 *
 * @throws ProofError `HEADER_INCOMPLETE` or `HEADER_FIELD_INVALID`
 */
export function parseRpcHeader(block: Readonly<Record<string, unknown>>): BlockHeader {
  const header: Partial<Record<keyof BlockHeader, Hex>> = {}
  for (const [name, kind] of HEADER_FIELDS) {
    const value = Object.hasOwn(block, name) ? block[name] : undefined
    if (value === undefined || value === null) {
      if (name in BASE_HEADER_FIELDS) {
        throw new ProofError('HEADER_INCOMPLETE', `the block has no ${name}`)
      }
      continue
    }
    header[name] = canonicalize(name, kind, value)
  }
  return header as BlockHeader
}

function canonicalize(name: string, kind: HeaderFieldKind, value: unknown): Hex {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]*$/.test(value)) {
    throw new ProofError('HEADER_FIELD_INVALID', `the block's ${name} is not hex`)
  }
  if (kind.form !== 'integer') return value.toLowerCase() as Hex
  return `0x${BigInt(value === '0x' ? 0 : value).toString(16)}`
}
