import { CHECKS, type CheckName } from './findFailedCheck.ts'

type StepState = 'waiting' | 'running' | 'passed' | 'failed'

/** One step of a verification, as the page shows it. */
export type Step = {
  key: string
  title: string
  state: StepState
  /** What it found, or why it failed. */
  note: string
  /** An event's checks, in order. */
  checks: { words: string; state: StepState }[]
}

/** A step that hasn't started. */
export function waitingStep(key: string, title: string): Step {
  return { key, title, state: 'waiting', note: '', checks: [] }
}

/** The checks of an event that passed: all, or those before the failure. */
export function eventChecks(failed: CheckName | null): Step['checks'] {
  const names = Object.keys(CHECKS) as CheckName[]
  const at = failed === null ? names.length : names.indexOf(failed)
  return names.map((name, index) => ({
    words: CHECKS[name],
    state: index < at ? 'passed' : index === at ? 'failed' : 'waiting',
  }))
}
