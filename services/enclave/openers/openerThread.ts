/** One of the threads that `createOpeners` starts. */
import { parentPort, workerData } from 'node:worker_threads'
import { loadEcies } from '../ecies/loadEcies.ts'
import { openKeyring } from '../keys/keyring.ts'
import type { Roots } from '../keys/rootFile.ts'
import { openBlob } from '../operations/openBlob.ts'
import type { OpenerAnswer, OpenerTask } from './createOpeners.ts'

const { roots } = workerData as { roots: Roots }
const room = { keyring: openKeyring(roots), ecies: await loadEcies() }

parentPort?.on('message', ({ id, blobs }: OpenerTask) => {
  const opened = blobs.map((one) => openBlob(room, one))
  parentPort?.postMessage({ id, opened } satisfies OpenerAnswer)
})
