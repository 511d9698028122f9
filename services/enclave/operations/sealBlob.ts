import { randomBytes } from 'node:crypto'
import { joinBlob, MAX_BLOCKS } from '../../../core/recoveryBlob/blobLayout.ts'
import {
  countSealedBlocks,
  roundUpBlocks,
  toRecipientClass,
} from '../../../core/recoveryBlob/blobSize.ts'
import { encodePlaintext } from '../../../core/recoveryBlob/encodePlaintext.ts'
import { countPaddedBytes, padPlaintext } from '../../../core/recoveryBlob/padPlaintext.ts'
import { BlobFormatError, type BlobPlaintext } from '../../../core/recoveryBlob/plaintextFormat.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { checkBundleContents } from '../bundle/parseRecipientBundle.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { SealingKey } from '../keys/keyring.ts'
import type { Handler, OperationContext } from '../operationContext.ts'

/** Seals a recovery blob to the current key. */
export const sealBlob: Handler<'sealBlob'> = (
  context,
  { recipientClass, registered = [], ...contents },
) => {
  checkBundleContents(contents)
  const size = { recipientClass: recipientClass ?? toRecipientClass(contents.recipients.length) }
  return { blob: sealContents(context, context.keyring.current, { ...contents, registered }, size) }
}

/** Seals to one of the enclave's keys, at the size of the class's largest bundle. */
export function sealContents(
  { ecies }: Pick<OperationContext, 'ecies'>,
  key: SealingKey,
  contents: BlobPlaintext,
  { recipientClass }: { recipientClass: number },
): Hex {
  const plaintext = encode(contents)
  const blocks = roundUpBlocks(plaintext.length, countSealedBlocks(recipientClass))
  if (blocks > MAX_BLOCKS) throw new EnclaveError('BLOB_TOO_LARGE')
  const padded = padPlaintext(plaintext, randomBytes(countPaddedBytes(blocks)))
  const sealed = Buffer.from(ecies.encrypt(key.publicKey, padded)).toString('hex')
  return joinBlob({ keyId: key.id, ciphertext: `0x${sealed}` })
}

function encode(contents: BlobPlaintext): Uint8Array {
  try {
    return encodePlaintext(contents)
  } catch (error) {
    if (error instanceof BlobFormatError) throw new EnclaveError('BUNDLE_MALFORMED')
    throw error
  }
}
