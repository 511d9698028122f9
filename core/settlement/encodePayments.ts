import { bytesToBigInt, bytesToHex, concat, hexToBytes, numberToBytes } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { MAX_RECIPIENTS, toRecipientClass } from '../recoveryBlob/blobSize.ts'

/** First byte of the message that reveals recipients to a winner. */
const VERSION = 1

const WORD = 32
const ADDRESS_BYTES = 20

/** Whom a winner pays, and how much of tokenB, in base units. */
export type Payments = { recipients: readonly Hex[]; amounts: readonly bigint[] }

/**
 * The message that reveals recipients to a winner, before it is sealed: one word with the version and the number of
 * recipients, then one word for each, with its address and amount. Padded with zeros to the class, so that the
 * length reveals no more.
 *
 * @param recipientClass as anchored
 */
export function encodePayments(
  { recipients, amounts }: Payments,
  recipientClass: number,
): Uint8Array {
  const room = Math.max(recipientClass, toRecipientClass(recipients.length))
  const words = recipients.map((recipient, at) =>
    concat([hexToBytes(recipient), numberToBytes(amounts[at]!, { size: WORD - ADDRESS_BYTES })]),
  )
  const head = new Uint8Array(WORD)
  head.set([VERSION, recipients.length >> 8, recipients.length & 0xff])
  return concat([head, ...words, new Uint8Array((room - recipients.length) * WORD)])
}

/**
 * Decodes the recipients revealed to a winner from the decrypted message.
 *
 * @throws RangeError if the bytes aren't a list of recipients
 */
export function decodePayments(bytes: Uint8Array): { recipients: Hex[]; amounts: bigint[] } {
  const count = ((bytes[1] ?? 0) << 8) | (bytes[2] ?? 0)
  const isSound = bytes[0] === VERSION && count >= 1 && count <= MAX_RECIPIENTS
  if (!isSound || bytes.length % WORD !== 0 || bytes.length < (count + 1) * WORD) {
    throw new RangeError('not a list of recipients')
  }
  const words = Array.from({ length: count }, (_, at) =>
    bytes.subarray((at + 1) * WORD, (at + 2) * WORD),
  )
  return {
    recipients: words.map((word) => bytesToHex(word.subarray(0, ADDRESS_BYTES))),
    amounts: words.map((word) => bytesToBigInt(word.subarray(ADDRESS_BYTES))),
  }
}
