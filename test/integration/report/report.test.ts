import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ethers } from 'ethers'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Manifest } from '../../../tools/report/manifest.ts'
import type { ReportSignature } from '../../../tools/report/signManifest.ts'
import { runProgram } from '../../runProgram.ts'
import { hashEvents } from '../../unit/projection/model/hashEvents.ts'
import {
  type BridgeChain,
  type BridgePair,
  readChainEvents,
  startBridgePair,
} from '../indexer/bridgePair.ts'
import { describeReportPage } from './describeReportPage.ts'

const MAIN = fileURLToPath(new URL('../../../tools/report/main.ts', import.meta.url))
const KEY = `0x${'c7'.repeat(32)}` as const
/** What an attacker would call a token, were it shown in a spreadsheet and on a page. */
const EVIL = '=HYPERLINK("<b>")'

const directory = mkdtempSync(join(tmpdir(), 'cairn-report-'))
let pair: BridgePair
let env: Record<string, string>
/** The last block of base before the second half of what was played. */
let middle: number

beforeAll(async () => {
  pair = await startBridgePair()
  middle = await playEveryOutcome(pair)
  const { USDC, ZEN } = pair.base.contracts.tokens
  const tokens = { [EVIL]: { address: USDC, decimals: 6 }, ZEN: { address: ZEN, decimals: 18 } }
  const chains = [
    { ...pair.base.config, tokens },
    { ...pair.horizen.config, confirmations: 0 },
  ]
  writeFileSync(join(directory, 'chains.json'), JSON.stringify({ chains }))
  writeFileSync(join(directory, 'key'), KEY, { mode: 0o600 })
  env = { CHAINS: join(directory, 'chains.json'), REPORT_KEY_FILE: join(directory, 'key') }
})

afterAll(async () => {
  await pair?.stop()
  rmSync(directory, { recursive: true, force: true })
})

const report = (...args: string[]) => runProgram(MAIN, args, { env })
const folder = (name: string) => join(directory, name)
const fileOf = (name: string, file: string) => readFileSync(join(folder(name), file), 'utf8')
const manifestOf = (name: string) => JSON.parse(fileOf(name, 'manifest.json')) as Manifest

describe('cairn report', () => {
  test('lists each intent with its end, and statements close at the contracts’ balances', async () => {
    const run = await report('--out', folder('whole'))
    expect([run.code, run.stderr]).toEqual([0, ''])
    expect(run.stdout).toContain("Every statement closes at the contract's balance.")
    const intents = rowsOf('whole', 'intents.csv')
    expect(intents.map(({ status }) => status).sort()).toEqual(
      ['cancelled', 'completed', 'expired', 'failed', 'pending', 'pending'].sort(),
    )
    const completed = intents.find(({ status }) => status === 'completed')!
    expect(completed).toMatchObject({
      chain: 'base_sepolia',
      symbol: `'${EVIL}`,
      amount: '100',
      reward: '1',
      fee: '2.5',
      payout: '98.5',
      fee_base: '2500000',
      delivered_symbol: 'ZEN',
    })
    const receipt = await pair.base.client.getTransactionReceipt({
      hash: completed.transaction as Hex,
    })
    const block = await pair.base.client.getBlock({ blockHash: receipt.blockHash })
    expect(completed.date).toBe(
      new Date(Number(block.timestamp) * 1000).toISOString().replace('.000', ''),
    )
    for (const status of ['cancelled', 'expired', 'failed'])
      expect(intents.find((one) => one.status === status)).toMatchObject({
        refund: '101',
        payout: '',
        fee: '',
        // Nobody has vouched for what the winner of the failed one delivered.
        delivered: '',
        delivery_transaction: '',
      })
    await expectBalances('whole')
  })

  test('the manifest names blocks, state and files, and any wallet can check its signature', async () => {
    const manifest = manifestOf('whole')
    for (const chain of [pair.base, pair.horizen]) {
      const { opening, closing } = manifest.chains.find(({ name }) => name === chain.name)!
      const events = await readChainEvents(chain)
      const block = await chain.client.getBlock({ blockNumber: BigInt(closing.block) })
      const until = events.filter(({ point }) => point.blockNumber <= closing.block)
      expect(opening).toBe(null)
      expect(closing).toMatchObject({ blockHash: block.hash, stateHash: hashEvents(until) })
    }
    expect(manifest.files.map(({ name }) => name)).toEqual([
      ...['intents.csv', 'statements.csv', 'changes.csv', 'report.html'],
    ])
    // Another library, by the documented words: EIP-191 over the manifest's checksum.
    const { message, signature } = JSON.parse(fileOf('whole', 'signature.json')) as ReportSignature
    const text = new TextEncoder().encode(fileOf('whole', 'manifest.json'))
    expect(message).toBe(`CAIRN_REPORT:${ethers.utils.sha256(text).slice(2)}`)
    const signer = ethers.utils.verifyMessage(message, signature)
    expect(signer).toBe(privateKeyToAddress(KEY))
    const verified = await report('verify', folder('whole'), '--signer', signer)
    expect(verified.code).toBe(0)
    expect(verified.stdout).toContain(`The report is intact, signed by ${signer}.`)
  })

  test('the same blocks give the same files', async () => {
    const ends = manifestOf('whole').chains.flatMap(({ name, closing }) => {
      return ['--to', `${name}=${closing.block}`]
    })
    expect((await report('--out', folder('again'), ...ends)).code).toBe(0)
    for (const file of readdirSync(folder('whole')))
      expect([file, fileOf('again', file)]).toEqual([file, fileOf('whole', file)])
  })

  describeReportPage(directory, () => join(folder('whole'), 'report.html'))

  test('nothing private, and no token text that a spreadsheet or page would run', () => {
    for (const file of readdirSync(folder('whole'))) {
      const text = fileOf('whole', file).toLowerCase()
      for (const secret of [KEY.slice(2), ...pair.base.config.rpcUrls, pair.base.config.wsUrl!])
        expect([file, text.includes(secret)]).toEqual([file, false])
      for (const sender of pair.base.senders)
        expect([file, text.includes(sender.address.toLowerCase())]).toEqual([file, false])
    }
    for (const file of ['intents.csv', 'statements.csv', 'changes.csv'])
      for (const cell of cellsOf(fileOf('whole', file)).flat())
        expect([file, cell, /^[=+\-@\t\r]/.test(cell)]).toEqual([file, cell, false])
    expect(fileOf('whole', 'report.html')).toContain('=HYPERLINK(&quot;&lt;b&gt;&quot;)')
  })

  test('a later period opens where the earlier one closes, and shows what changed', async () => {
    const { code } = await report('--out', folder('later'), '--from', `base_sepolia=${middle + 1}`)
    expect(code).toBe(0)
    await expectBalances('later')
    const base = manifestOf('later').chains.find(({ name }) => name === 'base_sepolia')!
    expect(base.opening?.block).toBe(middle)
    const events = await readChainEvents(pair.base)
    const until = events.filter(({ point }) => point.blockNumber <= middle)
    expect(base.opening?.stateHash).toBe(hashEvents(until))
    // Completed and cancelled before: their money had left.
    const statuses = rowsOf('later', 'intents.csv').map(({ status }) => status)
    expect(statuses.sort()).toEqual(['expired', 'failed', 'pending', 'pending'])
    const changes = rowsOf('later', 'changes.csv')
    const [failed] = changes.filter(({ status }) => status === 'failed')
    expect(failed).toMatchObject({
      status_before: 'pending',
      events: 'BidPlaced, SolverDeposited, IntentRefunded, BidForfeited',
    })
    expect(failed?.columns).toContain('phase open → failed')
    expect(changes.filter(({ status_before }) => status_before === '')).toHaveLength(2)
  })

  test('diff prints the same changes', async () => {
    const run = await report('diff', '--json', '--from', `base_sepolia=${middle + 1}`)
    expect([run.code, run.stderr]).toEqual([0, ''])
    const { chains, intents } = JSON.parse(run.stdout)
    expect(intents.map(({ intentId }: { intentId: string }) => intentId)).toEqual(
      rowsOf('later', 'changes.csv').map(({ intent }) => intent),
    )
    expect(chains[0]).toMatchObject({
      chain: 'base_sepolia',
      rows: { intent: { added: 2, changed: 2 }, scheduledOrder: { added: 1, changed: 0 } },
    })
  })

  test('a donation is reported as a difference, with exit code 1', async () => {
    const { bridge, tokens } = pair.base.contracts
    await donate(pair.base, tokens.ZEN, bridge, 5n)
    // Confirmed by one more block.
    await pair.base.client.mine({ blocks: 1 })
    const later = await report('--out', folder('different'), '--chain', 'base_sepolia')
    expect(later.code).toBe(1)
    const fault = `the bridge of base_sepolia holds 5 more of ${tokens.ZEN.toLowerCase()} than it owes`
    expect(later.stdout).toContain(`DOES NOT BALANCE: ${fault}.`)
    expect(manifestOf('different').faults).toEqual([fault])
    expect(fileOf('different', 'report.html')).toContain(fault)
    expect(
      rowsOf('different', 'statements.csv').filter(({ entry }) => entry === 'surplus'),
    ).toEqual([expect.objectContaining({ token: tokens.ZEN.toLowerCase(), balance_base: '5' })])
  })
})

/** Every closing, and every opening that isn't the start's, is what the contract holds on chain. */
async function expectBalances(name: string): Promise<void> {
  const lines = rowsOf(name, 'statements.csv')
  const closings = lines.filter(({ entry }) => entry === 'closing')
  expect(new Set(closings.map(({ holder }) => holder))).toEqual(new Set(['bridge', 'vault']))
  expect(closings.some(({ balance_base }) => BigInt(balance_base!) > 0n)).toBe(true)
  for (const entry of ['opening', 'closing'] as const) {
    for (const line of lines.filter((one) => one.entry === entry)) {
      const chain = [pair.base, pair.horizen].find((one) => one.name === line.chain)!
      const at = manifestOf(name).chains.find((one) => one.name === line.chain)![entry]
      const held =
        at === null ? 0n : await balanceOf(chain, line.token as Hex, line.address as Hex, at.block)
      expect([entry, line.token, BigInt(line.balance_base!)]).toEqual([entry, line.token, held])
    }
  }
}

function balanceOf({ client }: BridgeChain, token: Hex, holder: Hex, block: number) {
  return client.readContract({
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [holder],
    address: token,
    blockNumber: BigInt(block),
  })
}

/** The lines of a CSV file, by column. */
function rowsOf(name: string, file: string): Record<string, string>[] {
  const [columns, ...lines] = cellsOf(fileOf(name, file)) as [string[], ...string[][]]
  return lines.map((line) => Object.fromEntries(columns.map((column, at) => [column, line[at]!])))
}

/** RFC 4180, read without our own writer. */
function cellsOf(text: string): string[][] {
  const cell = /(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(,|\r\n)/gy
  const lines: string[][] = [[]]
  for (const [, quoted, plain, end] of text.matchAll(cell)) {
    lines.at(-1)!.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'))
    if (end === '\r\n') lines.push([])
  }
  return lines.slice(0, -1)
}

async function donate(chain: BridgeChain, token: Hex, to: Hex, amount: bigint): Promise<void> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
  await chain.solvers[0]!.execute({ to: token, data })
}

/** Completed and cancelled; then expired, failed, an order's tranche and one that is still open. */
async function playEveryOutcome({ play, base }: BridgePair): Promise<number> {
  const settled = await play.create()
  await play.anchor(settled)
  await play.bid(settled)
  await play.endAuction()
  await play.deposit(settled)
  await play.settle(settled, await play.deliver(settled))
  await play.cancel(await play.create())
  await play.collectFees()
  const expired = await play.create('0x', 2_000)
  const failed = await play.create('0x', 2_000)
  await play.anchor(failed)
  const block = Number(await base.client.getBlockNumber())
  await play.bid(failed)
  for (let passed = 0; passed < 2_000; passed += 200) await play.letPeriodPass()
  await play.refund(expired)
  await play.deposit(failed)
  await play.deliver(failed)
  await play.letDeliveryPass()
  await play.refund(failed)
  await play.create()
  await play.fireTranche(await play.fundOrder(1), 0)
  await base.client.mine({ blocks: 1 })
  return block
}
