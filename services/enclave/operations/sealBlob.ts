import { randomBytes } from 'node:crypto'
import { encodePlaintext } from '../../../core/blob/encodePlaintext.ts'
import { joinBlob } from '../../../core/blob/layout.ts'
import { blocksFor, paddedBytes, padPlaintext } from '../../../core/blob/padPlaintext.ts'
import { checkContents } from '../bundle/parseBundle.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import type { Room } from '../room.ts'

/** Most blocks of a blob: 32 KiB of calldata, more than the largest bundle takes. */
const MAX_BLOCKS = 64

/** Seals a recovery blob to the current key. */
export function sealBlob(
  { keyring, ecies }: Room,
  { maxBlocks = MAX_BLOCKS, ...contents }: CheckedRequest<'sealBlob'>,
): ResponseOf<'sealBlob'> {
  checkContents(contents)
  if (contents.shielded?.some(({ position }) => position >= contents.recipients.length)) {
    throw new EnclaveError('RECIPIENTS_INVALID', 'shielded')
  }
  const plaintext = encodePlaintext(contents)
  const blocks = blocksFor(plaintext.length)
  if (blocks > maxBlocks) throw new EnclaveError('BLOB_TOO_LARGE')
  const padded = padPlaintext(plaintext, randomBytes(paddedBytes(blocks)))
  const { id: keyId, publicKey } = keyring.current
  const sealed = Buffer.from(ecies.encrypt(publicKey, padded)).toString('hex')
  return { blob: joinBlob({ keyId, ciphertext: `0x${sealed}` }) }
}
