import { splitBlobBytes } from '../../../core/recoveryBlob/blobLayout.ts'
import type { OperationContext } from '../operationContext.ts'
import type { BlobProblem } from '../operationSchemas.ts'

/** Decrypts a blob: returns its padded plaintext, or why there is none. */
export function unsealBlob(
  { keyring, ecies }: Pick<OperationContext, 'keyring' | 'ecies'>,
  blob: Uint8Array,
): Uint8Array | BlobProblem {
  const parts = splitBlobBytes(blob)
  if (parts === null) return 'NOT_A_BLOB'
  const key = keyring.byId.get(parts.keyId)
  if (key === undefined) return 'UNKNOWN_KEY'
  try {
    return ecies.decrypt(key.privateKey, parts.ciphertext)
  } catch {
    return 'NOT_DECRYPTABLE'
  }
}
