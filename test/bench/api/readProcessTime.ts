import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks a second in /proc, fixed for user space on Linux. */
const TICKS = 100

/** CPU seconds used by a process and its children, including exited ones; no grandchildren. */
export function readProcessTime(pid: number): number {
  let ticks = 0
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const fields = statOf(entry)
    const isItself = Number(entry) === pid
    if (isItself || Number(fields[1]) === pid) ticks += Number(fields[11]) + Number(fields[12])
    if (isItself) ticks += Number(fields[13]) + Number(fields[14])
  }
  return ticks / TICKS
}

/**
 * Fields after the program's name, which may hold blanks: state, parent, …; from the 12th on, time as user
 * and as system, and the same of ended children.
 */
function statOf(pid: string): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
