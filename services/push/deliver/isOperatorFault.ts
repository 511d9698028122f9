import type { Outcome } from './postWebhook.ts'

/** Failures of this machine, whoever the receiver is. */
const LOCAL = new Set([
  ...['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL', 'ENETDOWN', 'EACCES', 'EPERM'],
  ...['SECRET_LOST', 'PRIVATE_REFUSED'],
])

/** Nothing came back, neither from the receiver nor about its name: one of the two networks is down. */
const UNREACHED = new Set([
  ...['NAME_UNRESOLVED', 'CONNECT_TIMEOUT', 'ETIMEDOUT'],
  ...['ENETUNREACH', 'EHOSTUNREACH', 'EHOSTDOWN'],
])

/** Milliseconds for which an answer of any receiver proves that the network works. */
const PROOF_MS = 60_000

/** Receivers refuse a delivery that is signed with a time this far off. */
const MOST_CLOCK_DIFFERENCE_MS = 300_000

/**
 * Whether an attempt may have failed through the operator's fault: it then counts neither against the receiver nor as one of
 * the event's attempts.
 *
 * @param sinceAnswer milliseconds since any receiver's latest answer
 * @param clockDifference milliseconds between this machine's clock and the database's
 */
export function isOperatorFault(
  { status, error }: Outcome,
  { sinceAnswer, clockDifference }: { sinceAnswer: number; clockDifference: number },
): boolean {
  if (status !== null)
    return (
      status >= 400 &&
      status < 500 &&
      status !== 410 &&
      Math.abs(clockDifference) >= MOST_CLOCK_DIFFERENCE_MS
    )
  return error !== null && (LOCAL.has(error) || (UNREACHED.has(error) && sinceAnswer > PROOF_MS))
}
