import { decodePlaintext } from '../../../src/blob/decodePlaintext.ts'
import { splitBlob } from '../../../src/blob/layout.ts'
import { unpadPlaintext } from '../../../src/blob/padPlaintext.ts'
import { checkContents } from '../bundle/parseBundle.ts'
import type {
  BlobBindings,
  BlobContents,
  BlobProblem,
  CheckedRequest,
  OpenedBlob,
  ResponseOf,
} from '../messages.ts'
import { WORTH_SHARING } from '../openers/createOpeners.ts'
import type { Room } from '../room.ts'

/** Opens one blob, and checks that it is of the intent whose log it was found in. */
export function openBlob(
  { keyring, ecies }: Pick<Room, 'keyring' | 'ecies'>,
  { blob, expected }: CheckedRequest<'openBlob'>,
): ResponseOf<'openBlob'> {
  const parts = splitBlob(blob)
  if (parts === null) return unusable('NOT_A_BLOB')
  const key = keyring.byId.get(parts.keyId)
  if (key === undefined) return unusable('UNKNOWN_KEY')
  let padded: Uint8Array
  try {
    padded = ecies.decrypt(key.privateKey, Buffer.from(parts.ciphertext.slice(2), 'hex'))
  } catch {
    return unusable('NOT_DECRYPTABLE')
  }
  const contents = readContents(padded)
  if (contents === null) return unusable('BAD_PLAINTEXT')
  const problem = compareBindings(contents, expected)
  return problem === null ? { ok: true, keyId: key.id, contents } : unusable(problem)
}

/** `openBlob` for many, in their order, by several threads where the enclave has them. */
export async function openBlobs(
  room: Room,
  { blobs }: CheckedRequest<'openBlobs'>,
): Promise<ResponseOf<'openBlobs'>> {
  const { openers } = room
  if (openers !== null && blobs.length >= WORTH_SHARING)
    return { opened: await openers.open(blobs) }
  return { opened: blobs.map((one) => openBlob(room, one)) }
}

/** The contents as `sealBlob` would have taken them, or null: senders make blobs too. */
function readContents(padded: Uint8Array): BlobContents | null {
  try {
    const contents = decodePlaintext(unpadPlaintext(padded))
    checkContents(contents)
    const { length } = contents.recipients
    const isSound = (contents.shielded ?? []).every(({ position }) => position < length)
    return isSound ? contents : null
  } catch {
    return null
  }
}

function compareBindings(contents: BlobContents, expected: BlobBindings): BlobProblem | null {
  if (contents.sourceChainId !== expected.sourceChainId) return 'OTHER_CHAIN'
  if (contents.bridge !== expected.bridge) return 'OTHER_BRIDGE'
  if (contents.user !== expected.user) return 'OTHER_USER'
  if (contents.paramsHash !== expected.paramsHash) return 'OTHER_PARAMS'
  const { intentId } = contents
  return intentId !== undefined && intentId !== expected.intentId ? 'OTHER_INTENT' : null
}

function unusable(reason: BlobProblem): OpenedBlob {
  return { ok: false, reason }
}
