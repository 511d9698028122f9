import { setTimeout as pause } from 'node:timers/promises'
import { type KeptRole, keepRoleRunning } from '../process/keepRoleRunning.ts'

/** Heap limit in megabytes: several times the size of a node's answer. */
export const TRANSFERS_HEAP = 192

/** Milliseconds before another attempt after a failed start. */
const RETRY_MS = 5_000

/**
 * Keeps the role `transfers` running as a child process that ends with this one. Nothing here waits for it, whatever
 * happens to it.
 */
export function keepSafeTransfersRole(
  env: NodeJS.ProcessEnv,
  onNotice: (text: string) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  let current: KeptRole | null = null
  const keeping = (async () => {
    while (!stopping.signal.aborted) {
      const child = keepRoleRunning(
        {
          role: 'transfers',
          env: withoutSecrets(env),
          heapMegabytes: TRANSFERS_HEAP,
          yields: true,
          onNotice,
        },
        '',
      )
      current = child
      const begun = await child.ready.then(
        () => true,
        ({ message }: Error) => {
          onNotice(message)
          return false
        },
      )
      if (begun) return
      await pause(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {})
    }
  })()
  return {
    stop: async () => {
      stopping.abort()
      await current?.stop()
      await keeping
    },
  }
}

/** Omits variables that it doesn't need: it signs nothing and doesn't listen. */
function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^ENCLAVE_|TOKENS$/.test(name))
  return Object.fromEntries(kept)
}
