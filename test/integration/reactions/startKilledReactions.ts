import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { FAST_START_OPTIONS } from '../../rig/fastStartOptions.ts'
import type { RelayerRig } from './relayerRig.ts'

const PROGRAM = fileURLToPath(new URL('./killedReactions.ts', import.meta.url))

/** Reactions in a separate process that take a job and never finish it. */
export async function startKilledReactions(rig: RelayerRig) {
  const chains = JSON.stringify(rig.configs)
  const args = [...FAST_START_OPTIONS, PROGRAM, rig.postgres.databaseUrl, chains]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  // A test that fails before it has killed it would leave the jobs of all others hanging.
  onTestFinished(() => void child.kill('SIGKILL'))
  let begun = false
  child.on('message', () => {
    begun = true
  })
  return {
    hasBegun: () => begun,
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
