import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, encodeFunctionResult, multicall3Abi, numberToHex } from 'viem'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { packIntentId } from '../../../core/intent/intentId.ts'
import { readIntentPages } from '../../../services/chain/readLatestIntents.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { requireFormerBridgesEnded } from '../../../services/relayer/recovery/requireFormerBridgesEnded.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { startFaultyRpc } from '../../rig/faultyRpc.ts'
import { findDeadPort } from '../../rig/findDeadPort.ts'
import { serveLocally } from '../../rig/serveLocally.ts'
import { type BridgePair, startBridgePair } from '../indexer/bridgePair.ts'
import { startRole } from '../roles/startRole.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-replaced-'))
let pair: BridgePair
let postgres: PostgresUnderTest

beforeAll(async () => {
  ;[pair, postgres] = await Promise.all([startBridgePair(), startPostgresUnderTest()])
  await migrate(postgres.databaseUrl)
  const client = await postgres.connect()
  for (const { chainId, bridge } of configs())
    await client.query(
      'insert into app.recovery (chain_id, bridge, next_block) values ($1, lower($2), 1)',
      [chainId, bridge],
    )
})
afterAll(async () => {
  await Promise.all([pair?.stop(), postgres?.stop()])
  rmSync(directory, { recursive: true, force: true })
})

const configs = () => [pair.base.config, pair.horizen.config]

/** The chains, with another bridge on one of them. */
function replacedOn(name: string, change: Partial<ChainConfig> = {}): ChainConfig[] {
  const bridge = `0x${'b1'.repeat(20)}` as const
  return configs().map((one) => (one.name === name ? { ...one, bridge, ...change } : one))
}

const check = (chains: ChainConfig[]) => requireFormerBridgesEnded(postgres.databaseUrl, chains)

test('no bridge is replaced under a winner, on either of its chains', async () => {
  const { play } = pair
  const id = await play.create()
  await play.anchor(id)
  await play.letRecipientsStand(id)
  await play.bid(id)
  await play.endAuction()
  await play.deposit(id)
  await check(configs())
  const words = (name: string) =>
    new RegExp(`bridge of ${name} is .* 1 open intents need its former`)
  for (const name of ['base_sepolia', 'horizen_testnet'])
    await expect(check(replacedOn(name))).rejects.toThrow(words(name))
  // Where both were replaced, this is an intent of the successor, delivered on the other one.
  const { bridge } = pair.base.config
  const client = await postgres.connect()
  const rows = 'update app.recovery set bridge = $1 where chain_id = $2'
  await client.query(rows, [`0x${'b0'.repeat(20)}`, pair.base.config.chainId])
  await check(replacedOn('horizen_testnet'))
  await client.query(rows, [bridge.toLowerCase(), pair.base.config.chainId])
  // As the operator starts it.
  const file = join(directory, 'chains.json')
  writeFileSync(file, JSON.stringify({ chains: replacedOn('horizen_testnet') }))
  const { ended, said } = startRole('reactions', {
    DATABASE_URL: postgres.databaseUrl,
    CHAINS: file,
    ENCLAVE_ROOT_FILE: join(directory, 'root'),
  })
  expect(await ended).toBe(2)
  expect(said()).toMatch(words('horizen_testnet'))
  await play.settle(id, await play.deliver(id))
  for (const name of ['base_sepolia', 'horizen_testnet']) await check(replacedOn(name))
})

test('nor under an auction that may still be won, on its own chain', async () => {
  await pair.play.create()
  await expect(check(replacedOn('base_sepolia'))).rejects.toThrow('1 open intents need its former')
  await check(replacedOn('horizen_testnet'))
  await pair.base.client.increaseTime({ seconds: 3_700 })
  await pair.base.client.mine({ blocks: 1 })
  await check(replacedOn('base_sepolia'))
})

test('a bridge that was another contract by mistake is corrected', async () => {
  const client = await postgres.connect()
  const { chainId, bridge } = pair.base.config
  const rows = 'update app.recovery set bridge = lower($1) where chain_id = $2'
  await client.query(rows, [pair.base.contracts.tokens.USDC, chainId])
  await check(configs())
  await client.query(rows, [bridge, chainId])
})

test('nor while a chain can’t be read', async () => {
  const dead = `http://127.0.0.1:${await findDeadPort()}`
  const confused = await serveAnswer({ error: { code: -32603, message: 'Internal error' } })
  for (const url of [dead, confused]) {
    const chains = replacedOn('base_sepolia', { rpcUrls: [url] })
    await expect(check(chains)).rejects.toThrow('can’t be read')
  }
})

test('a node that is down, or lacks the bridge because it is behind, hides no winner', async () => {
  const dead = `http://127.0.0.1:${await findDeadPort()}`
  const empty = await serveAnswer({ result: '0x' })
  await pair.play.create()
  for (const url of [dead, empty]) {
    const rpcUrls = [url, ...pair.base.config.rpcUrls]
    const chains = replacedOn('base_sepolia', { rpcUrls })
    await expect(check(chains)).rejects.toThrow('1 open intents need its former')
  }
})

test('a node that invents intents without end doesn’t hold up the check', async () => {
  const { client, config, node } = pair.base
  const get = encodeFunctionData({ ...GET, args: [packIntentId(config.chainId, 1n)] })
  const { data: returnData = '0x' } = await client.call({ to: config.bridge, data: get })
  const latest = encodeFunctionData({ abi: bridgeIntentV2Abi, functionName: 'getLatestIntentId' })
  const many = numberToHex(packIntentId(config.chainId, 2n ** 63n), { size: 32 })
  const liar = await startFaultyRpc(node.rpc)
  onTestFinished(() => liar.close())
  liar.inject(({ method, params }) => {
    if (method !== 'eth_call') return undefined
    const { data = '' } = params[0] as { data?: string }
    if (data === latest) return { result: many }
    // A page of them, each like the first.
    const count = data.split(get.slice(2, 50)).length - 1
    const result = Array.from({ length: count }, () => ({ success: true, returnData }))
    return { result: encodeFunctionResult({ ...MULTICALL, result }) }
  })
  const chains = replacedOn('horizen_testnet').map((chain) =>
    chain.chainId === config.chainId ? { ...chain, rpcUrls: [...chain.rpcUrls, liar.url] } : chain,
  )
  await requireFormerBridgesEnded(postgres.databaseUrl, chains, 2_000)
  // Several pages.
  expect(liar.count('eth_call')).toBeGreaterThan(10)
})

const GET = { abi: bridgeIntentV2Abi, functionName: 'getIntent' } as const
const MULTICALL = { abi: multicall3Abi, functionName: 'aggregate3' } as const

test('a winner is found however many intents came after it', async () => {
  const { client, config } = pair.base
  const pages: bigint[][] = []
  for await (const page of readIntentPages(client, config, 2n))
    pages.push(page.map(({ intentId }) => intentId & 0xffffffffn))
  expect(pages).toEqual([[3n, 2n], [1n]])
})

/** Answers each call like this, but serves the chain and has blocks. */
function serveAnswer(answer: object): Promise<string> {
  return serveLocally(async (request, response) => {
    const calls = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8'))
    const answerOf = ({ id, method }: { id: number; method: string }) => {
      const block = { number: '0x1', timestamp: '0x1', transactions: [] }
      const known = { eth_chainId: '0x14a34', eth_getBlockByNumber: block }[method]
      return { jsonrpc: '2.0', id, ...(known === undefined ? answer : { result: known }) }
    }
    const answers = [calls].flat().map(answerOf)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(calls) ? answers : answers[0]))
  })
}
