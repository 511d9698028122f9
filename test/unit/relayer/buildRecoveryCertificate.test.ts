import { expect, test } from 'vitest'
import {
  buildRecoveryCertificate,
  type ChainCertificate,
  describeCertificate,
} from '../../../services/relayer/recovery/recoveryCertificate.ts'

const PROBLEM = { intentId: '7', event: 'IntentCreated', block: 5, logIndex: 0, reason: 'sealed' }

function chain(more: {
  missing?: number
  unreadable?: (typeof PROBLEM)[]
  notDerived?: (typeof PROBLEM)[]
}): ChainCertificate {
  const { missing = 0, unreadable = [], notDerived = [] } = more
  return {
    chainId: 84_532,
    name: 'base_sepolia',
    bridge: '0xb1',
    blocks: { from: 1, to: 9, toHash: '0x09' },
    nodes: {} as ChainCertificate['nodes'],
    intents: { count: 12, first: '1', last: '12', missing },
    blobs: { seen: 12, opened: 12 - unreadable.length, unreadable },
    stealthAddresses: { count: 3, notDerived },
    intentsWithoutBlob: [],
    rows: { bundles: 12 },
    stateHash: '0x0a',
  }
}

test.each([
  ['everything was found', chain({}), true],
  ['an intent is missing', chain({ missing: 1 }), false],
  ['a blob can’t be opened', chain({ unreadable: [PROBLEM] }), false],
  ['a Safe can’t be derived', chain({ notDerived: [PROBLEM] }), false],
])('where %s a recovery says whether it is complete', (_, last, isComplete) => {
  expect(buildRecoveryCertificate([chain({}), last], '0x04').isComplete).toBe(isComplete)
})

test('a recovery in words says what is missing, at most ten of each', () => {
  const words = describeCertificate(
    chain({ missing: 2, notDerived: [PROBLEM], unreadable: Array(12).fill(PROBLEM) }),
  )
  expect(words).toContain('not found            2: ')
  expect(words).toContain('blobs opened         0 of 12')
  expect(words.match(/unreadable {9}intent 7, IntentCreated in block 5: sealed/g)).toHaveLength(10)
  expect(words).toContain('… and 2 more')
  expect(words).toContain('not derived        of intent 7')
  expect(describeCertificate(chain({}))).not.toContain('not found')
})
