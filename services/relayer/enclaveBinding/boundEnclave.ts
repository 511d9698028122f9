import { EnclaveError } from '../../enclave/enclaveError.ts'
import type { Enclave } from '../../enclave/enclaveInterface.ts'
import { OPERATIONS, type OperationName } from '../../enclave/operationSchemas.ts'
import { EnclaveBindingError } from './bindDatabase.ts'

/** Milliseconds before a failed check of the binding is repeated. */
const AGAIN_AFTER = 2_000

/**
 * An enclave that gets no request before it is known to be the database's: what another one seals could never be opened
 * again. The binding is checked on first use.
 *
 * @param bind `bindDatabase` of the database and this enclave
 * @param onMismatch called each time that the enclave is another one; calls then reject with `ENCLAVE_UNREACHABLE`
 */
export function createBoundEnclave(
  enclave: Enclave,
  bind: () => Promise<void>,
  onMismatch: (error: EnclaveBindingError) => void,
): Enclave {
  let tie: Promise<void> | null = null

  function check(): Promise<void> {
    return bind().catch((error: unknown) => {
      setTimeout(() => {
        tie = null
      }, AGAIN_AFTER).unref()
      if (!(error instanceof EnclaveBindingError)) throw error
      onMismatch(error)
      throw new EnclaveError('ENCLAVE_UNREACHABLE')
    })
  }

  const operations = (Object.keys(OPERATIONS) as OperationName[]).map((name) => {
    const ask = enclave[name] as (request?: unknown) => Promise<unknown>
    const askBound = async (request?: unknown) => {
      tie ??= check()
      await tie
      return ask(request)
    }
    return [name, askBound]
  })
  return Object.fromEntries(operations)
}
