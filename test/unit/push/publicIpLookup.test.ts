import { expect, test } from 'vitest'
import {
  AddressRefusedError,
  checkedLookup,
  isPublicAddress,
} from '../../../services/push/deliver/publicIpLookup.ts'

test.each([
  ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255'],
  ...['192.168.1.1', '169.254.169.254', '100.64.0.1', '198.18.0.1', '192.0.2.1', '224.0.0.1'],
  ...['255.255.255.255', '::1', '::', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8'],
  ...['fe80::1', 'fc00::1', 'fd12:3456::1', 'ff02::1', '64:ff9b::7f00:1', '2002:7f00:1::'],
  ...['2001:db8::1', '2001::1', '100::1', 'localhost', '', '127.1', '0x7f000001', '2130706433'],
])('%s is not of the public internet', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each([
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700::1111',
  '2a00:1450::1',
])('%s is', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

function look(addresses: string[], all = true): Promise<unknown> {
  const lookup = checkedLookup(async () => addresses)
  return new Promise((resolve, reject) =>
    lookup('a.example', { all }, (error, found) => (error ? reject(error) : resolve(found))),
  )
}

test('a name is accepted only while all its addresses are public', async () => {
  expect(await look(['8.8.8.8', '2606:4700::1111'])).toEqual([
    { address: '8.8.8.8', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ])
  expect(await look(['8.8.8.8'], false)).toBe('8.8.8.8')
  await expect(look(['8.8.8.8', '127.0.0.1'])).rejects.toThrow(AddressRefusedError)
  await expect(look([])).rejects.toThrow(AddressRefusedError)
})

test('a name with thousands of addresses leads to only a few connections', async () => {
  const many = Array.from({ length: 4_000 }, (_, at) => `8.8.${at >> 8}.${at & 255}`)
  const v6 = Array.from({ length: 4_000 }, (_, at) => `2606:4700::${(at + 1).toString(16)}`)
  const found = (await look([...many, ...v6])) as { family: number }[]
  expect(found).toHaveLength(4)
  expect(found.filter(({ family }) => family === 6)).toHaveLength(2)
  await expect(look([...many, '10.0.0.1'])).rejects.toThrow(AddressRefusedError)
})
