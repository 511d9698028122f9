import { setTimeout as pause } from 'node:timers/promises'
import { type ChildRole, type SpawnRoleOptions, spawnRole } from './spawnRole.ts'

/** Milliseconds before a role that ended by itself is started again, and where it had hardly begun. */
const RESTART_AFTER = 100
const RESTART_SLOWLY_AFTER = 1_000
/** A role that ran for so many milliseconds counts as started. */
const GOOD_RUN = 10_000

export type KeptRole = {
  /** Process id of the role as it runs now. */
  pid(): number
  /** Where it can be reached. @throws with its last words if its first start failed */
  ready: Promise<string | null>
  stop(): Promise<void>
}

/**
 * Starts a role, and starts it again whenever it ends by itself; one that listens keeps its port. A
 * first start that fails is not repeated.
 *
 * @param portVariable name of the variable that gives the role its port
 */
export function keepRole(options: SpawnRoleOptions, portVariable: string): KeptRole {
  const stopping = new AbortController()
  let current: ChildRole = spawnRole(options)
  const { ready } = current
  const keeping = ready.then(
    async (url) => {
      const port = url === null ? {} : { [portVariable]: new URL(url).port }
      const { laterEnv, ...known } = options
      const again = { ...known, env: { ...options.env, ...(await laterEnv), ...port } }
      for (;;) {
        const began = performance.now()
        const how = await current.ended
        const wasGood = performance.now() - began > GOOD_RUN
        if (stopping.signal.aborted) return
        options.onNotice?.(`the ${options.name ?? options.role} ${how}; starting it again`)
        await pause(wasGood ? RESTART_AFTER : RESTART_SLOWLY_AFTER, undefined, {
          signal: stopping.signal,
        }).catch(() => {})
        if (stopping.signal.aborted) return
        current = spawnRole(again)
      }
    },
    () => {},
  )
  return {
    pid: () => current.pid,
    ready,
    stop: async () => {
      stopping.abort()
      await current.stop()
      await keeping
    },
  }
}
