import { concat, hexToBytes, numberToBytes, stringToBytes } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import {
  BlobFormatError,
  type BlobPlaintext,
  ORIGINS,
  PART,
  PLAINTEXT_VERSION,
} from './plaintext.ts'

/**
 * The one way to write a plaintext, without padding: big-endian, every list and text preceded by
 * its length, numbers in as few bytes as they need.
 *
 * Throws a BlobFormatError when something has no place in it: more than 65,535 entries, texts that
 * are not well-formed, amounts that don't match the recipients.
 */
export function encodePlaintext(contents: BlobPlaintext): Uint8Array {
  const { recipients, amounts, metadata, viewers, ciphertext, shielded, intentId } = contents
  if (recipients.length !== amounts.length)
    throw new BlobFormatError('an amount for each recipient')
  return concat([
    Uint8Array.of(PLAINTEXT_VERSION, partsOf(contents)),
    integer(contents.sourceChainId),
    fixed(contents.bridge, 20),
    fixed(contents.user, 20),
    fixed(contents.paramsHash, 32),
    ...(intentId === undefined ? [] : [integer(intentId)]),
    integer(contents.createdAt),
    Uint8Array.of(ORIGINS.indexOf(contents.origin)),
    ...list(recipients, (recipient, i) => concat([fixed(recipient, 20), integer(amounts[i]!)])),
    ...(metadata === undefined ? [] : entries(metadata)),
    ...(viewers === undefined ? [] : list(viewers, (viewer) => fixed(viewer, 20))),
    ...(ciphertext === undefined
      ? []
      : [fixed(ciphertext.digest, 32), fixed(ciphertext.ephemeralKeyDigest, 32)]),
    ...(shielded === undefined
      ? []
      : list(shielded, ({ position, index, wallet }) =>
          concat([uint16(position), uint16(index), fixed(wallet, 20)]),
        )),
  ])
}

function partsOf(contents: BlobPlaintext): number {
  const names = Object.keys(PART) as (keyof typeof PART)[]
  return names.reduce((bits, name) => (contents[name] === undefined ? bits : bits | PART[name]), 0)
}

function list<Item>(
  items: readonly Item[],
  write: (item: Item, position: number) => Uint8Array,
): Uint8Array[] {
  return [uint16(items.length), ...items.map(write)]
}

/** Keys in the order of their UTF-16 code units, so that equal metadata makes equal bytes. */
function entries(metadata: Record<string, string>): Uint8Array[] {
  const keys = Object.keys(metadata).sort()
  return list(keys, (key) => concat([text(key), text(metadata[key]!)]))
}

function text(value: string): Uint8Array {
  if (!value.isWellFormed()) throw new BlobFormatError('a text is not well-formed')
  const bytes = stringToBytes(value)
  return concat([uint16(bytes.length), bytes])
}

function integer(value: bigint | number): Uint8Array {
  const number = BigInt(value)
  if (number < 0n || number >= 1n << 256n) throw new BlobFormatError('a number is out of range')
  if (number === 0n) return Uint8Array.of(0)
  const bytes = numberToBytes(number)
  return concat([Uint8Array.of(bytes.length), bytes])
}

function uint16(value: number): Uint8Array {
  if (!Number.isInteger(value) || value < 0 || value > 0xff_ff) {
    throw new BlobFormatError('a count is out of range')
  }
  return Uint8Array.of(value >> 8, value & 0xff)
}

function fixed(hex: Hex, size: number): Uint8Array {
  if (hex.length !== 2 + 2 * size) throw new BlobFormatError(`a value must have ${size} bytes`)
  return hexToBytes(hex)
}
