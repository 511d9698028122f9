import { readFileSync, statSync } from 'node:fs'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { ConfigurationError } from '../../config/configurationError.ts'
import type { Policy } from './policy.ts'
import { resolvePolicyFile } from './resolvePolicyFile.ts'

/**
 * Returns the policy of a file, and reloads the file when it has changed, since prices move. An invalid file leaves
 * the previous policy in force.
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
  return () => {
    const current = versionOf(path)
    if (current === version) return policy
    version = current
    try {
      policy = readPolicy(path, chains)
      onRead(null)
    } catch (error) {
      onRead(error instanceof Error ? error.message : String(error))
    }
    return policy
  }
}

function versionOf(path: string): string | null {
  const file = statSync(path, { throwIfNoEntry: false })
  return file ? `${file.mtimeMs}/${file.size}/${file.ino}` : null
}

function readPolicy(path: string, chains: readonly ChainConfig[]): Policy {
  return resolvePolicyFile(parse(path), chains, path)
}

function parse(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new ConfigurationError([`SOLVER_POLICY (${path}): cannot be read: ${reason}`])
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new ConfigurationError([`SOLVER_POLICY (${path}): is not JSON`])
  }
}
