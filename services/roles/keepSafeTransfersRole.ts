import { type Repeated, repeat } from '../process/repeat.ts'
import { type ChildRole, spawnRole } from '../process/spawnRole.ts'

/** Heap limit in megabytes: several times the size of a node's answer. */
export const TRANSFERS_HEAP = 192

/** Milliseconds before it is started again. */
const RESTART_MS = 1_000

/**
 * Keeps the role `transfers` running as a child process that ends with this one. Nothing here waits for it, whatever
 * happens to it.
 */
export function keepSafeTransfersRole(
  env: NodeJS.ProcessEnv,
  onNotice: (text: string) => void,
): Repeated {
  const options = {
    role: 'transfers',
    env: withoutSecrets(env),
    heapMegabytes: TRANSFERS_HEAP,
    yields: true,
    onNotice,
  }
  let current: ChildRole | null = null
  const report = (error: unknown) => onNotice((error as Error).message)
  const keeping = repeat(RESTART_MS, report, async () => {
    current = spawnRole(options)
    await current.ready
    throw new Error(`the transfers ${await current.ended}; starting it again`)
  })
  return {
    stop: async () => {
      const stopped = keeping.stop()
      await current?.stop()
      await stopped
    },
  }
}

/** Omits variables that it doesn't need: it signs nothing and doesn't listen. */
function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^ENCLAVE_|TOKENS$/.test(name))
  return Object.fromEntries(kept)
}
