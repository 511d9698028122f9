import { readFileSync } from 'node:fs'

/** What the process keeps for its database, its chains' nodes, webhooks and files; of few descriptors, half. */
const KEPT = 1_000

/** Each takes memory too. */
const MOST = 20_000

/** Where the system doesn't tell; what macOS gives a process. */
const USUAL_DESCRIPTORS = 10_240

/** Connections that a process's file descriptors leave room for. */
export function connectionsThatFit(descriptors: number = mostDescriptors()): number {
  return Math.min(MOST, descriptors - Math.min(KEPT, Math.floor(descriptors / 2)))
}

/** Open files that this process may have at once. */
function mostDescriptors(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const soft = /^Max open files\s+(\S+)/m.exec(limits)?.[1]
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft ?? USUAL_DESCRIPTORS)
  } catch {
    return USUAL_DESCRIPTORS
  }
}
