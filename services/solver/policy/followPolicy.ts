import { readFileSync, statSync } from 'node:fs'
import type { ChainConfig } from '../../config/chains.ts'
import { ConfigurationError } from '../../config/configurationError.ts'
import { createPolicy } from './createPolicy.ts'
import type { Policy } from './policy.ts'

/**
 * The policy in a file, read again whenever the file has changed: prices move. An invalid file
 * leaves the previous policy in force.
 *
 * @param onRead called after each reading but the first; null: it is in force, else what is wrong
 * with it
 * @throws ConfigurationError when the first reading fails
 */
export function followPolicy(
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
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.mtimeMs}/${found.size}/${found.ino}` : null
}

function readPolicy(path: string, chains: readonly ChainConfig[]): Policy {
  return createPolicy(parse(path), chains, path)
}

function parse(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new ConfigurationError([`SOLVER_POLICY (${path}): can't be read: ${reason}`])
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new ConfigurationError([`SOLVER_POLICY (${path}): is not JSON`])
  }
}
