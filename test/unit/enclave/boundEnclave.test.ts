import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import {
  createBoundEnclave,
  EnclaveBindingError,
} from '../../../services/enclaveBinding/bindDatabase.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A bound enclave whose binding is checked with these results in turn. */
function rig(...results: (Error | null)[]) {
  const calls: string[] = []
  const enclave = {
    publicKeys: async () => calls.push('asked'),
  } as unknown as Enclave
  const bind = async () => {
    calls.push('checked')
    const result = results.shift()
    if (result) throw result
  }
  const mismatches: Error[] = []
  const bound = createBoundEnclave(enclave, bind, (error) => mismatches.push(error))
  return { bound, calls, mismatches }
}

test('a binding is checked once, before the first request', async () => {
  const { bound, calls } = rig(null)
  await Promise.all([bound.publicKeys(), bound.publicKeys()])
  expect(calls).toEqual(['checked', 'asked', 'asked'])
})

test('an enclave gets no requests until its binding can be checked, which is tried again after two seconds', async () => {
  const { bound, calls, mismatches } = rig(new Error('no database'), null)
  for (const _ of ['at once', 'again'])
    await expect(bound.publicKeys()).rejects.toThrow('no database')
  vi.advanceTimersByTime(1_999)
  await expect(bound.publicKeys()).rejects.toThrow('no database')
  expect(calls).toEqual(['checked'])
  vi.advanceTimersByTime(1)
  await bound.publicKeys()
  expect(calls).toEqual(['checked', 'checked', 'asked'])
  expect(mismatches).toEqual([])
})

test('an enclave of another database gets no requests, and its operator is told', async () => {
  const mismatch = new EnclaveBindingError('another enclave')
  const { bound, calls, mismatches } = rig(mismatch)
  await expect(bound.publicKeys()).rejects.toEqual(new EnclaveError('ENCLAVE_UNREACHABLE'))
  expect(calls).toEqual(['checked'])
  expect(mismatches).toEqual([mismatch])
})
