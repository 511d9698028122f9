import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../config/operatorError.ts'

/**
 * Storage that only this program on this machine can read again. In a TEE: sealed to the measurement. Names are short
 * words.
 */
export type SealedStorage = {
  /** Null before the first write. */
  read(name: string): Promise<Uint8Array | null>
  /** Atomic, even if the machine stops meanwhile. */
  write(name: string, bytes: Uint8Array): Promise<void>
}

/** The stored bytes are unusable. The message reveals nothing of them. */
export class SealedStorageError extends OperatorError {
  override readonly name = 'SealedStorageError'
}

/** For development: files of mode 0600 in a directory of mode 0700. Only the system's permissions protect them. */
export function createFileStorage(directory: string): SealedStorage {
  return {
    async read(name) {
      const path = join(directory, name)
      const mode = statSync(path, { throwIfNoEntry: false })?.mode
      if (mode === undefined) return null
      if ((mode & 0o077) !== 0 && process.platform !== 'win32') {
        throw new SealedStorageError(
          `others on this machine can read ${path}: rotate the key in it, treat it as known to them, and run chmod 600 on the file`,
        )
      }
      return readFileSync(path)
    },
    async write(name, bytes) {
      const path = join(directory, name)
      const draft = `${path}.${process.pid}.new`
      try {
        mkdirSync(directory, { recursive: true, mode: 0o700 })
        writeFileSync(draft, bytes, { mode: 0o600, flush: true })
        if (process.platform !== 'win32') chmodSync(draft, 0o600)
        renameSync(draft, path)
      } catch (error) {
        // What keeps it from being written may keep it from being removed.
        await rm(draft, { force: true }).catch(() => {})
        const { code } = error as NodeJS.ErrnoException
        throw new SealedStorageError(
          `${path} can't be written (${code}): check the disk, and its folder's owner and mode, or name a writable folder in ENCLAVE_KEY_FOLDER`,
        )
      }
    },
  }
}

/** For tests, and where no key needs to outlive the process. */
export function createMemoryStorage(): SealedStorage {
  const kept = new Map<string, Uint8Array>()
  return {
    read: async (name) => kept.get(name) ?? null,
    async write(name, bytes) {
      kept.set(name, Uint8Array.from(bytes))
    },
  }
}
