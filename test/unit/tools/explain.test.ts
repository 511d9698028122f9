import { expect, test } from 'vitest'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import { explain } from '../../../tools/commandLine.ts'

test('a tool whose enclave is away says what to check', () => {
  expect(explain('recover', new EnclaveError('ENCLAVE_UNREACHABLE'))).toBe(
    'recover: ENCLAVE_UNREACHABLE: no enclave answers at the socket: check that it runs, and the socket’s path',
  )
  expect(explain('recover', new EnclaveError('NO_ROOT'))).toBe('recover: NO_ROOT')
})

test('a full disk takes one line', () => {
  const error = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
  })
  expect(explain('report', error)).toBe('report: ENOSPC: no space left on device, write')
})
