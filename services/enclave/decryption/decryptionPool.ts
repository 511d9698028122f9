import { Worker } from 'node:worker_threads'
import { EnclaveError } from '../enclaveError.ts'
import type { Roots } from '../keys/rootFile.ts'
import type { BlobProblem } from '../operationSchemas.ts'
import { type Packed, packBytes, unpackBytes } from './packedBytes.ts'

/** A blob's padded plaintext, or why there is none. */
type Unsealed = Uint8Array | BlobProblem

/** Decrypts blobs in several threads. */
export type DecryptionPool = {
  /** Answers in the order of the blobs. Rejects with an EnclaveError when a thread fails. */
  unseal(blobs: readonly Uint8Array[]): Promise<Unsealed[]>
  close(): Promise<void>
}

/** A thread's messages: bytes are transferred, and failures are listed by position. */
export type DecryptionTask = { id: number; blobs: Packed }
export type DecryptionAnswer = {
  id: number
  plaintexts: Packed
  problems: ReadonlyMap<number, BlobProblem>
}

/** Fewer blobs than this aren't worth another thread. */
export const MIN_SHARED_BLOBS = 32

/**
 * Starts threads of this process that decrypt blobs: nearly all of the time goes into the curve, so each thread uses a
 * core. They know the roots, and are as much inside the enclave as the thread that started them. Idle threads don't
 * keep the process alive.
 */
export function createDecryptionPool(roots: Roots, threads: number): DecryptionPool {
  const workers = Array.from({ length: threads }, () => startThread(roots))
  return {
    async unseal(blobs) {
      const size = Math.ceil(blobs.length / workers.length)
      const shares = workers.map((worker, at) => {
        const share = blobs.slice(at * size, (at + 1) * size)
        return share.length === 0 ? [] : worker.unseal(share)
      })
      return (await Promise.all(shares)).flat()
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.end()))
    },
  }
}

function startThread(roots: Roots) {
  const thread = new Worker(new URL('decryptionThread.ts', import.meta.url), {
    workerData: { roots },
    // Without this process's environment and command line.
    env: {},
    argv: [],
  })
  const waiting = new Map<
    number,
    { resolve(unsealed: Unsealed[]): void; reject(error: Error): void }
  >()
  let lastId = 0
  let isDead = false
  thread.unref()
  thread.on('message', ({ id, plaintexts, problems }: DecryptionAnswer) => {
    waiting.get(id)?.resolve(unpackBytes(plaintexts).map((one, at) => problems.get(at) ?? one))
    waiting.delete(id)
    if (waiting.size === 0) thread.unref()
  })
  const fail = () => {
    isDead = true
    for (const { reject } of waiting.values()) reject(new EnclaveError('ENCLAVE_FAILED'))
    waiting.clear()
  }
  thread.on('error', fail)
  thread.on('exit', fail)
  return {
    unseal(blobs: readonly Uint8Array[]): Promise<Unsealed[]> {
      if (isDead) return Promise.reject(new EnclaveError('ENCLAVE_FAILED'))
      return new Promise((resolve, reject) => {
        const id = ++lastId
        waiting.set(id, { resolve, reject })
        thread.ref()
        const task: DecryptionTask = { id, blobs: packBytes(blobs) }
        thread.postMessage(task, [task.blobs.bytes.buffer])
      })
    },
    end: () => thread.terminate(),
  }
}
