import { readFileSync } from 'node:fs'
import { findCommandLine, isAlive } from '../../services/process/processInfo.ts'
import type { MoneyTestbed } from '../e2e/money/moneyTestbed.ts'
import { descendantsOf } from '../rig/devnetProcess.ts'
import type { Victim } from './killableProcesses.ts'
import type { ResumeProbe } from './resumeProbes.ts'

export type Kill = {
  victim: Victim
  /** Machine time in milliseconds. */
  at: number
  /** Milliseconds until the replacement did its first work. */
  resumedMs: number
  /** Milliseconds until the victim's last child process ended. */
  orphansMs: number
}

/**
 * Kills one process with -9.
 *
 * @param patienceMs longest wait for its replacement, and for the end of its children
 * @throws when no replacement starts, or a child process survives
 */
export async function killProcess(
  testbed: MoneyTestbed,
  victim: Victim,
  probe: ResumeProbe,
  patienceMs: number,
): Promise<Kill> {
  const pid = await pidOf(testbed, victim)
  const family = descendantsOf(pid)
  const hasResumed = await probe()
  const [at, killedAt] = [Date.now(), performance.now()]
  process.kill(pid, 'SIGKILL')
  const since = async (condition: () => boolean | Promise<boolean>, what: () => string) => {
    while (!(await condition())) {
      if (performance.now() - killedAt > patienceMs) throw new Error(`${victim}: ${what()}`)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    return performance.now() - killedAt
  }
  const [resumedMs, orphansMs] = await Promise.all([
    since(hasResumed, () => 'no replacement resumed work'),
    since(
      () => !family.some(isRunning),
      () => `left orphans: ${family.filter(isRunning).map(findCommandLine).join('; ')}`,
    ),
  ])
  return { victim, at, resumedMs, orphansMs }
}

async function pidOf({ devnet }: MoneyTestbed, victim: Victim): Promise<number> {
  const role = devnet.rolePids()[victim === 'ponder' ? 'indexer' : victim]
  if (!role) throw new Error(`${victim} is not running`)
  if (victim !== 'ponder') return role
  const ponders = descendantsOf(role).filter((pid) =>
    findCommandLine(pid)?.includes('ponderProgram.ts'),
  )
  if (ponders.length === 0) throw new Error('the indexer has no Ponder')
  // Kill the oldest, so that they take turns.
  return Math.min(...ponders)
}

function isRunning(pid: number): boolean {
  return isAlive(pid) && !isZombie(pid)
}

/** Has exited but is not yet reaped. */
function isZombie(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
