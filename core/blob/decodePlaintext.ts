import type { Hex } from '../../src/event/bridgeEvent.ts'
import {
  AMOUNT_BYTES,
  BlobFormatError,
  type BlobPlaintext,
  CONTRACT_BIT,
  KNOWN_PARTS,
  PART,
  PLAINTEXT_VERSION,
  type RegisteredRecipient,
} from './plaintext.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads only what `encodePlaintext` writes: bytes have one meaning, and a meaning has one encoding.
 * Throws a BlobFormatError, whatever the bytes are.
 */
export function decodePlaintext(plaintext: Uint8Array): BlobPlaintext {
  const bytes = Buffer.from(plaintext.buffer, plaintext.byteOffset, plaintext.length)
  const reader = { bytes, at: 0 }
  if (byte(reader) !== PLAINTEXT_VERSION) throw new BlobFormatError('another version')
  const parts = byte(reader)
  if ((parts & ~KNOWN_PARTS) !== 0) throw new BlobFormatError('a part that has no meaning')
  const contents: BlobPlaintext = {
    sourceChainId: safeInteger(reader),
    bridge: fixed(reader, 20),
    user: fixed(reader, 20),
    paramsHash: fixed(reader, 32),
    n: safeInteger(reader),
    ...(parts & PART.intentId && { intentId: integer(reader) }),
    createdAt: bytes.readUInt32BE(pass(reader, 4)),
    ...payments(reader),
    salt: fixed(reader, 32),
    ...(parts & PART.metadata && { metadata: metadata(reader) }),
    ...(parts & PART.viewers && { viewers: list(reader, () => fixed(reader, 20)) }),
    ...(parts & PART.signature && { signature: fixed(reader, 65) }),
    registered: [],
  }
  if (parts & PART.registered) contents.registered = registered(reader, contents.recipients.length)
  if (reader.at !== bytes.length) throw new BlobFormatError('bytes are left over')
  return contents
}

type Reader = { bytes: Buffer; at: number }

/** Skips so many bytes. @returns where they begin */
function pass(reader: Reader, size: number): number {
  const begin = reader.at
  if (begin + size > reader.bytes.length) throw new BlobFormatError('it ends too early')
  reader.at = begin + size
  return begin
}

function byte(reader: Reader): number {
  return reader.bytes[pass(reader, 1)]!
}

function uint16(reader: Reader): number {
  return reader.bytes.readUInt16BE(pass(reader, 2))
}

function fixed(reader: Reader, size: number): Hex {
  const begin = pass(reader, size)
  return `0x${reader.bytes.toString('hex', begin, begin + size)}`
}

/** A number of up to 32 bytes, behind their number. */
function integer(reader: Reader): bigint {
  const size = byte(reader)
  if (size === 0) return 0n
  if (size > 32) throw new BlobFormatError('a number is too long')
  const begin = pass(reader, size)
  if (reader.bytes[begin] === 0) throw new BlobFormatError('a number begins with zero')
  return BigInt(`0x${reader.bytes.toString('hex', begin, begin + size)}`)
}

/** A number of 8 bytes that a JavaScript number holds. */
function safeInteger(reader: Reader): number {
  const begin = pass(reader, 8)
  const high = reader.bytes.readUInt32BE(begin)
  if (high >= 1 << 21) throw new BlobFormatError('a number is too large')
  return high * 2 ** 32 + reader.bytes.readUInt32BE(begin + 4)
}

function list<Item>(reader: Reader, read: () => Item): Item[] {
  const size = uint16(reader)
  const items: Item[] = []
  // Not Array.from({ length }): a false count must not allocate anything.
  while (items.length < size) items.push(read())
  return items
}

function payments(reader: Reader): Pick<BlobPlaintext, 'recipients' | 'amounts'> {
  const recipients: Hex[] = []
  const amounts: bigint[] = []
  for (let left = uint16(reader); left > 0; left--) {
    recipients.push(fixed(reader, 20))
    amounts.push(BigInt(fixed(reader, AMOUNT_BYTES)))
  }
  return { recipients, amounts }
}

function registered(reader: Reader, recipients: number): RegisteredRecipient[] {
  const found = list(reader, () => {
    const entry = uint16(reader)
    return { position: entry & ~CONTRACT_BIT, isContract: (entry & CONTRACT_BIT) !== 0 }
  })
  if (found.length === 0) throw new BlobFormatError('a part that is empty')
  for (const [i, { position }] of found.entries()) {
    const isNext = i === 0 || position > found[i - 1]!.position
    if (!isNext || position >= recipients) throw new BlobFormatError('a position is out of order')
  }
  return found
}

function metadata(reader: Reader): Record<string, string> {
  const pairs = list(reader, () => [text(reader), text(reader)] as const)
  for (const [i, [key]] of pairs.entries()) {
    if (i > 0 && key <= pairs[i - 1]![0]) throw new BlobFormatError('keys are out of order')
  }
  return Object.fromEntries(pairs)
}

function text(reader: Reader): string {
  const size = uint16(reader)
  const begin = pass(reader, size)
  try {
    return utf8.decode(reader.bytes.subarray(begin, begin + size))
  } catch {
    throw new BlobFormatError('a text is not UTF-8')
  }
}
