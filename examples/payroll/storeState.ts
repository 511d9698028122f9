import { renameSync, rmSync, writeFileSync } from 'node:fs'
import type { BatchState } from '../../sdk/index.ts'

/** Writes a payroll's state atomically, readable only by its owner: its digest confirms a guess of who is paid how much. */
export function storeState(path: string, state: BatchState): void {
  const draft = `${path}.new`
  // A draft that a crash left may have another mode.
  rmSync(draft, { force: true })
  writeFileSync(draft, JSON.stringify(state), { mode: 0o600, flag: 'wx', flush: true })
  renameSync(draft, path)
}
