/** The threads of `createDecryptionPool`. */
import { parentPort, workerData } from 'node:worker_threads'
import { loadEcies } from '../ecies/loadEcies.ts'
import { openKeyring } from '../keys/keyring.ts'
import type { Roots } from '../keys/rootFile.ts'
import type { BlobProblem } from '../operationSchemas.ts'
import type { DecryptionAnswer, DecryptionTask } from './decryptionPool.ts'
import { packBytes, unpackBytes } from './packedBytes.ts'
import { unsealBlob } from './unsealBlob.ts'

const { roots } = workerData as { roots: Roots }
const context = { keyring: openKeyring(roots), ecies: await loadEcies() }
const NOTHING = new Uint8Array()

parentPort?.on('message', ({ id, blobs }: DecryptionTask) => {
  const problems = new Map<number, BlobProblem>()
  const plaintexts = packBytes(
    unpackBytes(blobs).map((blob, at) => {
      const unsealed = unsealBlob(context, blob)
      if (typeof unsealed !== 'string') return unsealed
      problems.set(at, unsealed)
      return NOTHING
    }),
  )
  const answer: DecryptionAnswer = { id, plaintexts, problems }
  parentPort?.postMessage(answer, [plaintexts.bytes.buffer])
})
