import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/**
 * For a child's environment: the cache of compiled code that this process uses (quickModules.ts), if it
 * uses one. So the child has it from its very first module on, and need not load the compiler of TypeScript.
 *
 * @param env what else the child is given: one that gets the root secret compiles for itself
 */
export function compileCache(env: NodeJS.ProcessEnv = {}): { NODE_COMPILE_CACHE?: string } {
  // Below it Node names a folder for each version of itself.
  const own = getCompileCacheDir()
  return own === undefined || env.ENCLAVE_ROOT_FILE ? {} : { NODE_COMPILE_CACHE: dirname(own) }
}
