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
} from './plaintextFormat.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads only what `encodePlaintext` writes, so bytes and meaning correspond one to one.
 *
 * @throws BlobFormatError for anything else
 */
export function decodePlaintext(plaintext: Uint8Array): BlobPlaintext {
  const bytes = Buffer.from(plaintext.buffer, plaintext.byteOffset, plaintext.length)
  const reader = { bytes, at: 0 }
  if (readByte(reader) !== PLAINTEXT_VERSION) throw new BlobFormatError('unknown version')
  const parts = readByte(reader)
  if ((parts & ~KNOWN_PARTS) !== 0) throw new BlobFormatError('unknown parts')
  const contents: BlobPlaintext = {
    sourceChainId: readSafeInteger(reader),
    bridge: readHex(reader, 20),
    user: readHex(reader, 20),
    paramsHash: readHex(reader, 32),
    n: readSafeInteger(reader),
    ...(parts & PART.intentId && { intentId: readBigint(reader) }),
    createdAt: bytes.readUInt32BE(skip(reader, 4)),
    ...readPayments(reader),
    salt: readHex(reader, 32),
    ...(parts & PART.metadata && { metadata: readMetadata(reader) }),
    ...(parts & PART.viewers && { viewers: readList(reader, () => readHex(reader, 20)) }),
    ...(parts & PART.signature && { signature: readHex(reader, 65) }),
    registered: [],
  }
  if (parts & PART.registered)
    contents.registered = readRegistered(reader, contents.recipients.length)
  if (reader.at !== bytes.length) throw new BlobFormatError('trailing bytes')
  return contents
}

type Reader = { bytes: Buffer; at: number }

/** Skips this many bytes. @returns where they begin */
function skip(reader: Reader, size: number): number {
  const begin = reader.at
  if (begin + size > reader.bytes.length) throw new BlobFormatError('truncated')
  reader.at = begin + size
  return begin
}

function readByte(reader: Reader): number {
  return reader.bytes[skip(reader, 1)]!
}

function readUint16(reader: Reader): number {
  return reader.bytes.readUInt16BE(skip(reader, 2))
}

function readHex(reader: Reader, size: number): Hex {
  const begin = skip(reader, size)
  return `0x${reader.bytes.toString('hex', begin, begin + size)}`
}

/** An integer of up to 32 bytes, after its length. */
function readBigint(reader: Reader): bigint {
  const size = readByte(reader)
  if (size === 0) return 0n
  if (size > 32) throw new BlobFormatError('a number is too long')
  const begin = skip(reader, size)
  if (reader.bytes[begin] === 0) throw new BlobFormatError('a number begins with zero')
  return BigInt(`0x${reader.bytes.toString('hex', begin, begin + size)}`)
}

/** An 8-byte integer that a JavaScript number can hold. */
function readSafeInteger(reader: Reader): number {
  const begin = skip(reader, 8)
  const high = reader.bytes.readUInt32BE(begin)
  if (high >= 1 << 21) throw new BlobFormatError('a number is too large')
  return high * 2 ** 32 + reader.bytes.readUInt32BE(begin + 4)
}

function readList<Item>(reader: Reader, read: () => Item): Item[] {
  const size = readUint16(reader)
  const items: Item[] = []
  // Not Array.from({ length }), because a forged count must not allocate anything.
  while (items.length < size) items.push(read())
  return items
}

function readPayments(reader: Reader): Pick<BlobPlaintext, 'recipients' | 'amounts'> {
  const recipients: Hex[] = []
  const amounts: bigint[] = []
  for (let left = readUint16(reader); left > 0; left--) {
    recipients.push(readHex(reader, 20))
    amounts.push(BigInt(readHex(reader, AMOUNT_BYTES)))
  }
  return { recipients, amounts }
}

function readRegistered(reader: Reader, recipients: number): RegisteredRecipient[] {
  const found = readList(reader, () => {
    const entry = readUint16(reader)
    return { position: entry & ~CONTRACT_BIT, isContract: (entry & CONTRACT_BIT) !== 0 }
  })
  if (found.length === 0) throw new BlobFormatError('an empty part')
  for (const [i, { position }] of found.entries()) {
    const isNext = i === 0 || position > found[i - 1]!.position
    if (!isNext || position >= recipients) throw new BlobFormatError('a position is out of order')
  }
  return found
}

function readMetadata(reader: Reader): Record<string, string> {
  const pairs = readList(reader, () => [readText(reader), readText(reader)] as const)
  for (const [i, [key]] of pairs.entries()) {
    if (i > 0 && key <= pairs[i - 1]![0]) throw new BlobFormatError('keys are out of order')
  }
  return Object.fromEntries(pairs)
}

function readText(reader: Reader): string {
  const size = readUint16(reader)
  const begin = skip(reader, size)
  try {
    return utf8.decode(reader.bytes.subarray(begin, begin + size))
  } catch {
    throw new BlobFormatError('a text is not UTF-8')
  }
}
