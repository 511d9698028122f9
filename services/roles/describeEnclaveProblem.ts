import { EnclaveError } from '../enclave/enclaveError.ts'

/** Why a role can't start with its enclave, in one line; null for any other error. */
export function describeEnclaveProblem(error: unknown): string | null {
  if (!(error instanceof EnclaveError)) return null
  switch (error.code) {
    case 'ENCLAVE_UNREACHABLE':
      return 'ENCLAVE_SOCKET: no enclave answers there. Start it, and let this user use the socket'
    // Another version refuses what it is asked, or its answer doesn't have the form that this one expects.
    case 'REQUEST_INVALID':
    case 'ENCLAVE_FAILED':
      return `ENCLAVE_SOCKET: the enclave and this role don't understand each other (${error.code}). Upgrade the enclave first; if it already has this version, read its log`
    default:
      return null
  }
}
