import { bytesToHex } from 'viem'
import type { Hex } from '../event/bridgeEvent.ts'
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
export function decodePlaintext(bytes: Uint8Array): BlobPlaintext {
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

type Reader = { bytes: Uint8Array; at: number }

function take(reader: Reader, size: number): Uint8Array {
  const end = reader.at + size
  if (end > reader.bytes.length) throw new BlobFormatError('it ends too early')
  const part = reader.bytes.subarray(reader.at, end)
  reader.at = end
  return part
}

function byte(reader: Reader): number {
  return take(reader, 1)[0]!
}

function uint16(reader: Reader): number {
  return (byte(reader) << 8) | byte(reader)
}

function fixed(reader: Reader, size: number): Hex {
  return bytesToHex(take(reader, size))
}

function integer(reader: Reader): bigint {
  const size = byte(reader)
  if (size === 0) return 0n
  if (size > 32) throw new BlobFormatError('a number is too long')
  const bytes = take(reader, size)
  if (bytes[0] === 0) throw new BlobFormatError('a number begins with zero')
  return BigInt(bytesToHex(bytes))
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
  const bytes = take(reader, uint16(reader))
  try {
    return utf8.decode(bytes)
  } catch {
    throw new BlobFormatError('a text is not UTF-8')
  }
}
