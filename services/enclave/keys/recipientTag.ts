import { createHmac } from 'node:crypto'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { deriveSecret, SECRET_PURPOSE } from './deriveKey.ts'
import { formatIdentity, type Recipient } from './recipientStealthKeys.ts'

/** A recipient's pseudonym for places that must not contain its wallet: 32 bytes, always the same. */
export function computeRecipientTag(root: Uint8Array, recipient: Recipient): Hex {
  return keyedHash(root, SECRET_PURPOSE.recipientTag, formatIdentity(recipient))
}

/** The same for an unsigned caller. */
export function computeCallerTag(root: Uint8Array, caller: string): Hex {
  return keyedHash(root, SECRET_PURPOSE.callerTag, caller)
}

function keyedHash(root: Uint8Array, purpose: string, text: string): Hex {
  const key = deriveSecret(root, purpose)
  return `0x${createHmac('sha256', key).update(text).digest('hex')}`
}
