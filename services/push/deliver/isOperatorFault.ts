import type { Outcome } from './postWebhook.ts'

/** Failures of this machine, whoever the receiver is. */
const LOCAL = new Set([
  ...['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL', 'ENETDOWN', 'EACCES', 'EPERM'],
  ...['SECRET_LOST', 'PRIVATE_REFUSED'],
])

/** What this machine's network, name servers, certificates or clock may cause as well as the receiver. */
const UNPROVEN = new Set([
  ...['NAME_UNRESOLVED', 'CONNECT_TIMEOUT', 'ETIMEDOUT'],
  ...['ENETUNREACH', 'EHOSTUNREACH', 'EHOSTDOWN'],
  ...['CERT_NOT_YET_VALID', 'CERT_HAS_EXPIRED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
])

/** Milliseconds for which any receiver's answer shows that this machine works. */
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
  return error !== null && (LOCAL.has(error) || (UNPROVEN.has(error) && sinceAnswer > PROOF_MS))
}
