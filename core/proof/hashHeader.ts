import { RLP } from '@ethereumjs/rlp'
import { hexToBytes, keccak256 } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { getHeaderFieldPattern } from './headerFieldPattern.ts'
import {
  BASE_HEADER_FIELDS,
  type BlockHeader,
  HEADER_FIELDS,
  type HeaderFieldKind,
} from './headerFields.ts'
import { integerToBytes } from './integerBytes.ts'
import { ProofError } from './proofError.ts'

/**
 * A block's hash: keccak256 of its header fields' RLP list.
 *
 * @param keccak a faster implementation, for many headers
 * @throws ProofError `HEADER_INCOMPLETE` if a required field is absent, `HEADER_FIELD_INVALID` if one isn't canonical
 */
export function hashHeader(
  header: BlockHeader,
  keccak: (bytes: Uint8Array) => Hex = keccak256,
): Hex {
  return keccak(RLP.encode(encodeItems(header)))
}

function encodeItems(header: BlockHeader): Uint8Array[] {
  const items: Uint8Array[] = []
  let absent: string | undefined
  for (const [name, kind] of HEADER_FIELDS) {
    const value = header[name]
    if (value === undefined) {
      if (name in BASE_HEADER_FIELDS) {
        throw new ProofError('HEADER_INCOMPLETE', `the header has no ${name}`)
      }
      absent ??= name
      continue
    }
    if (absent !== undefined) {
      throw new ProofError('HEADER_INCOMPLETE', `the header has ${name} but no ${absent}`)
    }
    items.push(encodeField(name, kind, value))
  }
  return items
}

function encodeField(name: string, kind: HeaderFieldKind, value: Hex): Uint8Array {
  if (!getHeaderFieldPattern(kind).test(value)) {
    throw new ProofError(
      'HEADER_FIELD_INVALID',
      `the header's ${name} is not canonical: ${value.slice(0, 80)}`,
    )
  }
  return kind.form === 'integer' ? integerToBytes(BigInt(value)) : hexToBytes(value)
}

/** A header's integer as a number. @throws ProofError `HEADER_FIELD_INVALID` beyond 2^53 */
export function readHeaderNumber(header: BlockHeader, name: 'number' | 'timestamp'): number {
  const value = Number(BigInt(header[name]))
  if (!Number.isSafeInteger(value)) {
    throw new ProofError('HEADER_FIELD_INVALID', `the header's ${name} is out of range`)
  }
  return value
}
