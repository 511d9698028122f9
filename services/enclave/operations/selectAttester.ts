import type { PrivateKeyAccount } from 'viem/accounts'
import { EnclaveError } from '../enclaveError.ts'
import type { OperationContext } from '../operationContext.ts'

/** The attestation key in use, or the one that a rotation has made. Throws an EnclaveError `NO_NEXT_KEY`. */
export function selectAttester(
  { attester }: Pick<OperationContext, 'attester'>,
  key: 'current' | 'next' = 'current',
): PrivateKeyAccount {
  if (key === 'current') return attester.current
  if (attester.next === null) throw new EnclaveError('NO_NEXT_KEY')
  return attester.next
}
