import { splitBlobBytes } from '../../../core/recoveryBlob/blobLayout.ts'
import { decodePlaintext } from '../../../core/recoveryBlob/decodePlaintext.ts'
import { unpadPlaintext } from '../../../core/recoveryBlob/padPlaintext.ts'
import { checkBundleContents } from '../bundle/parseRecipientBundle.ts'
import { MIN_SHARED_BLOBS } from '../decryption/decryptionPool.ts'
import { unsealBlob } from '../decryption/unsealBlob.ts'
import type { Handler, OperationContext } from '../operationContext.ts'
import type {
  BlobBindings,
  BlobContents,
  BlobProblem,
  CheckedRequest,
  OpenedBlob,
  ResponseOf,
} from '../operationSchemas.ts'

/** Opens one blob, and checks that it belongs to the intent in whose log it was found. */
export function openBlob(
  context: Pick<OperationContext, 'keyring' | 'ecies'>,
  { blob, expected }: CheckedRequest<'openBlob'>,
): ResponseOf<'openBlob'> {
  return readBlob(blob, expected, unsealBlob(context, blob))
}

/** `openBlob` for many, in order, decrypted by the enclave's threads if it has any. */
export const openBlobs: Handler<'openBlobs'> = async (context, { blobs }) => {
  const { decryptionPool } = context
  if (decryptionPool === null || blobs.length < MIN_SHARED_BLOBS) {
    return { opened: blobs.map((one) => openBlob(context, one)) }
  }
  const unsealed = await decryptionPool.unseal(blobs.map(({ blob }) => blob))
  const opened = blobs.map(({ blob, expected }, at) => readBlob(blob, expected, unsealed[at]!))
  return { opened }
}

function readBlob(
  blob: Uint8Array,
  expected: BlobBindings,
  unsealed: Uint8Array | BlobProblem,
): OpenedBlob {
  if (typeof unsealed === 'string') return refuseBlob(unsealed)
  const contents = readContents(unsealed)
  if (contents === null) return refuseBlob('BAD_PLAINTEXT')
  const problem = findBindingProblem(contents, expected)
  if (problem !== null) return refuseBlob(problem)
  return { ok: true, keyId: splitBlobBytes(blob)!.keyId, contents }
}

/** The content in `sealBlob`'s form, or null: senders create blobs too. */
function readContents(padded: Uint8Array): BlobContents | null {
  try {
    const contents = decodePlaintext(unpadPlaintext(padded))
    checkBundleContents(contents)
    return contents
  } catch {
    return null
  }
}

function findBindingProblem(contents: BlobContents, expected: BlobBindings): BlobProblem | null {
  if (contents.sourceChainId !== expected.sourceChainId) return 'OTHER_CHAIN'
  if (contents.bridge !== expected.bridge) return 'OTHER_BRIDGE'
  if (contents.user !== expected.user) return 'OTHER_USER'
  if (contents.paramsHash !== expected.paramsHash) return 'OTHER_PARAMS'
  const { intentId } = contents
  return intentId !== undefined && intentId !== expected.intentId ? 'OTHER_INTENT' : null
}

function refuseBlob(reason: BlobProblem): OpenedBlob {
  return { ok: false, reason }
}
