import { expect, test } from 'vitest'
import { type ChainReport, describeVerdict, isSound } from '../../../tools/replay/replayReport.ts'

const TOKEN = `0x${'aa'.repeat(20)}` as const

const GIVEN: ChainReport = {
  chain: 'base_sepolia',
  chainId: 84532,
  bridge: `0x${'bb'.repeat(20)}`,
  vault: `0x${'ee'.repeat(20)}`,
  block: { number: 7, hash: `0x${'cc'.repeat(32)}`, timestamp: 1 } as ChainReport['block'],
  nodes: { nodes: ['a#1', 'b#2'], refused: [], unconfirmed: [] },
  stateHash: `0x${'dd'.repeat(32)}`,
  events: 1_200,
  eventsPerSecond: { overall: 1, fold: 1 },
  rows: {},
  omissions: [],
  statuses: {} as ChainReport['statuses'],
  balances: [{ holder: 'bridge', token: TOKEN, owed: 5n, held: 5n, surplus: 0n }],
  comparison: { rows: 40, differences: 0, first: [], keptHash: null },
}

test.each<[string, Partial<ChainReport>, string]>([
  [
    'all is well',
    {},
    'Verdict: sound. 1,200 events of base_sepolia folded; every bridge and vault holds what it owes; all 40 rows of the database match.',
  ],
  [
    'no database was named',
    { comparison: null },
    'every bridge and vault holds what it owes; not compared with a database (use --compare).',
  ],
  [
    'the node has forgotten the balances',
    { balances: null },
    'Verdict: sound as far as checked. 1,200 events of base_sepolia folded; balances not checked on base_sepolia;',
  ],
  ['intents are missing', { omissions: ['2 intents'] }, 'Verdict: NOT SOUND. 1,200 events'],
  [
    'rows differ',
    { comparison: { rows: 40, differences: 2, first: [], keptHash: null } },
    'Verdict: NOT SOUND. 1,200 events of base_sepolia folded; 2 rows of base_sepolia differ.',
  ],
  [
    'money is missing',
    { balances: [{ holder: 'bridge', token: TOKEN, owed: 5n, held: 3n, surplus: -2n }] },
    `base_sepolia is short of 2 of ${TOKEN}.`,
  ],
  [
    'a vault’s money is missing',
    { balances: [{ holder: 'vault', token: TOKEN, owed: 5n, held: 4n, surplus: -1n }] },
    `the vault of base_sepolia is short of 1 of ${TOKEN}.`,
  ],
  [
    'the database keeps another hash',
    { comparison: { rows: 40, differences: 0, first: [], keptHash: `0x${'ee'.repeat(32)}` } },
    'the state hash of base_sepolia differs.',
  ],
])('the verdict when %s', (_, change, words) => {
  const report = { ...GIVEN, ...change }
  const verdict = describeVerdict([report])
  expect(verdict).toContain(words)
  expect(isSound(report)).toBe(!verdict.includes('NOT SOUND'))
})
