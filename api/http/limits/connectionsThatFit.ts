import { readFileSync } from 'node:fs'

/** Descriptors reserved for the database, the chains' nodes, webhooks and files; at most half of all. */
const KEPT = 1_000

/** Each connection takes memory too. */
const MOST = 20_000

/** The limit on macOS; assumed if the system doesn't state its own. */
const USUAL_DESCRIPTORS = 10_240

/** How many connections a process's file descriptors leave room for. */
export function connectionsThatFit(descriptors: number = mostDescriptors()): number {
  return Math.min(MOST, descriptors - Math.min(KEPT, Math.floor(descriptors / 2)))
}

/** How many files this process may have open at once. */
function mostDescriptors(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const soft = /^Max open files\s+(\S+)/m.exec(limits)?.[1]
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft ?? USUAL_DESCRIPTORS)
  } catch {
    return USUAL_DESCRIPTORS
  }
}
