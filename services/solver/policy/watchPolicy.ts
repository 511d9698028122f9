import { statSync } from 'node:fs'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { ConfigurationError } from '../../config/configurationError.ts'
import { parseJsonFile } from '../../config/parseJsonFile.ts'
import type { Policy } from './policy.ts'
import { resolvePolicyFile } from './resolvePolicyFile.ts'

/**
 * Returns the policy of a file, and reloads the file when it has changed, since prices move. A file that
 * is invalid, gone or unreadable leaves the previous policy in force.
 *
 * @param onRead called after each reload with the file's problem, null if there is none
 * @throws ConfigurationError when the first read fails
 */
export function watchPolicy(
  path: string,
  chains: readonly ChainConfig[],
  onRead: (problem: string | null) => void,
): () => Policy {
  let version = versionOf(path)
  let policy = readPolicy(path, chains)
  let { writtenAt } = version
  let readAt = performance.now()
  let isFromBefore = false
  return () => {
    const current = versionOf(path)
    if (current.id !== version.id) {
      version = current
      try {
        policy = readPolicy(path, chains)
        writtenAt = current.writtenAt
        readAt = performance.now()
        isFromBefore = false
        onRead(null)
      } catch (error) {
        isFromBefore = true
        onRead(error instanceof Error ? error.message : String(error))
      }
    }
    const { maxAgeMs } = policy
    // If the clock was set back since, the file seems younger than it is.
    const ageMs = Math.max(Date.now() - writtenAt, performance.now() - readAt)
    return { ...policy, isStale: maxAgeMs !== null && ageMs > maxAgeMs, isFromBefore }
  }
}

/** A version of the file. `writtenAt`: when its content was written, in unix milliseconds. */
type Version = { id: string; writtenAt: number }

function versionOf(path: string): Version {
  try {
    // `ctimeMs` changes with the file's mode: a file that couldn't be read is read again once it can be.
    const { mtimeMs, ctimeMs, size, ino } = statSync(path)
    return { id: `${mtimeMs}/${ctimeMs}/${size}/${ino}`, writtenAt: mtimeMs }
  } catch (error) {
    return { id: String((error as NodeJS.ErrnoException).code), writtenAt: 0 }
  }
}

function readPolicy(path: string, chains: readonly ChainConfig[]): Policy {
  const problems: string[] = []
  const found = parseJsonFile('SOLVER_POLICY', path, problems)
  if (problems.length > 0) throw new ConfigurationError(problems)
  return resolvePolicyFile(found, chains, path)
}
