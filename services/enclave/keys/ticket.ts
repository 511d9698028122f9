import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { bytesToHex, hexToBytes } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { deriveSecret, SECRET_PURPOSE } from './deriveSecret.ts'
import type { StealthDelivery } from './recipientKeys.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const PLAIN_BYTES = 20 + 8 + 8 + 32 + 2

/**
 * A delivery sealed by the enclave for itself (AES-256-GCM), to be kept where wallets must not be read.
 *
 * @param root the one that the delivery's keys come from
 */
export function sealTicket(root: Uint8Array, delivery: StealthDelivery): Hex {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', deriveSecret(root, SECRET_PURPOSE.ticket), nonce)
  const sealed = Buffer.concat([cipher.update(encode(delivery)), cipher.final()])
  return bytesToHex(Buffer.concat([nonce, cipher.getAuthTag(), sealed]))
}

/** The delivery of a ticket, and the root that it is of; null for what the enclave didn't seal. */
export function openTicket(
  roots: readonly Uint8Array[],
  ticket: Hex,
): { root: Uint8Array; delivery: StealthDelivery } | null {
  const bytes = Buffer.from(hexToBytes(ticket))
  if (bytes.length !== NONCE_BYTES + TAG_BYTES + PLAIN_BYTES) return null
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const sealed = bytes.subarray(NONCE_BYTES + TAG_BYTES)
  for (const root of roots) {
    const key = deriveSecret(root, SECRET_PURPOSE.ticket)
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAuthTag(tag)
    try {
      const plain = Buffer.concat([decipher.update(sealed), decipher.final()])
      return { root, delivery: decode(plain) }
    } catch {
      // Of another root, or of nobody's.
    }
  }
  return null
}

/** Of one length, so that a ticket tells nothing by its own. */
function encode({
  recipientAddress,
  contractOn = 0,
  chainId,
  intentId,
  index = 0,
}: StealthDelivery): Buffer {
  const plain = Buffer.alloc(PLAIN_BYTES)
  plain.write(recipientAddress.slice(2), 0, 'hex')
  plain.writeBigUInt64BE(BigInt(contractOn), 20)
  plain.writeBigUInt64BE(BigInt(chainId), 28)
  plain.write(intentId.toString(16).padStart(64, '0'), 36, 'hex')
  plain.writeUInt16BE(index, 68)
  return plain
}

function decode(plain: Buffer): StealthDelivery {
  const contractOn = Number(plain.readBigUInt64BE(20))
  return {
    recipientAddress: `0x${plain.toString('hex', 0, 20)}`,
    contractOn: contractOn === 0 ? undefined : contractOn,
    chainId: Number(plain.readBigUInt64BE(28)),
    intentId: BigInt(`0x${plain.toString('hex', 36, 68)}`),
    index: plain.readUInt16BE(68),
  }
}
