import type { Hex } from '../../src/event/bridgeEvent.ts'
import {
  BlobFormatError,
  type BlobPlaintext,
  KNOWN_PARTS,
  ORIGINS,
  PART,
  PLAINTEXT_VERSION,
} from './plaintext.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads what `encodePlaintext` wrote, and nothing else: bytes have one meaning, and a meaning one
 * way to be written. Throws a BlobFormatError, whatever the bytes are.
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
    ...(parts & PART.intentId && { intentId: integer(reader) }),
    createdAt: safeInteger(reader),
    origin: origin(reader),
    ...payments(reader),
    ...(parts & PART.metadata && { metadata: metadata(reader) }),
    ...(parts & PART.viewers && { viewers: list(reader, () => fixed(reader, 20)) }),
    ...(parts & PART.ciphertext && {
      ciphertext: { digest: fixed(reader, 32), ephemeralKeyDigest: fixed(reader, 32) },
    }),
    ...(parts & PART.shielded && {
      shielded: list(reader, () => {
        const position = uint16(reader)
        const index = uint16(reader)
        return { position, wallet: fixed(reader, 20), index }
      }),
    }),
  }
  if (reader.at !== bytes.length) throw new BlobFormatError('bytes are left over')
  return contents
}

type Reader = { bytes: Buffer; at: number }

/** Goes on by so many bytes. @returns where they begin */
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
  return (byte(reader) << 8) | byte(reader)
}

function fixed(reader: Reader, size: number): Hex {
  const begin = pass(reader, size)
  return `0x${reader.bytes.toString('hex', begin, begin + size)}`
}

/** Bytes of a number that a JavaScript number holds, and that is read as one: sooner. */
const SMALL = 6

function integer(reader: Reader): bigint {
  const size = byte(reader)
  if (size === 0) return 0n
  if (size > 32) throw new BlobFormatError('a number is too long')
  const { bytes } = reader
  const begin = pass(reader, size)
  if (bytes[begin] === 0) throw new BlobFormatError('a number begins with zero')
  return size <= SMALL
    ? BigInt(bytes.readUIntBE(begin, size))
    : BigInt(`0x${bytes.toString('hex', begin, begin + size)}`)
}

function safeInteger(reader: Reader): number {
  const value = integer(reader)
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new BlobFormatError('a number is too large')
  return Number(value)
}

function origin(reader: Reader): BlobPlaintext['origin'] {
  const found = ORIGINS[byte(reader)]
  if (found === undefined) throw new BlobFormatError('an origin that has no meaning')
  return found
}

function list<Item>(reader: Reader, read: () => Item): Item[] {
  const size = uint16(reader)
  const items: Item[] = []
  // Not Array.from({ length }): a count that lies must not allocate anything.
  while (items.length < size) items.push(read())
  return items
}

function payments(reader: Reader): Pick<BlobPlaintext, 'recipients' | 'amounts'> {
  const recipients: Hex[] = []
  const amounts: bigint[] = []
  for (let left = uint16(reader); left > 0; left--) {
    recipients.push(fixed(reader, 20))
    amounts.push(integer(reader))
  }
  return { recipients, amounts }
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
