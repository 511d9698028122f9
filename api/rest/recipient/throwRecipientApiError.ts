import { EnclaveError, type EnclaveErrorCode } from '../../../services/enclave/enclaveError.ts'
import { ApiError, BadRequestError, UnavailableError } from '../../http/apiError.ts'
import { createChainNotFollowedError } from '../createChainNotFollowedError.ts'

/** The API's error for the enclave's refusal. It never contains a value of the request. */
export function throwRecipientApiError(error: unknown): never {
  if (!(error instanceof EnclaveError)) throw error
  throw apiErrorOf(error.code, error)
}

function apiErrorOf(code: EnclaveErrorCode, cause: EnclaveError): ApiError {
  switch (code) {
    case 'SIGNATURE_INVALID':
      return new BadRequestError(
        'X-Auth-Signature is not the recipient’s over DERIVE_STEALTH_KEY:<recipientAddress>:<stealthAddress>:<X-Timestamp>',
        'INVALID_SIGNATURE',
      )
    case 'NOT_YOUR_ADDRESS':
      return new ApiError('the stealth address is not this recipient’s', {
        status: 403,
        code: 'NOT_YOUR_ADDRESS',
      })
    case 'CHALLENGE_REQUIRED':
      return new BadRequestError(
        'a fresh X-Timestamp and its X-Auth-Signature over DERIVE_STEALTH_KEY:<recipientAddress>:<stealthAddress>:<X-Timestamp> are required',
        'SIGNATURE_REQUIRED',
      )
    case 'CHAIN_NOT_CONFIGURED':
      return createChainNotFollowedError()
    case 'PROVIDERS_UNREACHABLE':
      return new UnavailableError(
        'the wallet’s chain can’t be reached: try again',
        'RPC_UNREACHABLE',
        2,
        cause,
      )
    default:
      return new UnavailableError(
        'the enclave can’t answer: try again',
        'ENCLAVE_UNREACHABLE',
        2,
        cause,
      )
  }
}

/** The failure of a signature that isn't the recipient wallet's. */
export function notSignedByRecipient(message: string): BadRequestError {
  return new BadRequestError(
    `the signature is not the recipient’s over ${message} (EIP-191, or its EIP-712 form)`,
    'INVALID_SIGNATURE',
  )
}
