import { describeField } from '../../../core/order/submission.ts'
import { EnclaveError } from '../../enclave/enclaveError.ts'
import { QuorumMissingError } from '../../quorum/collectSignatures.ts'
import { OrderError } from '../orderError.ts'
import { createClocksDifferError } from './fundingErrors.ts'

const MESSAGES: Record<string, string> = {
  ORDER_NOT_NAMED:
    'the signed message must name this order: sign TWAP_ORDER:<keccak256 of encrypted, 64 hex digits>:<sourceChainId>:<expiry>, or to cancel TWAP_CANCEL:<orderId>:<expiry>',
  LAPSED: 'the signed message has expired: sign one with a later expiry',
  OTHER_CHAIN: 'the signed message names another chain than the order',
}

/** Throws a refusal of the enclaves as an error for the client; rethrows anything else. */
export function throwEnclaveProblem(error: unknown): never {
  if (error instanceof QuorumMissingError) {
    throw new OrderError('ENCLAVE_UNREACHABLE', 'too few enclaves sign now: try again')
  }
  throw error instanceof EnclaveError ? orderError(error) : error
}

function orderError({ code, field = '' }: EnclaveError): OrderError {
  switch (code) {
    case 'DECRYPTION_FAILED':
      return new OrderError(
        code,
        'the order can’t be decrypted: encrypt it with the key of GET /ecies-pubkey of this service (eciesjs, secp256k1)',
      )
    case 'ORDER_INVALID':
      return invalid(field)
    case 'SIGNER_MISMATCH':
      return new OrderError(code, 'the signature is not that of the order’s user')
    case 'SIGNATURE_INVALID':
      return new OrderError(
        'INVALID_SIGNATURE',
        'expected an EIP-191 signature of 65 bytes, or one that the user’s contract accepts (ERC-1271): a Safe’s present owners must sign',
      )
    case 'MESSAGE_REFUSED':
      return new OrderError('INVALID_SIGNATURE', MESSAGES[field] ?? 'the message is refused')
    case 'REQUEST_INVALID':
      if (field === 'deadline')
        return createClocksDifferError('the clocks of the service and an enclave differ by minutes')
      return new OrderError('DECRYPTION_FAILED', 'expected encrypted as hex bytes')
    case 'PROVIDERS_UNREACHABLE':
    case 'BLOCK_NOT_AGREED':
      return new OrderError('RPC_UNREACHABLE', 'the chain’s nodes can’t be reached: try again')
    default:
      return new OrderError('ENCLAVE_UNREACHABLE', 'orders can’t be decrypted now: try again')
  }
}

export function invalid(field: string, details: Record<string, unknown> = {}): OrderError {
  const expected = describeField(field)
  const message = field === '' ? `expected ${expected}` : `${field}: expected ${expected}`
  return new OrderError('VALIDATION_FAILED', message, { field, expected, ...details })
}
