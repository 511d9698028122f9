import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { bytesToHex, hexToBytes } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { deriveSecret, SECRET_PURPOSE } from './deriveKey.ts'
import type { Recipient, StealthDelivery } from './recipientStealthKeys.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const WALLET_BYTES = 20 + 8
const DELIVERY_BYTES = WALLET_BYTES + 8 + 32 + 2

/**
 * Seals a delivery by the enclave for itself (AES-256-GCM), for storage where wallets must not be readable.
 *
 * @param root the root that the delivery's keys derive from
 */
export function sealTicket(root: Uint8Array, delivery: StealthDelivery): Hex {
  return seal(root, SECRET_PURPOSE.ticket, encodeDelivery(delivery))
}

/** A ticket's delivery and root; null if the enclave didn't seal it. */
export function openTicket(
  roots: readonly Uint8Array[],
  ticket: Hex,
): { root: Uint8Array; delivery: StealthDelivery } | null {
  const opened = open(roots, SECRET_PURPOSE.ticket, ticket, DELIVERY_BYTES)
  return opened && { root: opened.root, delivery: decodeDelivery(opened.plain) }
}

/** Seals a registration: the enclave's note to itself that it has verified the wallet's signature. */
export function sealRegistration(root: Uint8Array, recipient: Recipient): Hex {
  return seal(root, SECRET_PURPOSE.registration, encodeWallet(recipient))
}

/** A registration's wallet; null if the enclave didn't seal it. */
export function openRegistration(roots: readonly Uint8Array[], ticket: Hex): Recipient | null {
  const opened = open(roots, SECRET_PURPOSE.registration, ticket, WALLET_BYTES)
  return opened && decodeWallet(opened.plain)
}

function seal(root: Uint8Array, purpose: string, plain: Buffer): Hex {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', deriveSecret(root, purpose), nonce)
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  return bytesToHex(Buffer.concat([nonce, cipher.getAuthTag(), sealed]))
}

function open(
  roots: readonly Uint8Array[],
  purpose: string,
  ticket: Hex,
  size: number,
): { root: Uint8Array; plain: Buffer } | null {
  const bytes = Buffer.from(hexToBytes(ticket))
  if (bytes.length !== NONCE_BYTES + TAG_BYTES + size) return null
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const sealed = bytes.subarray(NONCE_BYTES + TAG_BYTES)
  for (const root of roots) {
    const key = deriveSecret(root, purpose)
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAuthTag(tag)
    try {
      return { root, plain: Buffer.concat([decipher.update(sealed), decipher.final()]) }
    } catch {
      // Sealed under another root, or not by an enclave.
    }
  }
  return null
}

/** Fixed length, so that it reveals nothing. */
function encodeWallet({ recipientAddress, contractOn = 0 }: Recipient): Buffer {
  const plain = Buffer.alloc(WALLET_BYTES)
  plain.write(recipientAddress.slice(2), 0, 'hex')
  plain.writeBigUInt64BE(BigInt(contractOn), 20)
  return plain
}

function decodeWallet(plain: Buffer): Recipient {
  const contractOn = Number(plain.readBigUInt64BE(20))
  return {
    recipientAddress: `0x${plain.toString('hex', 0, 20)}`,
    contractOn: contractOn === 0 ? undefined : contractOn,
  }
}

function encodeDelivery({ chainId, intentId, index = 0, ...recipient }: StealthDelivery): Buffer {
  const plain = Buffer.alloc(DELIVERY_BYTES)
  encodeWallet(recipient).copy(plain)
  plain.writeBigUInt64BE(BigInt(chainId), WALLET_BYTES)
  plain.write(intentId.toString(16).padStart(64, '0'), WALLET_BYTES + 8, 'hex')
  plain.writeUInt16BE(index, WALLET_BYTES + 40)
  return plain
}

function decodeDelivery(plain: Buffer): StealthDelivery {
  return {
    ...decodeWallet(plain),
    chainId: Number(plain.readBigUInt64BE(WALLET_BYTES)),
    intentId: BigInt(`0x${plain.toString('hex', WALLET_BYTES + 8, WALLET_BYTES + 40)}`),
    index: plain.readUInt16BE(WALLET_BYTES + 40),
  }
}
