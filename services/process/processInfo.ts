import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** A process's start time, as text that differs between processes with the same id; null if there is none. */
export function findStartTime(pid: number): string | null {
  if (!existsSync('/proc/self/stat')) return ask('lstart=', pid)
  const stat = readProc(pid, 'stat')
  // Field 22; the second one, the name in parentheses, may contain anything.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
}

/** A process's command line, words separated by spaces; null if there is none. */
export function findCommandLine(pid: number): string | null {
  if (!existsSync('/proc/self/cmdline')) return ask('command=', pid)
  return readProc(pid, 'cmdline')?.replaceAll('\0', ' ') ?? null
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return null
  }
}

function ask(column: string, pid: number): string | null {
  try {
    const answer = execFileSync('ps', ['-ww', '-o', column, '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
    return answer === '' ? null : answer
  } catch {
    return null
  }
}

/** Whether a process with this id runs, under any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
