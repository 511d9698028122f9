import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, erc20Abi, type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Indexer } from '../../../services/indexer/startIndexer.ts'
import { TABLE_NAMES, TABLES } from '../../../src/table/tableShapes.ts'
import { foldRows } from '../../unit/projection/model/foldRows.ts'
import { hashEvents } from '../../unit/projection/model/hashEvents.ts'
import {
  type BridgeChain,
  type BridgePair,
  readChainEvents,
  startBridgePair,
} from '../indexer/bridgePair.ts'
import { readKeptState } from '../indexer/expectStateHash.ts'
import {
  awaitCaughtUp,
  awaitLive,
  startTestDatabase,
  startTestIndexer,
  type TestDatabase,
} from '../indexer/indexerUnderTest.ts'
import { reportsOf, runReplay, runReplayProgram } from './runReplay.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-replay-'))
let pair: BridgePair
let database: TestDatabase
let indexer: Indexer
let env: Record<string, string>

beforeAll(async () => {
  ;[pair, database] = await Promise.all([startBridgePair(), startTestDatabase()])
  await playEveryOutcome(pair)
  const chains = [pair.base.config, pair.horizen.config]
  writeFileSync(join(directory, 'chains.json'), JSON.stringify({ chains }))
  env = { CHAINS: join(directory, 'chains.json'), DATABASE_URL: database.url }
  indexer = await startTestIndexer(database.url, chains)
  await Promise.all([awaitLive(indexer, pair.base), awaitLive(indexer, pair.horizen)])
})

afterAll(async () => {
  await indexer?.stop()
  await Promise.all([pair?.stop(), database?.stop()])
  rmSync(directory, { recursive: true, force: true })
})

describe('replay from raw logs', () => {
  test('gives the reducer’s rows, without a database', async () => {
    const run = await runReplayProgram(['--json'], { CHAINS: env.CHAINS as string })
    expect([run.code, run.stderr]).toEqual([0, ''])
    for (const chain of [pair.base, pair.horizen]) {
      const report = reportsOf(run).get(chain.name)
      const events = await readChainEvents(chain)
      expect(report).toMatchObject({ events: events.length, comparison: null })
      expect(report?.stateHash).toBe(hashEvents(events))
    }
  })

  test('--as-of stops at a block, on one chain or all', async () => {
    const events = await readChainEvents(pair.base)
    const middle = events[Math.floor(events.length / 2)]!.point.blockNumber
    const until = events.filter(({ point }) => point.blockNumber <= middle)
    const run = await runReplay(['--json', '--as-of', `base_testnet=${middle}`], env)
    const reports = reportsOf(run)
    expect(reports.get('base_sepolia')?.block.number).toBe(middle)
    expect(reports.get('base_sepolia')?.stateHash).toBe(hashEvents(until))
    // The other chain stops at the same moment.
    const moment = reports.get('base_sepolia')?.block.timestamp as number
    const there = (await readChainEvents(pair.horizen)).filter(
      ({ point }) => point.blockTimestamp <= moment,
    )
    expect(reports.get('horizen_testnet')?.stateHash).toBe(hashEvents(there))
    expect(reports.get('horizen_testnet')?.block.timestamp).toBeLessThanOrEqual(moment)
  })

  test('--as-of gives the statuses and balances at that block', async () => {
    const events = await readChainEvents(pair.base)
    const [delivery] = (await readChainEvents(pair.horizen)).filter(
      ({ type }) => type === 'IntentSolved',
    )
    const delivered = delivery!.point.blockNumber
    for (const [type, there, statuses] of [
      ['BidPlaced', delivered, { pending: 1 }],
      ['SolverDeposited', delivered - 1, { solving: 1 }],
      ['SolverDeposited', delivered, { settled: 1 }],
      ['IntentSettled', delivered, { completed: 1 }],
    ] as const) {
      const { blockNumber } = events.find((event) => event.type === type)!.point
      const moment = [`base_sepolia=${blockNumber}`, `horizen_testnet=${there}`]
      const args = ['--json', ...moment.flatMap((block) => ['--as-of', block])]
      const report = reportsOf(await runReplay(args, env)).get('base_sepolia')!
      expect(Object.entries(report.statuses).filter(([, number]) => number > 0)).toEqual(
        Object.entries(statuses),
      )
      expect(report.balances!.every(({ surplus }) => Number(surplus) === 0)).toBe(true)
      expect(report.balances!.some(({ owed }) => BigInt(owed) > 0n)).toBe(true)
    }
    const { blockNumber } = events.find(({ type }) => type === 'SolverDeposited')!.point
    const alone = ['--chain', 'base_sepolia', '--as-of', String(blockNumber)]
    expect((await runReplay(alone, env)).stdout).toContain('  intents: undecided 1\n')
  })

  test('--export writes every row, sorted, in both formats', async () => {
    const rows = foldRows(await readChainEvents(pair.base))
    for (const format of ['ndjson', 'csv']) {
      const to = join(directory, format)
      const run = await runReplay(
        ['--chain', 'base_sepolia', '--export', to, '--format', format],
        env,
      )
      expect(run.code).toBe(0)
      for (const table of TABLE_NAMES) {
        const file = join(to, 'base_sepolia', `${TABLES[table].sqlName}.${format}`)
        const lines = readFileSync(file, 'utf8').split(/\r?\n/).slice(0, -1)
        expect(lines).toHaveLength(rows.rows(table).length + (format === 'csv' ? 1 : 0))
      }
    }
    const intents = readFileSync(join(directory, 'ndjson', 'base_sepolia', 'intent.ndjson'), 'utf8')
    expect(JSON.parse(intents.split('\n')[0] as string)).toMatchObject({
      source_chain_id: 84532,
      intent_id: String((84532n << 64n) + 1n),
      phase: 'completed',
      amount_a: '100000000',
    })
  })

  test('a start block after the history, or an address without a bridge, isn’t called sound', async () => {
    const file = join(directory, 'wrong.json')
    const replayWith = (change: object) => {
      writeFileSync(file, JSON.stringify({ chains: [{ ...pair.base.config, ...change }] }))
      return runReplay([], { CHAINS: file })
    }
    const late = await replayWith({ startBlock: Number(await pair.base.client.getBlockNumber()) })
    expect([late.code, late.stdout]).toEqual([1, expect.stringContaining('startBlock is too late')])
    const wrong = await replayWith({ bridge: `0x${'b1'.repeat(20)}`, vault: undefined })
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('no bridge is at 0xb1')])
  })

  test('a failure is explained, with exit code 2', async () => {
    const { CHAINS } = env as { CHAINS: string }
    for (const [args, said] of [
      [['--as-of', '99999999'], 'has no block 99999999 yet'],
      [['--compare'], '--compare needs DATABASE_URL'],
    ] as const) {
      const run = await runReplayProgram(args, { CHAINS })
      expect([args, run.code]).toEqual([args, 2])
      expect(run.stderr).toContain(said)
      expect(run.stderr).not.toContain('    at ')
    }
    expect((await runReplay(['--help'], {})).stdout).toContain('--compare')
  })
})

describe('the database’s state hash', () => {
  test('equals a replay’s at the same block, after each new block', async () => {
    for (let round = 0; round < 3; round++) {
      if (round > 0) await pair.play.create()
      await bothCaughtUp()
      for (const chain of [pair.base, pair.horizen]) {
        const { block, stateHash: kept } = await readKeptState(database.url, chain.chainId)
        const events = await readChainEvents(chain)
        const until = events.filter(({ point }) => point.blockNumber <= block.number)
        expect(kept).toBe(hashEvents(until))
      }
    }
  })
})

describe('replay --compare', () => {
  test('finds no difference in an honest index, and each bridge holds what it owes', async () => {
    await bothCaughtUp()
    const run = await runReplay(['--compare', '--json'], env)
    expect([run.code, run.stderr]).toEqual([0, ''])
    for (const { name } of [pair.base, pair.horizen]) {
      const report = reportsOf(run).get(name)
      const rows = Object.values(report!.rows).reduce((sum, number) => sum + number, 0)
      const { stateHash: keptHash } = report!
      expect(report!.comparison).toMatchObject({ rows, differences: 0, first: [], keptHash })
      expect(report!.balances!.every(({ surplus }) => Number(surplus) === 0)).toBe(true)
    }
    const base = reportsOf(run).get('base_sepolia')!
    expect(base.balances!.some(({ owed }) => BigInt(owed) > 0n)).toBe(true)
    expect(base.statuses).toMatchObject({ completed: 2, cancelled: 2, failed: 1 })
    expect(base.rows).toMatchObject({ scheduled_order: 3, tranche: 3, vault_escrow: 1 })
    const [vault] = base.balances!.filter(({ holder }) => holder === 'vault')
    expect(vault).toMatchObject({ owed: '50000007', held: '50000007', surplus: '0' })
    const elsewhere = reportsOf(run).get('horizen_testnet')!
    expect([elsewhere.vault, elsewhere.rows.scheduled_order]).toEqual([null, 0])
  })

  test('with --as-of compares the database’s state at an earlier block', async () => {
    await readKeptState(database.url, 84532)
    const events = await readChainEvents(pair.base)
    const deposit = events.find(({ type }) => type === 'SolverDeposited')!.point.blockNumber
    const args = ['--compare', '--as-of', `base_sepolia=${deposit}`]
    const honest = await runReplay([...args, '--json'], env)
    expect([honest.code, honest.stderr]).toEqual([0, ''])
    const { comparison, rows } = reportsOf(honest).get('base_sepolia')!
    const { event, bid, intent } = rows
    expect(comparison).toMatchObject({ rows: event! + bid! + intent!, differences: 0 })

    const schema = indexer.statuses().find(({ chainId }) => chainId === 84532)?.schema
    const tampered = `UPDATE "${schema}".event SET args = args || '{"feeBps": 700}'
      WHERE type = 'IntentAnchored' AND block_number <= ${deposit}`
    const replica = 'SET session_replication_role = replica'
    await database.client.query(`CREATE TEMP TABLE kept AS SELECT * FROM "${schema}".event`)
    await database.client.query(`${replica}; ${tampered}; RESET session_replication_role`)
    const found = await runReplay(args, env)
    expect(found.code).toBe(1)
    expect(found.stdout).toMatch(/event \(.*\)\n +args: database/)
    await database.client.query(`${replica}; DELETE FROM "${schema}".event;
      INSERT INTO "${schema}".event SELECT * FROM kept; DROP TABLE kept; RESET session_replication_role`)
    expect(await runReplay(args, env)).toMatchObject({ code: 0 })
  })

  test('names a changed, a missing and an unexpected row, and exits with 1', async () => {
    // A hash that is counted while rows are damaged would be that of the damage.
    await readKeptState(database.url, 84532)
    const schema = indexer.statuses().find(({ chainId }) => chainId === 84532)?.schema
    // No triggers: the damage is one that nobody was told of.
    const run = (sql: string) =>
      database.client.query(`SET session_replication_role = replica; SET search_path = "${schema}";
        ${sql}; RESET search_path; RESET session_replication_role`)
    const damages = [
      [
        'UPDATE intent SET reward = reward + 1',
        /intent \(.*\)\n +reward: database \d+, replay \d+/,
      ],
      ['UPDATE bridge SET creation_paused = true', /creationPaused: database true, replay false/],
      ['UPDATE event SET args = args || \'{"amountB": "1"}\' WHERE type = \'BidPlaced\'', /args: /],
      ['DELETE FROM bid', /bid \(.*\) not in the database/],
      [
        "INSERT INTO escrow VALUES (84532, '0xdead', 1, 0, 0, 0, 0)",
        /0xdead\) only in the database/,
      ],
    ] as const
    for (const [damage, said] of damages) {
      const table = /(?:UPDATE|FROM|INTO) (\w+)/.exec(damage)?.[1]
      await run(`CREATE TEMP TABLE kept AS SELECT * FROM ${table}; ${damage}`)
      const compared = await runReplay(['--compare'], env)
      expect([damage, compared.code, compared.stderr]).toEqual([damage, 1, ''])
      expect(compared.stdout).toMatch(said)
      await run(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM kept; DROP TABLE kept`)
    }
    expect(await runReplay(['--compare'], env)).toMatchObject({ code: 0 })

    await database.client.query('UPDATE app.state_base SET lane_2 = lane_2 + 1')
    const forged = await runReplay(['--compare'], env)
    expect(forged.code).toBe(1)
    expect(forged.stdout).toContain('its state hash is DIFFERENT')
    await database.client.query('UPDATE app.state_base SET lane_2 = lane_2 - 1')
  })

  test('a donation is a surplus, not an error; missing tokens are an error', async () => {
    const { bridge, tokens } = pair.base.contracts
    await transfer(pair.base, tokens.ZEN, pair.base.solvers[0]!.address, bridge, 5n)
    await bothCaughtUp()
    const donated = await runReplay(['--compare'], env)
    expect(donated.code).toBe(0)
    expect(donated.stdout).toContain('surplus 5 ')

    await transfer(pair.base, tokens.USDC, bridge, pair.base.relayer.address, 1n)
    await bothCaughtUp()
    const robbed = await runReplayProgram(['--compare'], env)
    expect(robbed.code).toBe(1)
    expect(robbed.stdout).toContain('SHORT of 1')
  })
})

/** Completed, cancelled, expired, failed with a slashed bond, and some still running. */
async function playEveryOutcome({ play }: BridgePair): Promise<void> {
  const settled = await play.create()
  await play.anchor(settled)
  await play.bid(settled)
  await play.endAuction()
  await play.deposit(settled)
  await play.settle(settled, await play.deliver(settled))
  await play.cancel(await play.create())
  const expired = await play.create()
  const failed = await play.create()
  await play.anchor(failed)
  await play.bid(failed)
  await play.endAuction()
  await play.refund(expired)
  await play.deposit(failed)
  await play.letDeliveryPass()
  await play.refund(failed)
  const running = await play.create()
  await play.anchor(running)
  await play.bid(running)
  await play.bid(running, 2n)
  await playOrders(play)
}

/** Filled with one tranche completed and one cancelled, cancelled by its owner, and one still running. */
async function playOrders(play: BridgePair['play']): Promise<void> {
  const filled = await play.fundOrder(1)
  const tranche = await play.fireTranche(filled, 0)
  await play.anchor(tranche)
  await play.bid(tranche)
  await play.letPeriodPass()
  await play.deposit(tranche)
  await play.settle(tranche, await play.deliver(tranche))
  await play.cancel(await play.fireTranche(filled, 1))
  await play.closeOrder(filled)
  await play.leaveOrder(await play.fundOrder(2))
  const running = await play.fundOrder(3)
  await play.fireTranche(running, 0)
}

async function bothCaughtUp(): Promise<void> {
  await awaitCaughtUp(database.client, pair.base)
  await awaitCaughtUp(database.client, pair.horizen)
}

/** A plain token transfer, by an account whose key need not be known. */
async function transfer(chain: BridgeChain, token: Hex, from: Hex, to: Hex, amount: bigint) {
  const { client } = chain
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
  await client.impersonateAccount({ address: from })
  await client.setBalance({ address: from, value: 10n ** 18n })
  const transaction = { from, to: token, data, gas: numberToHex(200_000) }
  const hash = await client.request({
    method: 'eth_sendTransaction',
    params: [transaction],
  } as never)
  const receipt = await client.waitForTransactionReceipt({ hash: hash as Hex })
  expect(receipt.status).toBe('success')
}
