import { readFileSync } from 'node:fs'
import { commandOf } from '../../services/process/processFacts.ts'
import type { MoneyStage } from '../e2e/money/moneyStage.ts'
import { descendantsOf } from '../e2e/start/devnetProcess.ts'
import type { ResumeProbe } from './resumeProbes.ts'
import type { Victim } from './victims.ts'

export type Kill = {
  victim: Victim
  /** When, in milliseconds of the machine's clock. */
  at: number
  /** Milliseconds from the kill to the first work of what came in its place. */
  resumedMs: number
  /** Milliseconds from the kill to the end of the last process that the victim had started. */
  orphansMs: number
}

/** Longest wait for either, in milliseconds. A busy machine is no fault. */
const PATIENCE = 600_000

/**
 * Kills one process with -9.
 *
 * @throws when nothing comes back in its place, or a process that it had started lives on
 */
export async function killOne(
  stage: MoneyStage,
  victim: Victim,
  probe: ResumeProbe,
): Promise<Kill> {
  const pid = await pidOf(stage, victim)
  const family = descendantsOf(pid)
  const hasResumed = await probe()
  const [at, killedAt] = [Date.now(), performance.now()]
  process.kill(pid, 'SIGKILL')
  const since = async (condition: () => boolean | Promise<boolean>, what: () => string) => {
    while (!(await condition())) {
      if (performance.now() - killedAt > PATIENCE) throw new Error(`${victim}: ${what()}`)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    return performance.now() - killedAt
  }
  const [resumedMs, orphansMs] = await Promise.all([
    since(hasResumed, () => 'nothing came back in its place'),
    since(
      () => !family.some(isAlive),
      () => `left orphans: ${family.filter(isAlive).map(commandOf).join('; ')}`,
    ),
  ])
  return { victim, at, resumedMs, orphansMs }
}

async function pidOf({ devnet }: MoneyStage, victim: Victim): Promise<number> {
  const role = devnet.rolePids()[victim === 'ponder' ? 'indexer' : victim]
  if (!role) throw new Error(`${victim} is not running`)
  if (victim !== 'ponder') return role
  const ponders = descendantsOf(role).filter((pid) => commandOf(pid)?.includes('ponderProgram.ts'))
  if (ponders.length === 0) throw new Error('the indexer has no Ponder')
  // The one that has run longest: so they take turns.
  return Math.min(...ponders)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return !isZombie(pid)
}

/** It has ended, and waits for its parent to notice. */
function isZombie(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
