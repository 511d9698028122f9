import { expect, test } from 'vitest'
import { findClientAddress, trustProxies } from '../../../api/http/limits/clientAddress.ts'

const proxies = trustProxies(['10.0.0.0/8', '2001:db8:1::/48', '127.0.0.1'])

test.each([
  ['a client cannot forge its address', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
  ['a trusted proxy names the client', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
  [
    'the hop before the proxy counts, not what it claims',
    '10.1.2.3',
    '1.1.1.1, 198.51.100.1',
    '198.51.100.1',
  ],
  ['a chain of proxies', '127.0.0.1', '198.51.100.1, 10.9.9.9, 10.8.8.8', '198.51.100.1'],
  ['only proxies', '10.1.2.3', '10.4.4.4', '10.4.4.4'],
  ['an invalid hop is ignored', '10.1.2.3', 'unknown', '10.1.2.3'],
  ['an invalid outer hop is ignored', '10.1.2.3', "' or 1=1, 198.51.100.1", '198.51.100.1'],
  ['IPv4 on an IPv6 socket', '::ffff:10.1.2.3', '::ffff:198.51.100.1', '198.51.100.1'],
  ['an IPv6 client is its /64', '2001:db8:1::5', '2001:db8:9:7:aaaa::1', '2001:db8:9:7::/64'],
  ['zeros are normalized', '2001:0db8:0000:0001::1', undefined, '2001:db8:0:1::/64'],
  ['short forms are normalized', '::1', undefined, '0:0:0:0::/64'],
  ['one zero left out is one', '2001:db8::3:4:5:6:7', undefined, '2001:db8:0:3::/64'],
  ['no socket', undefined, '198.51.100.1', ''],
])('%s', (_name, socket, forwarded, expected) => {
  expect(findClientAddress(socket, forwarded, proxies)).toBe(expected)
})

test('without trusted proxies the header never counts', () => {
  expect(findClientAddress('127.0.0.1', '198.51.100.1', trustProxies([]))).toBe('127.0.0.1')
})

test('a port that a proxy adds to its client’s address is left out', () => {
  const isProxy = trustProxies(['10.0.0.0/8'])
  const clientOf = (forwarded: string) => findClientAddress('10.0.0.1', forwarded, isProxy)
  expect(clientOf('203.0.113.7:51234')).toBe('203.0.113.7')
  expect(clientOf('[2001:db8:1:2::9]:443')).toBe('2001:db8:1:2::/64')
  expect(clientOf('[2001:db8:1:2::9]')).toBe('2001:db8:1:2::/64')
  expect(clientOf('198.51.100.1, 203.0.113.7:51234, 10.0.0.2:80')).toBe('203.0.113.7')
  expect(clientOf('203.0.113.7:x')).toBe('10.0.0.1')
})
