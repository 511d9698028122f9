import { expect, test } from 'vitest'
import { findMisspeltVariables } from '../../../services/config/findMisspeltVariables.ts'

const KNOWN = new Set([
  ...['CHAINS', 'LOG_LEVEL', 'ENCLAVE_SOCKET', 'ENCLAVE_SOCKETS', 'ENCLAVE_AWAITS_ROOT'],
  ...['PUSH_KEY_FILE', 'TRUSTED_PROXIES', 'API_PORT', 'DATABASE_URL'],
])

test.each([
  ['ENCLAVE_SOKET', 'ENCLAVE_SOCKET'],
  ['ENCLAVE_AWAIT_ROOT', 'ENCLAVE_AWAITS_ROOT'],
  ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
  ['PUSH_KEY', 'PUSH_KEY_FILE'],
  ['CHAIN', 'CHAINS'],
  ['API_PROT', 'API_PORT'],
])('%s is probably %s', (name, meant) => {
  expect(findMisspeltVariables({ [name]: '1' }, KNOWN)).toEqual([
    `${name} is ignored: did you mean ${meant}?`,
  ])
})

test('variables of others, and our own, are none of our business', () => {
  const foreign = ['PATH', 'HOME', 'API_KEY', 'ENCLAVE_SERVICE_HOST', 'API_PORT_8080_TCP', 'PUSH']
  for (const names of [foreign, [...KNOWN]]) {
    const env = Object.fromEntries(names.map((name) => [name, '1']))
    expect(findMisspeltVariables(env, KNOWN)).toEqual([])
  }
})

test('what resembles a variable that is set is another program’s', () => {
  const env = { DATABASE_URL: 'postgres://…', DATABASE_USER: 'cairn', DATABASE_PORT: '5432' }
  expect(findMisspeltVariables(env, KNOWN)).toEqual([])
  expect(findMisspeltVariables({ DATABASE_URI: 'postgres://…' }, KNOWN)).toHaveLength(1)
})
