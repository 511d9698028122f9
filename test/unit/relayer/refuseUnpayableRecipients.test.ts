import { expect, test } from 'vitest'
import {
  createScreeners,
  privateEndpoints,
} from '../../../services/relayer/recipientBundles/refuseUnpayableRecipients.ts'

test('own nodes are those on this machine or in a private network', () => {
  const own = [
    ...['http://127.0.0.1:8545', 'http://localhost:8545', 'http://[::1]:8545', 'http://geth:8545'],
    ...['http://10.1.2.3', 'https://172.31.0.1', 'http://192.168.1.9:1/key', 'http://[fd00::1]'],
  ]
  const others = [
    ...[
      'https://base.example.org/v2/key',
      'https://8.8.8.8',
      'http://172.32.0.1',
      'http://[2001:db8::1]',
    ],
    ...['http://localhost.example.org', 'http://127.0.0.1.example.org', 'http://11.0.0.1'],
  ]
  expect(privateEndpoints([...others, ...own])).toEqual(own)
})

test('recipients are revealed to nobody who wasn’t chosen', () => {
  const chain = { name: 'far', chainId: 7, rpcUrls: ['https://base.example.org'] } as never
  const near = { name: 'near', chainId: 8, rpcUrls: ['http://127.0.0.1:1'] } as never
  const asked = (screening: 'own' | 'always' | 'never') =>
    [7, 8, 9].filter((chainId) => createScreeners([chain, near], screening, 100)(chainId) !== null)
  expect(asked('own')).toEqual([8])
  expect(asked('always')).toEqual([7, 8])
  expect(asked('never')).toEqual([])
})
