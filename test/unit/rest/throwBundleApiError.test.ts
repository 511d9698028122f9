import { expect, test } from 'vitest'
import { throwBundleApiError } from '../../../api/rest/recipientBundles/throwBundleApiError.ts'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'

const NAMES =
  'besides recipients and amounts, the bundle must name its intentId, chainId and sender'

test.each([
  [new EnclaveError('BUNDLE_MALFORMED', 'intentId'), `${NAMES}: intentId`],
  [new EnclaveError('BUNDLE_MALFORMED', 'sender'), `${NAMES}: sender`],
  [
    new EnclaveError('BUNDLE_MALFORMED', 'viewers.0'),
    'the decrypted bundle is malformed: viewers.0',
  ],
  [new EnclaveError('BUNDLE_MALFORMED'), 'the decrypted bundle is malformed'],
  [
    new EnclaveError('RECIPIENTS_INVALID', 'amounts'),
    'the recipients or amounts are not valid: amounts',
  ],
])('%s is told as what to change', (error, message) => {
  expect(() => throwBundleApiError(error)).toThrow(
    expect.objectContaining({ message, status: 400, code: 'BUNDLE_INVALID' }),
  )
})
