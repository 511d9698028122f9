import { concat, hexToBytes, numberToBytes, stringToBytes } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import {
  AMOUNT_BYTES,
  BlobFormatError,
  type BlobPlaintext,
  CONTRACT_BIT,
  PART,
  PLAINTEXT_VERSION,
} from './plaintextFormat.ts'

/**
 * The only encoding of a plaintext, without padding: big-endian, with each list and text after its length.
 *
 * @throws BlobFormatError for more than 65,535 entries, malformed text, or amounts that don't match the recipients
 */
export function encodePlaintext(contents: BlobPlaintext): Uint8Array {
  const { recipients, amounts, registered, metadata, viewers, signature, intentId } = contents
  if (recipients.length !== amounts.length)
    throw new BlobFormatError('an amount for each recipient')
  return concat([
    Uint8Array.of(PLAINTEXT_VERSION, encodeParts(contents)),
    encodeUnsigned(contents.sourceChainId, 8),
    encodeHex(contents.bridge, 20),
    encodeHex(contents.user, 20),
    encodeHex(contents.paramsHash, 32),
    encodeUnsigned(contents.n, 8),
    ...(intentId === undefined ? [] : [encodeBigint(intentId)]),
    encodeUnsigned(contents.createdAt, 4),
    ...encodeList(recipients, (recipient, i) =>
      concat([encodeHex(recipient, 20), encodeUnsigned(amounts[i]!, AMOUNT_BYTES)]),
    ),
    encodeHex(contents.salt, 32),
    ...(metadata === undefined ? [] : encodeMetadata(metadata)),
    ...(viewers === undefined ? [] : encodeList(viewers, (viewer) => encodeHex(viewer, 20))),
    ...(signature === undefined ? [] : [encodeHex(signature, 65)]),
    ...(registered.length === 0 ? [] : encodeRegistered(contents)),
  ])
}

function encodeParts(contents: BlobPlaintext): number {
  const names = Object.keys(PART) as (keyof typeof PART)[]
  const has = (name: keyof typeof PART) =>
    name === 'registered' ? contents.registered.length > 0 : contents[name] !== undefined
  return names.reduce((bits, name) => (has(name) ? bits | PART[name] : bits), 0)
}

function encodeRegistered({ registered, recipients }: BlobPlaintext): Uint8Array[] {
  for (const [i, { position }] of registered.entries()) {
    const isNext = i === 0 || position > registered[i - 1]!.position
    if (!isNext || position >= recipients.length || position >= CONTRACT_BIT) {
      throw new BlobFormatError('a position is out of order')
    }
  }
  return encodeList(registered, ({ position, isContract }) =>
    encodeUnsigned(isContract ? position | CONTRACT_BIT : position, 2),
  )
}

function encodeList<Item>(
  items: readonly Item[],
  write: (item: Item, position: number) => Uint8Array,
): Uint8Array[] {
  return [encodeUnsigned(items.length, 2), ...items.map(write)]
}

/** Keys sorted by UTF-16 code units, so that equal metadata gives equal bytes. */
function encodeMetadata(metadata: Record<string, string>): Uint8Array[] {
  const keys = Object.keys(metadata).sort()
  return encodeList(keys, (key) => concat([encodeText(key), encodeText(metadata[key]!)]))
}

function encodeText(value: string): Uint8Array {
  if (!value.isWellFormed()) throw new BlobFormatError('a text is not well-formed')
  const bytes = stringToBytes(value)
  return concat([encodeUnsigned(bytes.length, 2), bytes])
}

/** In as few bytes as possible, after their number. */
function encodeBigint(value: bigint): Uint8Array {
  if (value < 0n || value >= 1n << 256n) throw new BlobFormatError('a number is out of range')
  if (value === 0n) return Uint8Array.of(0)
  const bytes = numberToBytes(value)
  return concat([Uint8Array.of(bytes.length), bytes])
}

function encodeUnsigned(value: bigint | number, size: number): Uint8Array {
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value)
  if (!isWhole || value < 0 || BigInt(value) >= 1n << BigInt(8 * size)) {
    throw new BlobFormatError('a number is out of range')
  }
  return numberToBytes(value, { size })
}

function encodeHex(hex: Hex, size: number): Uint8Array {
  if (hex.length !== 2 + 2 * size) throw new BlobFormatError(`a value must have ${size} bytes`)
  return hexToBytes(hex)
}
