import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  parseAbi,
  toHex,
} from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findSafeContracts, type SafeContracts } from '../../../core/safe/safeContracts.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { DEVNET_WINDOWS } from '../../../devnet/bridgeWindows.ts'
import { deployCreate2 } from '../../../devnet/deploy/deployCreate2.ts'
import { buildDevnetContracts } from '../../../devnet/deploy/devnetContracts.ts'
import { asSafeTransaction } from '../../../sdk/safe/multiSend.ts'
import { execTransactionCall, safeTransactionDocument } from '../../../sdk/safe/safeTransaction.ts'
import type { AccountSender } from '../../../services/chain/accountSender.ts'
import { predictOwnedSafe } from '../../../tools/sweep/predictOwnedSafe.ts'
import { encodeMint } from '../../rig/encodeMint.ts'
import { type FaultyRpc, type RpcCall, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { answer, guardToken, refuse, refuseOrigin } from '../../rig/guardToken.ts'
import { readCompiledContracts } from '../../run/compiledContracts.ts'
import type { ProgramRun } from '../../runProgram.ts'
import { type BridgeChain, openBridgeChain } from '../indexer/bridgePair.ts'
import { ENDLESS_TOKEN_CODE, falseTokenCode } from './falseToken.ts'
import { parseReport, sweepAsProcess, sweepInProcess } from './runSweepProgram.ts'

const CHAIN = 2651420
const contractsOfSafe = findSafeContracts(CHAIN)

/** A stealth key with its Safe. */
type Stealth = {
  key: Hex
  account: PrivateKeyAccount
  safeAddress: Address
  deployment: { to: Address; data: Hex }
}

let chain: BridgeChain
let rpc: FaultyRpc
let payer: AccountSender
let payerFile: string
let destination: Address
const directory = mkdtempSync(join(tmpdir(), 'cairn-sweep-'))

beforeAll(async () => {
  const contracts = buildDevnetContracts(
    await readCompiledContracts(),
    deriveDevnetAccounts(),
    DEVNET_WINDOWS,
  )
  chain = await openBridgeChain(contracts, 'horizen_testnet', CHAIN, 84532)
  rpc = await startFaultyRpc(chain.node.rpc)
  payer = chain.senders[0] as AccountSender
  payerFile = keyFile('payer', deriveDevnetAccounts().senders[0]!.privateKey)
})
afterAll(async () => {
  await rpc?.close()
  await chain?.node.stop()
  rmSync(directory, { recursive: true, force: true })
})
beforeEach(() => {
  destination = privateKeyToAccount(generatePrivateKey()).address
  rpc.inject(undefined)
})

describe('cairn-sweep', () => {
  test('deploys the Safe and moves its whole balance in one transaction; the stealth key pays nothing', async () => {
    const { key, safeAddress, account } = newStealth()
    await pay(safeAddress, { USDC: 5_000_000n, USDT: 7n, ZEN: 11n })
    await chain.client.setBalance({ address: safeAddress, value: 13n })
    const before = await chain.client.getBlockNumber()

    const run = await sweep(['--key-file', keyFile('one', key), '--json'])

    expect(run.code, run.stderr).toBe(0)
    expect(await held(destination)).toEqual({ USDC: 5_000_000n, USDT: 7n, ZEN: 11n })
    expect(await chain.client.getBalance({ address: destination })).toBe(13n)
    expect(await held(safeAddress)).toEqual({ USDC: 0n, USDT: 0n, ZEN: 0n })
    expect(await chain.client.getBlockNumber()).toBe(before + 1n)
    expect(await chain.client.getTransactionCount({ address: account.address })).toBe(0)
    const [safe] = parseReport(run).safes
    expect(safe).toMatchObject({ safeAddress, isDeployed: false, left: [] })
    expect(safe?.moved.map(({ symbol, amount }) => `${amount} ${symbol}`).sort()).toEqual(
      ['11 ZEN', '13 ETH', '5000000 USDC', '7 USDT'].sort(),
    )
  })

  test('simulates in a dry run, and sends nothing', async () => {
    const { key, safeAddress } = newStealth()
    await pay(safeAddress, { ZEN: 3n * 10n ** 18n })
    const before = await chain.client.getBlockNumber()

    const run = await sweep(['--key-file', keyFile('dry', key), '--dry-run'])

    expect(run.code, run.stderr).toBe(0)
    expect(run.stdout).toContain(`Safe ${safeAddress}`)
    expect(run.stdout).toContain('would move 3 ZEN')
    expect(await chain.client.getBlockNumber()).toBe(before)
    expect((await held(safeAddress)).ZEN).toBe(3n * 10n ** 18n)
  })

  test('combines several keys from standard input, one of a Safe already in use, into one transaction', async () => {
    const [used, fresh] = [newStealth(), newStealth()]
    await pay(used.safeAddress, { USDC: 2n })
    expect((await sweep(['--key-file', keyFile('used', used.key)])).code).toBe(0)
    await pay(used.safeAddress, { USDC: 30n, ZEN: 31n })
    await pay(fresh.safeAddress, { USDC: 40n })
    const before = await chain.client.getBlockNumber()

    const args = [...common(), '--key-file', '-', '--json']
    const run = await sweepAsProcess(args, `${used.key}\n\n${fresh.key}\n`)

    expect(run.code, run.stderr).toBe(0)
    expect(await held(destination)).toEqual({ USDC: 72n, USDT: 0n, ZEN: 31n })
    expect(await chain.client.getBlockNumber()).toBe(before + 1n)
    expect(parseReport(run).transactions[0]?.safes).toEqual([used.safeAddress, fresh.safeAddress])
    expect(parseReport(run).safes.map(({ isDeployed }) => isDeployed)).toEqual([true, false])

    const both = keyFile('both', `${used.key}\n${fresh.key}`)
    const again = await sweep(['--key-file', both, '--json'])
    expect(again.code).toBe(0)
    expect(parseReport(again).transactions).toEqual([])
  })

  test('lets the stealth key pay if there is no payer, and reports when it can’t', async () => {
    const { key, account, safeAddress } = newStealth()
    await pay(safeAddress, { USDC: 9n })
    const args = ['--rpc', rpc.url, '--to', destination, '--key-file', keyFile('self', key)]

    const poor = await sweepInProcess(args)
    expect(poor.code).toBe(2)
    expect(poor.stderr).toMatch(/^NOT_ENOUGH_GAS: /)
    expect(poor.stderr).toContain(account.address)

    await payer.execute({ to: account.address, data: '0x', value: 10n ** 17n })
    expect((await sweepInProcess(args)).code).toBe(0)
    expect((await held(destination)).USDC).toBe(9n)
  })

  test('leaves behind and names tokens that refuse, and moves the others', async () => {
    const { key, safeAddress } = newStealth()
    const spam = await falseToken('0x00000000000000000000000000000000000fa15e', 5n)
    await pay(safeAddress, { USDC: 50n, ZEN: 60n })
    await payer.execute({ to: spam, data: padded(safeAddress) })
    await blacklist(safeAddress)

    const run = await sweep(['--key-file', keyFile('refused', key), '--json'])

    expect(run.code).toBe(1)
    expect(await held(destination)).toEqual({ USDC: 0n, USDT: 0n, ZEN: 60n })
    const left = parseReport(run).safes[0]?.left.map(({ token }) => token)
    expect(left?.sort()).toEqual([chain.contracts.tokens.USDC, getAddress(spam)].sort())
  })

  test('sends nothing that a token would make fail for this payer only', async () => {
    const { key, safeAddress } = newStealth()
    await pay(safeAddress, { USDC: 3n })
    const guard = refuseOrigin('0xa9059cbb', payer.address)
    await spamToken('0x00000000000000000000000000000000000fa161', safeAddress, guard)
    const sent = await chain.client.getTransactionCount({ address: payer.address })
    const run = await sweep(['--key-file', keyFile('origin', key)])
    expect(run.stderr).toMatch(/^SIMULATION_FAILED: .*--token/)
    expect(await chain.client.getTransactionCount({ address: payer.address })).toBe(sent)
    const named = ['--token', chain.contracts.tokens.USDC]
    expect((await sweep(['--key-file', keyFile('origin', key), ...named])).code).toBe(0)
    expect((await held(destination)).USDC).toBe(3n)
  })

  test('prints nothing of a token’s that moves the terminal’s cursor or turns its text around', async () => {
    const { key, safeAddress } = newStealth()
    const guard = refuse('0xa9059cbb', '\u001b[2J\u009b1A\r\u202emoved')
    await spamToken('0x00000000000000000000000000000000000fa160', safeAddress, guard)
    for (const form of [[], ['--json']]) {
      const run = await sweep(['--key-file', keyFile('escapes', key), ...form])
      expect(run.code).toBe(1)
      expect(run.stdout).toContain('moved')
      expect(run.stdout.replaceAll('\n', '')).not.toMatch(/\p{C}/u)
    }
  })

  test('does not show a false Transfer of a token without a balance', async () => {
    const { key, safeAddress } = newStealth()
    const spam = await falseToken('0x00000000000000000000000000000000000fa15f', 0n)
    await payer.execute({ to: spam, data: padded(safeAddress) })
    const run = await sweep(['--key-file', keyFile('nothing', key)])
    expect(run.code).toBe(0)
    expect(run.stdout).toContain(
      'holds nothing: if it should, check that this is the payment’s chain',
    )
  })

  test('passes over a token that answers with more than a node may send', async () => {
    const { key, safeAddress } = newStealth()
    await pay(safeAddress, { USDC: 3n })
    const spam = '0x00000000000000000000000000000000000fa163'
    await chain.client.setCode({ address: spam, bytecode: ENDLESS_TOKEN_CODE })
    await payer.execute({ to: spam, data: padded(safeAddress) })
    // Many providers' nodes give a call more gas than a block has.
    const { gasLimit } = await chain.client.getBlock()
    await chain.client.setBlockGasLimit({ gasLimit: 200_000_000n })
    await chain.client.mine({ blocks: 1 })
    try {
      const run = await sweep(['--key-file', keyFile('endless', key)])
      expect(run.stderr).toBe('')
      expect(run.code).toBe(0)
    } finally {
      await chain.client.setBlockGasLimit({ gasLimit })
      await chain.client.mine({ blocks: 1 })
    }
    expect((await held(destination)).USDC).toBe(3n)
  })

  test('sweeps only the named tokens', async () => {
    const { key, safeAddress } = newStealth()
    await pay(safeAddress, { USDC: 1n, ZEN: 2n })
    const token = chain.contracts.tokens.ZEN
    rpc.inject(({ method }) =>
      method === 'eth_getLogs' ? { error: { code: -32000, message: 'no logs here' } } : undefined,
    )
    expect((await sweep(['--key-file', keyFile('named', key), '--token', token])).code).toBe(0)
    expect(await held(destination)).toEqual({ USDC: 0n, USDT: 0n, ZEN: 2n })
  })

  test('finds tokens through a server limited to ten blocks at a time', async () => {
    const { key, safeAddress } = newStealth()
    await pay(safeAddress, { USDT: 4n })
    await chain.client.mine({ blocks: 60 })
    rpc.inject(({ method, params }) => {
      if (method !== 'eth_getLogs') return undefined
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: Hex; toBlock: Hex }]
      if (Number(toBlock) - Number(fromBlock) < 10) return undefined
      return { error: { code: -32005, message: 'at most 10 blocks' } }
    })
    expect((await sweep(['--key-file', keyFile('narrow', key)])).code).toBe(0)
    expect((await held(destination)).USDT).toBe(4n)
  })

  test('continues past a block with more logs than a server returns at once', async () => {
    const { key, safeAddress } = newStealth()
    await pay(safeAddress, { USDT: 4n })
    const filled = await chain.client.getBlockNumber()
    await chain.client.mine({ blocks: 3 })
    await pay(safeAddress, { ZEN: 5n })
    rpc.inject(({ method, params }) => {
      if (method !== 'eth_getLogs') return undefined
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: Hex; toBlock: Hex }]
      if (BigInt(fromBlock) > filled || BigInt(toBlock) < filled) return undefined
      return { error: { code: -32005, message: 'query returned more than 10000 results' } }
    })
    expect((await sweep(['--key-file', keyFile('filled', key)])).code).toBe(0)
    expect(await held(destination)).toMatchObject({ USDT: 4n, ZEN: 5n })
  })

  test('reports a server that returns no logs, and what to do', async () => {
    const { key, safeAddress } = newStealth()
    await pay(safeAddress, { USDT: 4n })
    rpc.inject(({ method }) =>
      method === 'eth_getLogs' ? { error: { code: -32601, message: 'no such method' } } : undefined,
    )
    const run = await sweep(['--key-file', keyFile('nologs', key)])
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('--token') })
  })

  test('never takes a failing server for an empty Safe', async () => {
    const { key, safeAddress } = newStealth()
    await pay(safeAddress, { USDC: 1n })
    rpc.inject(({ method }) => (method === 'eth_call' ? { status: 502 } : undefined))
    const run = await sweep(['--key-file', keyFile('outage', key)])
    expect(run.code).toBe(2)
    expect(run.stderr).toMatch(/^RPC_UNREACHABLE: /)
  })

  test('pays no tip that a server invents, before or after the simulation', async () => {
    const { key, safeAddress } = newStealth()
    await pay(safeAddress, { USDC: 1n })
    const before = await chain.client.getBalance({ address: payer.address })
    const tip = { result: toHex(10n ** 14n) }
    const args = ['--key-file', keyFile('tip', key)]
    for (const honestAnswers of [0, 1]) {
      let left = honestAnswers
      rpc.inject(({ method }) =>
        method === 'eth_maxPriorityFeePerGas' && left-- <= 0 ? tip : undefined,
      )
      const run = await sweep(args)
      expect(run.code).toBe(2)
      expect(run.stderr).toMatch(/^GAS_TOO_DEAR: .*--max-fee-gwei/)
    }
    expect(await chain.client.getBalance({ address: payer.address })).toBe(before)
    rpc.inject(undefined)
    expect((await sweep([...args, '--max-fee-gwei', '100'])).code).toBe(0)
  })

  test('reports a Safe whose owner was replaced', async () => {
    const stealth = newStealth()
    await pay(stealth.safeAddress, { USDC: 1n })
    expect((await sweep(['--key-file', keyFile('before', stealth.key)])).code).toBe(0)
    await replaceOwner(stealth)
    const run = await sweep(['--key-file', keyFile('after', stealth.key)])
    expect(run.code).toBe(2)
    expect(run.stderr).toMatch(/^NOT_THE_OWNER: /)
  })

  test('sweeps the other Safes when one can’t be, and says why', async () => {
    const [replaced, own] = [newStealth(), newStealth()]
    await pay(replaced.safeAddress, { USDC: 1n })
    expect((await sweep(['--key-file', keyFile('first', replaced.key)])).code).toBe(0)
    await replaceOwner(replaced)
    await pay(own.safeAddress, { USDC: 6n })
    const both = keyFile('replaced and own', `${replaced.key}\n${own.key}`)
    const run = await sweep(['--key-file', both, '--json'])
    expect(run.code).toBe(2)
    expect(run.stderr).toMatch(/^NOT_THE_OWNER: /)
    const report = parseReport(run)
    expect(report.failures).toMatchObject([
      { code: 'NOT_THE_OWNER', safes: [replaced.safeAddress] },
    ])
    expect(report.safes).toMatchObject([{ safeAddress: own.safeAddress, left: [] }])
    expect((await held(destination)).USDC).toBe(7n)
  })

  test('doesn’t say that a token moved which only says so itself', async () => {
    const { key, safeAddress } = newStealth()
    const guard = answer('0xa9059cbb', 1)
    await spamToken('0x00000000000000000000000000000000000fa162', safeAddress, guard)
    await pay(safeAddress, { USDC: 3n })
    const run = await sweep(['--key-file', keyFile('pretends', key), '--json'])
    expect(run.code).toBe(1)
    const [safe] = parseReport(run).safes
    expect(safe?.moved).toMatchObject([{ symbol: 'USDC', amount: '3' }])
    expect(safe?.left).toMatchObject([
      { amount: '5', reason: expect.stringContaining('run this again') },
    ])
  })

  test.each([
    ['before the transaction', 'eth_sendRawTransaction'],
    ['after the transaction', 'eth_getTransactionReceipt'],
  ])('says that a token moved although as much arrives %s', async (_, held) => {
    const { key, safeAddress } = newStealth()
    await pay(safeAddress, { USDC: 3n })
    const arriving = async () => pay(safeAddress, { USDC: 3n }, chain.senders[1])
    let hold: Promise<void> | undefined
    rpc.inject(({ method }) => {
      if (method !== held) return undefined
      hold ??= arriving()
      return { hold }
    })
    const run = await sweep(['--key-file', keyFile('arrives', key), '--json'])
    expect(run.code, run.stdout).toBe(0)
    expect(parseReport(run).safes).toMatchObject([{ moved: [{ amount: '3' }], left: [] }])
  })

  test.each([
    ['eth_getBalance'],
    ['eth_getCode'],
    ['eth_blockNumber'],
    ['eth_call'],
    ['eth_estimateGas'],
  ])('names %s when the node answers it with nonsense', async (asked) => {
    const { key, safeAddress } = newStealth()
    await chain.client.setBalance({ address: safeAddress, value: 1n })
    for (const result of [null, 5, {}, 'no hex']) {
      rpc.inject(({ method }) => (method === asked ? { result } : undefined))
      const run = await sweep(['--key-file', keyFile('nonsense', key)])
      expect(run.code).toBe(2)
      expect(run.stderr).toBe(
        `RPC_UNREACHABLE: the chain's node answers ${asked} with nonsense: name another node with --rpc\n`,
      )
    }
  })

  test('names a transaction whose fate the node doesn’t say, by its own hash', async () => {
    const { key, safeAddress } = newStealth()
    await pay(safeAddress, { USDC: 3n })
    const args = ['--key-file', keyFile('unsaid', key)]
    rpc.inject(({ method }) => (method === 'eth_sendRawTransaction' ? { status: 502 } : undefined))
    const lost = await sweep(args)
    expect(lost.code).toBe(2)
    expect(lost.stderr).toMatch(/^TRANSACTION_UNCONFIRMED: .*0x[0-9a-f]{64}.*run this again/)
    // A hash of the node's choice is not looked at.
    const block = await chain.client.getBlock()
    rpc.inject(({ method }) =>
      method === 'eth_sendRawTransaction' ? { change: () => block.transactions[0] } : undefined,
    )
    const run = await sweep([...args, '--json'])
    expect(run.code, run.stderr).toBe(0)
    expect(parseReport(run).transactions[0]?.hash).not.toBe(block.transactions[0])
    expect((await held(destination)).USDC).toBe(3n)
  })

  test('reports what it has sent when a later transaction fails', async () => {
    const all = Array.from({ length: 21 }, newStealth)
    for (const { safeAddress } of all) {
      await payer.execute({ to: chain.contracts.tokens.USDC, data: encodeMint(safeAddress, 1n) })
    }
    let sent = 0
    rpc.inject(({ method }) => {
      if (method !== 'eth_sendRawTransaction' || ++sent === 1) return undefined
      return { error: { code: -32000, message: 'transaction underpriced' } }
    })
    const file = keyFile('many', all.map(({ key }) => key).join('\n'))
    const args = ['--key-file', file, '--token', chain.contracts.tokens.USDC]
    const run = await sweep([...args, '--json'])
    expect(run.code).toBe(2)
    const report = parseReport(run)
    expect(report.transactions.map(({ safes }) => safes.length)).toEqual([20])
    expect(report.failures).toMatchObject([{ safes: [all[20]!.safeAddress] }])
    expect(report.safes.map(({ moved }) => moved.length)).toEqual([...Array(20).fill(1), 0])
    expect(report.safes[20]?.left).toHaveLength(1)
    rpc.inject(undefined)
    expect((await sweep(args)).code).toBe(0)
    expect((await held(destination)).USDC).toBe(21n)
  })

  test('waits for a receipt that its node shows late', async () => {
    const { key, safeAddress } = newStealth()
    await payer.execute({ to: chain.contracts.tokens.USDC, data: encodeMint(safeAddress, 1n) })
    let late = 2
    rpc.inject(({ method }) =>
      method === 'eth_getTransactionReceipt' && late-- > 0 ? { result: null } : undefined,
    )
    const args = ['--key-file', keyFile('late', key), '--token', chain.contracts.tokens.USDC]
    const run = await sweep(args)
    expect(run.code, run.stderr).toBe(0)
    // Meanwhile it looks for a replacement in whole blocks.
    const wasWhole = ({ method, params }: RpcCall) =>
      method === 'eth_getBlockByNumber' && params[1] === true
    expect(rpc.calls.some(wasWhole)).toBe(true)
  })

  test('refuses a Safe other than the expected one', async () => {
    const { key, safeAddress } = newStealth()
    const file = keyFile('expected', key)
    const other = newStealth().safeAddress
    const run = await sweep(['--key-file', file, '--safe', other])
    expect(run.code).toBe(2)
    expect(run.stderr).toMatch(/^OTHER_SAFE: /)
    expect((await sweep(['--key-file', file, '--safe', safeAddress])).code).toBe(0)
  })

  test('refuses a chain without the Safe contracts', async () => {
    const { key } = newStealth()
    rpc.inject(({ method }) => (method === 'eth_getCode' ? { result: '0x' } : undefined))
    const run = await sweep(['--key-file', keyFile('bare', key)])
    expect(run.code).toBe(2)
    expect(run.stderr).toMatch(/^SAFE_CONTRACTS_MISSING: /)
  })

  test('reads other addresses of the Safe contracts from a file', async () => {
    const own = await deployElsewhere()
    const file = join(directory, 'contracts.json')
    writeFileSync(file, JSON.stringify(own))
    const key = generatePrivateKey()
    const mine = predictOwnedSafe(CHAIN, privateKeyToAccount(key), own)
    expect(mine.safeAddress).not.toBe(
      predictOwnedSafe(CHAIN, privateKeyToAccount(key), contractsOfSafe).safeAddress,
    )
    await pay(mine.safeAddress, { ZEN: 3n, USDC: 2n })
    const run = await sweep(['--key-file', keyFile('elsewhere', key), '--safe-contracts', file])
    expect(run.code, run.stderr).toBe(0)
    expect(await held(destination)).toEqual({ USDC: 2n, USDT: 0n, ZEN: 3n })

    writeFileSync(file, JSON.stringify({ ...own, factory: '0x1' }))
    const wrong = await sweep(['--key-file', keyFile('elsewhere', key), '--safe-contracts', file])
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^USAGE: --safe-contracts/),
    })
  })

  test('never prints a key from a file, an argument or the environment', async () => {
    const { key } = newStealth()
    const open = keyFile('open', key)
    chmodSync(open, 0o644)
    const digits = key.slice(2)
    const to = ['--to', destination]
    const runs = [
      await sweepInProcess([key, '--rpc', rpc.url, ...to]),
      await sweepInProcess(['--key-file', key, '--rpc', rpc.url, ...to]),
      await sweepInProcess([`--key=${key}`]),
      await sweepInProcess(['--rpc', rpc.url, ...to], { STEALTH_PRIVATE_KEY: `${key}00` }),
      await sweepAsProcess(['--rpc', rpc.url, ...to, '--key-file', '-'], `${key}x`),
      await sweepInProcess(['--rpc', rpc.url, ...to, '--key-file', open]),
    ]
    for (const { code, stdout, stderr } of runs) {
      expect(code).toBe(2)
      expect(stderr).not.toBe('')
      expect(stdout + stderr).not.toContain(digits)
    }
    expect(runs[0]?.stderr).toContain('a private key can’t be an argument')
    expect(runs[5]?.stderr).toContain('chmod 600')
  })
})

function sweep(args: readonly string[]): Promise<ProgramRun> {
  return sweepInProcess([...common(), ...args])
}

function common(): string[] {
  return ['--rpc', rpc.url, '--to', destination, '--payer-file', payerFile]
}

function newStealth(): Stealth {
  const key = generatePrivateKey()
  const account = privateKeyToAccount(key)
  const { safeAddress, deployment } = predictOwnedSafe(CHAIN, account, contractsOfSafe)
  return { key, account, safeAddress, deployment }
}

function keyFile(name: string, key: string): string {
  const path = join(directory, name)
  writeFileSync(path, `${key}\n`, { mode: 0o600 })
  return path
}

type Amounts = { USDC: bigint; USDT: bigint; ZEN: bigint }

async function pay(to: Address, amounts: Partial<Amounts>, by = payer): Promise<void> {
  for (const [symbol, amount] of Object.entries(amounts)) {
    const token = chain.contracts.tokens[symbol as keyof Amounts]
    await by.execute({ to: token, data: encodeMint(to, amount) })
  }
}

async function held(owner: Address): Promise<Amounts> {
  const balance = (symbol: keyof Amounts) =>
    chain.client.readContract({
      address: chain.contracts.tokens[symbol],
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [owner],
    })
  const [USDC, USDT, ZEN] = await Promise.all([balance('USDC'), balance('USDT'), balance('ZEN')])
  return { USDC, USDT, ZEN }
}

/** The same contracts by another deployer, so at other addresses. */
async function deployElsewhere(): Promise<SafeContracts> {
  const names = {
    singleton: 'SafeL2.sol/SafeL2',
    proxyFactory: 'proxies/SafeProxyFactory.sol/SafeProxyFactory',
    fallbackHandler: 'handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler',
    multiSendCallOnly: 'libraries/MultiSendCallOnly.sol/MultiSendCallOnly',
  }
  const initcodes = Object.values(names).map((name) => {
    const path = `@safe-global/safe-contracts/build/artifacts/contracts/${name}.json`
    return (createRequire(import.meta.url)(path) as { bytecode: Hex }).bytecode
  })
  const landed = await deployCreate2(chain.client, payer, initcodes)
  return Object.fromEntries(
    Object.keys(names).map((role, position) => [role, landed[position]?.toLowerCase()]),
  ) as SafeContracts
}

/** A real token at another address, with a guard, of which a Safe has been given some. */
async function spamToken(address: Address, safe: Address, guard: Hex): Promise<void> {
  const bytecode = await chain.client.getCode({ address: chain.contracts.tokens.ZEN })
  await chain.client.setCode({ address, bytecode: bytecode! })
  await payer.execute({ to: address, data: encodeMint(safe, 5n) })
  await guardToken(chain.client, address, guard)
}

async function falseToken(address: Address, balance: bigint): Promise<Address> {
  await chain.client.setCode({ address, bytecode: falseTokenCode(balance) })
  return address
}

function padded(address: Address): Hex {
  return `0x${address.slice(2).padStart(64, '0')}`
}

async function blacklist(account: Address): Promise<void> {
  const abi = parseAbi(['function blacklist(address account)'])
  const data = encodeFunctionData({ abi, functionName: 'blacklist', args: [account] })
  await payer.execute({ to: chain.contracts.tokens.USDC, data })
}

/** The stealth key transfers its Safe to another owner. */
async function replaceOwner({ account, safeAddress }: Stealth): Promise<void> {
  const abi = parseAbi(['function swapOwner(address previous, address old, address replacement)'])
  const first: Address = '0x0000000000000000000000000000000000000001'
  const args = [first, account.address, payer.address] as const
  const data = encodeFunctionData({ abi, functionName: 'swapOwner', args })
  const call = { to: safeAddress, value: 0n, data }
  const transaction = asSafeTransaction([call], 1n, contractsOfSafe.multiSendCallOnly)
  const document = safeTransactionDocument({ chainId: CHAIN, safeAddress }, transaction)
  const signature = await account.signTypedData(document)
  await payer.execute({ to: safeAddress, data: execTransactionCall(transaction, signature) })
}
