import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGraphqlRoutes } from '../../../api/graphql/graphqlRoutes.ts'
import { startTokenPriceCache } from '../../../api/http/prices/tokenPriceCache.ts'
import { toUsd } from '../../../core/money/usdValue.ts'
import { tokenOf } from '../../../tools/seed/seedSqlFunctions.ts'
import { until } from '../../rig/until.ts'
import { BASE, chainConfig, HORIZEN, type SeededApi, startSeededApi } from '../rest/seededApi.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-prices-'))
const priceFile = join(folder, 'prices.json')
let api: SeededApi

beforeAll(async () => {
  const tokens = (chain: number) => ({ USDC: { address: tokenOf('USDC', chain), decimals: 6 } })
  api = await startSeededApi({
    intents: 300,
    prices: startTokenPriceCache({ from: priceFile, maxAgeSeconds: 3_600, everyMs: 50 }),
    chains: [
      { ...chainConfig('base_sepolia', BASE), tokens: tokens(BASE) },
      { ...chainConfig('horizen_testnet', HORIZEN), tokens: tokens(HORIZEN) },
    ],
    routes: [createGraphqlRoutes({ onProblem: (error) => console.error(error) })],
  })
})

afterAll(async () => {
  await api?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const lower = (text: string) => text.toLowerCase()

async function data(query: string) {
  const { body } = await api.post('/graphql', { query })
  expect(body.errors).toBeUndefined()
  return body.data
}

test('every token amount comes in whole tokens and in base units', async () => {
  const { intents, pairTotals, escrow, batches, solvers, routes, bridges } = await data(`{
    intents(first: 20, where: { tokenA: { symbol: "usdc" }, tokenB: { symbol: "USDC" }, status: { eq: completed } }) { nodes {
      amountA amountADecimal payout payoutDecimal tokenA tokenAInfo { symbol decimals source isListed minimum minimumDecimal chain }
      winningAmountB winningAmountBDecimal delivery { amountB amountBDecimal tokenBInfo { symbol } }
      bids { nodes { amountB amountBDecimal } } refund { amountDecimal } } }
    pairTotals(where: { sourceChainId: "${BASE}" }) { nodes { tokenA fees feesDecimal tokenAInfo { symbol } } }
    escrow { token total totalDecimal tokenInfo { symbol address } }
    batches { totalAmountA totalAmountADecimal tokenBInfo { address } }
    solvers(first: 3) { nodes { stakes { token staked stakedDecimal free freeDecimal } volumes { token delivered deliveredDecimal } } }
    routes(first: 5) { nodes { minEscrow minEscrowDecimal tokenA } }
    bridges { tokens { token minAmount minAmountDecimal } }
  }`)
  expect(intents.nodes.length).toBeGreaterThan(3)
  for (const node of intents.nodes) {
    expect(node.tokenAInfo).toMatchObject({
      symbol: 'USDC',
      decimals: 6,
      source: 'configuration',
      isListed: true,
    })
    expect(node.tokenAInfo.minimumDecimal).toBe('0.01')
    for (const [base, decimal] of [
      [node.amountA, node.amountADecimal],
      [node.payout, node.payoutDecimal],
      [node.winningAmountB, node.winningAmountBDecimal],
      [node.delivery.amountB, node.delivery.amountBDecimal],
      ...node.bids.nodes.map((bid: Record<string, string>) => [bid.amountB, bid.amountBDecimal]),
    ]) {
      expect(BigInt(Math.round(Number(decimal) * 1e6))).toBe(BigInt(base))
    }
  }
  const usdc = [BASE, HORIZEN].map((chain) => lower(tokenOf('USDC', chain)))
  const check = (token: string, decimal: string | null) =>
    expect(decimal === null).toBe(!usdc.includes(lower(token)))
  for (const { token, totalDecimal } of escrow) check(token, totalDecimal)
  for (const { tokenA, feesDecimal } of pairTotals.nodes) check(tokenA, feesDecimal)
  for (const { stakes, volumes } of solvers.nodes) {
    for (const { token, freeDecimal } of stakes) check(token, freeDecimal)
    for (const { token, deliveredDecimal } of volumes) check(token, deliveredDecimal)
  }
  for (const { tokenA, minEscrowDecimal } of routes.nodes) check(tokenA, minEscrowDecimal)
  for (const { tokens } of bridges)
    for (const { token, minAmountDecimal } of tokens) check(token, minAmountDecimal)
  expect(batches.length).toBeGreaterThanOrEqual(0)
})

test('an unknown symbol matches nothing; symbol and address must both match', async () => {
  const usdc = tokenOf('USDC', BASE)
  const { none, both, neither, all } = await data(`{
    none: intents(where: { tokenA: { symbol: "NOPE" } }) { totalCount nodes { intentId } }
    both: intents(where: { tokenA: { symbol: "USDC", in: ["${usdc}"] } }) { totalCount }
    neither: intents(where: { tokenA: { symbol: "USDC", eq: "${tokenOf('WETH', BASE)}" } }) { totalCount }
    all: intents(where: { tokenA: { symbol: "USDC" } }) { totalCount }
  }`)
  expect(none).toEqual({ totalCount: 0, nodes: [] })
  expect([neither.totalCount, both.totalCount > 0, all.totalCount > both.totalCount]).toEqual([
    0,
    true,
    true,
  ])
  const { body } = await api.get('/intents?tokenA=USDC&total=true')
  expect(body.total).toBe(all.totalCount)
})

test('tokens are listed, and each can be read by its id', async () => {
  const { tokens } = await data(`{ tokens(symbol: "USDC") { id chain address } }`)
  expect(tokens.map(({ chain }: { chain: string }) => chain)).toEqual([
    'base_sepolia',
    'horizen_testnet',
  ])
  const { node } = await data(`{ node(id: "${tokens[0].id}") { id ... on Token { symbol } } }`)
  expect(node).toEqual({ id: tokens[0].id, symbol: 'USDC' })
  // The API doesn't look up an invented address on chain.
  const unknown = await data(`{ node(id: "Token:${BASE}:0x${'ab'.repeat(20)}") { id } }`)
  expect(unknown.node).toBeNull()
})

test('counts by day add up to those by chain; a block has its events', async () => {
  const { dayTotals, chainTotals, events } = await data(`{
    dayTotals { day created completed } chainTotals { created completed }
    events(first: 1) { nodes { chainId blockNumber id } } }`)
  const sum = (rows: Record<string, number>[], name: string) =>
    rows.reduce((all, row) => all + (row[name] ?? 0), 0)
  for (const name of ['created', 'completed'])
    expect(sum(dayTotals, name)).toBe(sum(chainTotals, name))
  expect(
    dayTotals
      .map(({ day }: { day: string }) => day)
      .toSorted()
      .toReversed(),
  ).toEqual(dayTotals.map(({ day }: { day: string }) => day))
  const [{ chainId, blockNumber, id }] = events.nodes
  const { events: ofBlock } = await data(
    `{ events(where: { chainId: "${chainId}", blockNumber: ${blockNumber} }) { nodes { id blockNumber chainId } } }`,
  )
  expect(ofBlock.nodes).toContainEqual(expect.objectContaining({ id }))
  for (const node of ofBlock.nodes) expect(node).toMatchObject({ chainId, blockNumber })
})

test('dollar values are null or absent without a fresh price; otherwise they name its source and time', async () => {
  const usdc = tokenOf('USDC', BASE)
  const query = `{ pairTotals(first: 5, where: { sourceChainId: "${BASE}", tokenA: "${usdc}" }) { nodes {
    completedVolumeA completedVolumeAUsd { value price source asOf } completedVolumeBUsd { value }
    tokenAInfo { usd { price source asOf } } } } bids(solver: "0x${'1'.repeat(40)}") { nodes { amountBUsd { value } } } }`
  const priced = (usd: string, asOf: number) => {
    const document = { source: 'The desk', asOf: String(asOf) }
    const prices = [{ chain: BASE, token: usdc, usd }]
    writeFileSync(`${priceFile}.new`, JSON.stringify({ ...document, prices }))
    renameSync(`${priceFile}.new`, priceFile)
  }
  const token = async () => (await api.get(`/tokens?symbol=usdc&chainId=${BASE}`)).body.tokens[0]
  const health = async () => (await api.get('/health')).body.prices
  const expectNone = async () => {
    for (const node of (await data(query)).pairTotals.nodes)
      expect([node.completedVolumeAUsd, node.tokenAInfo.usd]).toEqual([null, null])
    expect(await token()).not.toHaveProperty('usd')
  }
  await until(async () => (await health()).status === 'failing')
  await expectNone()
  const now = Math.floor(Date.now() / 1_000)
  const asOf = new Date(now * 1_000).toISOString()
  for (const usd of ['1.0003', '2']) {
    priced(usd, now)
    // A cached answer would still have the old price.
    await until(async () => (await token()).usd?.price === usd)
    const said = { price: usd, source: 'The desk', asOf }
    expect((await token()).usd).toEqual(said)
    const { pairTotals } = await data(query)
    expect(pairTotals.nodes.length).toBeGreaterThan(0)
    for (const node of pairTotals.nodes) {
      const value = toUsd(BigInt(node.completedVolumeA), 6, usd)
      expect(node.completedVolumeAUsd).toEqual({ value, ...said })
      expect(node.completedVolumeBUsd).toBeNull()
      expect(node.tokenAInfo.usd).toEqual(said)
    }
  }
  expect(await health()).toEqual({ status: 'ok', shown: 1, known: 1, asOf, problem: null })
  priced('3', now - 7_200)
  await until(async () => (await health()).status === 'stale')
  await expectNone()
})

test('REST has tokens and chains, with the fields that links need', async () => {
  const { body } = await api.get(`/tokens?symbol=usdc&chainId=base_sepolia`)
  expect(body.tokens).toEqual([
    expect.objectContaining({
      chain: 'base_sepolia',
      symbol: 'USDC',
      decimals: 6,
      source: 'configuration',
      isListed: true,
      minimum: '10000',
    }),
  ])
  const client = await api.postgres.connect()
  await client.query('select app.install_state_triggers($1)', [`cairn_${BASE}_seeded`])
  await client.query('select app.measure_state($1)', [`cairn_${BASE}_seeded`])
  await client.end()
  const { body: chains } = await api.get('/chains')
  expect(chains.chains[0]).toMatchObject({
    name: 'base_sepolia',
    status: 'rpc_unreachable',
    indexed: expect.any(Number),
    finalizedBlock: expect.any(Number),
    stateHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    blockExplorer: null,
  })
})
