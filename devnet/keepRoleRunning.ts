import { setTimeout as pause } from 'node:timers/promises'
import { type ChildRole, type SpawnRoleOptions, spawnRole } from '../services/process/spawnRole.ts'

/** Milliseconds before a role that ended is restarted, and before one that had hardly started. */
const RESTART_AFTER = 100
const RESTART_SLOWLY_AFTER = 1_000
/** A role that ran for this many milliseconds has started. */
const GOOD_RUN = 10_000

export type KeptRole = {
  /** Process id of the running role. */
  pid(): number
  /** Its address. @throws with its last output if its first start failed */
  ready: Promise<string | null>
  stop(): Promise<void>
}

/**
 * Starts a role and restarts it whenever it ends; a listening role keeps its port. A first start that fails isn't
 * repeated.
 *
 * @param portVariable name of the role's port variable
 */
export function keepRoleRunning(options: SpawnRoleOptions, portVariable: string): KeptRole {
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
