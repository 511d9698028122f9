import type { OrderErrorCode } from '../../core/order/orderErrorCode.ts'
import { EnclaveError } from '../../services/enclave/enclaveError.ts'
import { OrderError } from '../../services/orders/orderError.ts'
import { BadRequestError, NotFoundError, UnavailableError } from '../http/apiError.ts'

/** Codes of temporary failures, and after how many seconds to retry. */
const PASSING: Partial<Record<OrderErrorCode, number>> = {
  FUNDING_PENDING: 5,
  CANCEL_PENDING: 5,
  OUT_OF_GAS: 60,
  RPC_UNREACHABLE: 5,
  CLOCKS_DIFFER: 60,
  ENCLAVE_UNREACHABLE: 5,
  INDEX_NOT_READY: 2,
}

export function throwOrderApiError(error: unknown): never {
  if (error instanceof EnclaveError) {
    const words = 'the enclave doesn’t answer: try again'
    throw new UnavailableError(words, 'ENCLAVE_UNREACHABLE', 5, error)
  }
  if (!(error instanceof OrderError)) throw error
  const { code, message, details } = error
  const retryAfter = PASSING[code]
  if (retryAfter !== undefined) throw new UnavailableError(message, code, retryAfter)
  if (code === 'ORDER_NOT_FOUND' || code === 'TRANCHE_NOT_WAITING') {
    throw new NotFoundError(message, code)
  }
  throw new BadRequestError(message, code, details)
}
