import { concat, hexToBytes, numberToBytes, stringToBytes } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import {
  AMOUNT_BYTES,
  BlobFormatError,
  type BlobPlaintext,
  CONTRACT_BIT,
  PART,
  PLAINTEXT_VERSION,
} from './plaintext.ts'

/**
 * The only encoding of a plaintext, without padding: big-endian, every list and text preceded by
 * its length.
 *
 * Throws a BlobFormatError for what it can't hold: more than 65,535 entries, texts that are not
 * well-formed, amounts that don't match the recipients.
 */
export function encodePlaintext(contents: BlobPlaintext): Uint8Array {
  const { recipients, amounts, registered, metadata, viewers, signature, intentId } = contents
  if (recipients.length !== amounts.length)
    throw new BlobFormatError('an amount for each recipient')
  return concat([
    Uint8Array.of(PLAINTEXT_VERSION, partsOf(contents)),
    unsigned(contents.sourceChainId, 8),
    fixed(contents.bridge, 20),
    fixed(contents.user, 20),
    fixed(contents.paramsHash, 32),
    unsigned(contents.n, 8),
    ...(intentId === undefined ? [] : [integer(intentId)]),
    unsigned(contents.createdAt, 4),
    ...list(recipients, (recipient, i) =>
      concat([fixed(recipient, 20), unsigned(amounts[i]!, AMOUNT_BYTES)]),
    ),
    fixed(contents.salt, 32),
    ...(metadata === undefined ? [] : entries(metadata)),
    ...(viewers === undefined ? [] : list(viewers, (viewer) => fixed(viewer, 20))),
    ...(signature === undefined ? [] : [fixed(signature, 65)]),
    ...(registered.length === 0 ? [] : positions(contents)),
  ])
}

function partsOf(contents: BlobPlaintext): number {
  const names = Object.keys(PART) as (keyof typeof PART)[]
  const has = (name: keyof typeof PART) =>
    name === 'registered' ? contents.registered.length > 0 : contents[name] !== undefined
  return names.reduce((bits, name) => (has(name) ? bits | PART[name] : bits), 0)
}

function positions({ registered, recipients }: BlobPlaintext): Uint8Array[] {
  for (const [i, { position }] of registered.entries()) {
    const isNext = i === 0 || position > registered[i - 1]!.position
    if (!isNext || position >= recipients.length || position >= CONTRACT_BIT) {
      throw new BlobFormatError('a position is out of order')
    }
  }
  return list(registered, ({ position, isContract }) =>
    unsigned(isContract ? position | CONTRACT_BIT : position, 2),
  )
}

function list<Item>(
  items: readonly Item[],
  write: (item: Item, position: number) => Uint8Array,
): Uint8Array[] {
  return [unsigned(items.length, 2), ...items.map(write)]
}

/** Keys in the order of their UTF-16 code units, so that equal metadata makes equal bytes. */
function entries(metadata: Record<string, string>): Uint8Array[] {
  const keys = Object.keys(metadata).sort()
  return list(keys, (key) => concat([text(key), text(metadata[key]!)]))
}

function text(value: string): Uint8Array {
  if (!value.isWellFormed()) throw new BlobFormatError('a text is not well-formed')
  const bytes = stringToBytes(value)
  return concat([unsigned(bytes.length, 2), bytes])
}

/** In as few bytes as it needs, behind their number. */
function integer(value: bigint): Uint8Array {
  if (value < 0n || value >= 1n << 256n) throw new BlobFormatError('a number is out of range')
  if (value === 0n) return Uint8Array.of(0)
  const bytes = numberToBytes(value)
  return concat([Uint8Array.of(bytes.length), bytes])
}

function unsigned(value: bigint | number, size: number): Uint8Array {
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value)
  if (!isWhole || value < 0 || BigInt(value) >= 1n << BigInt(8 * size)) {
    throw new BlobFormatError('a number is out of range')
  }
  return numberToBytes(value, { size })
}

function fixed(hex: Hex, size: number): Uint8Array {
  if (hex.length !== 2 + 2 * size) throw new BlobFormatError(`a value must have ${size} bytes`)
  return hexToBytes(hex)
}
