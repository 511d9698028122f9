import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildAccountingReport } from '../../../tools/report/buildAccountingReport.ts'
import { describeChanges, describeReport } from '../../../tools/report/describeReport.ts'
import { findUncheckedChains } from '../../../tools/report/findBalanceMismatches.ts'
import { parseOptions } from '../../../tools/report/parseOptions.ts'
import { anyWorld, CHAIN_A, CHAIN_B } from '../projection/model/randomHistory.ts'
import { type ModelNode, startModelNode } from '../replay/modelNode.ts'

const world = fc.sample(anyWorld(400), { seed: 78, numRuns: 1 })[0]!
const sides = [
  { name: 'base_sepolia', chainId: CHAIN_A, model: world.a },
  { name: 'horizen_testnet', chainId: CHAIN_B, model: world.b },
]
let nodes: ModelNode[]

beforeAll(async () => {
  nodes = await Promise.all(
    sides.map(({ chainId, model }) =>
      startModelNode(chainId, model.events, model.blockNumber + 10),
    ),
  )
  for (const { faults } of nodes) faults.hasNoState = true
})

afterAll(() => Promise.all(nodes.map((node) => node.stop())))

function compose(...args: string[]) {
  const chains = sides.map(({ name, chainId, model: { bridge, vault } }, at) => {
    return { name, chainId, bridge, vault, startBlock: 90, rpcUrls: [nodes[at]!.url] }
  })
  const output = { progress: { show: () => {}, end: () => {} }, explain: () => {} }
  return buildAccountingReport(chains, parseOptions(args), output)
}

test('adjacent periods agree: closings equal openings, and escrow equals the open intents’ funds', async () => {
  const middle = world.a.events[Math.floor(world.a.events.length / 2)]!.point.blockNumber
  const [whole, first, second] = [
    await compose(),
    await compose('--to', `base_sepolia=${middle}`),
    await compose('--from', `base_sepolia=${middle + 1}`),
  ]
  for (const [at, { closing }] of first.books.entries()) {
    const next = second.books[at]!
    expect(next.opening?.block.number).toBeGreaterThanOrEqual(closing.block.number)
    expect(whole.books[at]!.closing).toEqual(next.closing)
  }
  expect(second.books[0]!.opening).toEqual(first.books[0]!.closing)
  for (const report of [whole, first, second]) {
    expect(report.faults).toEqual([])
    for (const { chain, statements } of report.books) {
      const own = report.records.filter(({ chain: name }) => name === chain.name)
      for (const { holder, token, opening, closing } of statements) {
        if (holder === 'vault') continue
        const ofToken = own.filter(({ after }) => after.tokenA === token)
        const escrow = (rows: typeof ofToken) =>
          rows.reduce((sum, { after }) => sum + after.amountA + after.reward, 0n)
        expect(escrow(ofToken.filter(({ before }) => before !== null))).toBe(opening.open)
        expect(escrow(ofToken.filter(({ after }) => OPEN.has(after.phase)))).toBe(closing.open)
      }
    }
  }
})

const OPEN = new Set(['open', 'bidding', 'deposited'])

test('a period’s changes are the differences between its two ends', async () => {
  const middle = world.a.events[Math.floor(world.a.events.length / 2)]!.point.blockNumber
  const blocks = (option: string, at: number) => [option, String(at)]
  const { records, changes } = await compose(...blocks('--from', middle + 1))
  const before = await compose(...blocks('--to', middle))
  const then = new Map(
    before.records.map((record) => [`${record.chain}/${record.after.intentId}`, record]),
  )
  for (const record of records) {
    const name = `${record.chain}/${record.after.intentId}`
    expect([name, record.statusBefore]).toEqual([name, then.get(name)?.status ?? null])
  }
  const changed = new Map(changes.map((change) => [`${change.chain}/${change.intentId}`, change]))
  expect(
    changes.some(({ statusBefore, status }) => statusBefore === 'pending' && status !== 'pending'),
  ).toBe(true)
  expect(changes.some(({ statusBefore }) => statusBefore === null)).toBe(true)
  for (const { chain, after, before: earlier } of records) {
    const change = changed.get(`${chain}/${after.intentId}`)
    if (earlier && earlier !== after) expect(change!.columns.length).toBeGreaterThan(0)
    if (earlier && change)
      for (const { column, before: was } of change.columns.filter(
        ({ column }) => column === 'phase',
      ))
        expect([column, was]).toEqual(['phase', earlier.phase])
  }
  // Nothing changes in a period without an event in which no deadline passes.
  const quiet = await compose(
    ...blocks('--from', world.a.blockNumber + 9),
    '--chain',
    'base_sepolia',
  )
  expect(quiet.changes.flatMap(({ events }) => events)).toEqual([])
})

test('a chain whose node no longer has the balances is named as unchecked', async () => {
  const { books, unchecked, faults } = await compose()
  expect([unchecked, faults]).toEqual([['base_sepolia', 'horizen_testnet'], []])
  expect(findUncheckedChains(books.slice(1))).toEqual(['horizen_testnet'])
})

test.each([
  [['--to', '99999999'], 'has no block 99999999 yet'],
  [['--to', '2100-01-01'], 'the period isn’t over on'],
  [['--from', '2100-01-01'], 'the period hasn’t begun: the latest block is from 20'],
  [['--from', '120', '--to', '110'], 'the period ends before it starts'],
  [['--from', 'rari_mainnet=1'], '--from: rari_mainnet isn’t one of the reported chains'],
])('%j can’t be reported: %s', async (args, words) => {
  await expect(compose(...args)).rejects.toThrow(words.replace('’', "'"))
})

test('changes are described in words on a terminal', async () => {
  const middle = world.a.events[Math.floor(world.a.events.length / 2)]!.point.blockNumber
  const report = await compose('--from', String(middle + 1))
  const words = describeChanges(report)
  expect(words).toContain(`base_sepolia after block ${middle} (`)
  expect(words).toMatch(/rows of base_sepolia, added and changed: .*intent \+\d+ ~\d+/)
  expect(words).toContain(`${report.changes.length} intents changed`)
  expect(words).toMatch(/of base_sepolia: pending → \w+; .*phase \w+ → \w+/)
  expect(words).toMatch(/of base_sepolia: none → \w+; IntentCreated/)
  const ends = describeReport(report)
  expect(ends).toContain('held unknown')
  expect(ends).toContain('Not checked: no node has the past balances on base_sepolia')
})
