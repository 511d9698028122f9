import { createHash } from 'node:crypto'
import { hexToBytes } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { parseRecipientBundle } from '../bundle/parseRecipientBundle.ts'
import { EPHEMERAL_KEY_BYTES } from '../ecies/eciesInterface.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { Handler, OperationContext } from '../operationContext.ts'

/** Opens a sender's ciphertext with the key that it was encrypted to, trying the current one first. */
export const openBundle: Handler<'openBundle'> = (context, request) => {
  const ciphertext = hexToBytes(request.ciphertext)
  const mustBeNamed = context.chains.get(request.sourceChainId)?.mode === 'strict'
  const plaintext = decryptWithAny(context, ciphertext)
  const bundle = parseRecipientBundle(plaintext, { ...request, mustBeNamed })
  const digest = sha256(ciphertext)
  const ephemeralKeyDigest = sha256(ciphertext.subarray(0, EPHEMERAL_KEY_BYTES))
  return { ...bundle, ciphertext: { digest, ephemeralKeyDigest } }
}

function decryptWithAny({ keyring, ecies }: OperationContext, ciphertext: Uint8Array): Uint8Array {
  for (const { privateKey } of keyring.byId.values()) {
    try {
      return ecies.decrypt(privateKey, ciphertext)
    } catch {
      // Encrypted to another of our keys, or to none.
    }
  }
  throw new EnclaveError('DECRYPTION_FAILED')
}

function sha256(bytes: Uint8Array): Hex {
  return `0x${createHash('sha256').update(bytes).digest('hex')}`
}
