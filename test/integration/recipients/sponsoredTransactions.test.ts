import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { encodeFunctionData, type Hex, hashMessage, keccak256 } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { predictSafe } from '../../../core/safe/predictSafe.ts'
import { safeProxyFactoryAbi } from '../../../core/safe/safeAbi.ts'
import { findSafeContracts } from '../../../core/safe/safeContracts.ts'
import { PROXY_CODE_HASH } from '../../../core/safe/safeProxyCode.ts'
import { asSafeTransaction } from '../../../sdk/safe/multiSend.ts'
import { safeTransactionHash } from '../../../sdk/safe/safeTransaction.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import { createChainNodes } from '../../../services/chain/transactions/chainNodes.ts'
import { findTransaction } from '../../../services/chain/transactions/findTransaction.ts'
import {
  createRollupDataFees,
  GAS_PRICE_ORACLE,
} from '../../../services/chain/transactions/rollupDataFees.ts'
import { DEFAULT_SPONSOR_LIMITS } from '../../../services/config/sponsorLimits.ts'
import { findSafeCreation } from '../../../services/relayer/recipients/deployed/findSafeCreation.ts'
import {
  noteSpending,
  readDaySpending,
  requireBudget,
} from '../../../services/relayer/recipients/sponsored/sponsorBudget.ts'
import type { Sponsorship } from '../../../services/relayer/recipients/sponsored/sponsorContext.ts'
import { sponsorTransaction } from '../../../services/relayer/recipients/sponsored/sponsorTransaction.ts'
import { FAST_START_OPTIONS } from '../../rig/fastStartOptions.ts'
import { startFaultyRpc } from '../../rig/faultyRpc.ts'
import { answer, guardToken } from '../../rig/guardToken.ts'
import { buildGasOracleCode } from '../../rig/stubGasOracle.ts'
import { until } from '../../rig/until.ts'
import { describeSafeSweep } from '../sdk/describeSafeSweep.ts'
import { describeLyingProvider } from './describeLyingProvider.ts'
import { describeWaitingForBlocks } from './describeWaitingForBlocks.ts'
import { SOURCE } from './sourceIndex.ts'
import {
  AT_ONCE,
  type Made,
  OUTSIDE,
  type SponsorRig,
  startSponsorRig,
  transferOf,
} from './sponsorRig.ts'

const CHAIN = 2651420
const MORTAL = fileURLToPath(new URL('./killedSponsor.ts', import.meta.url))

let rig: SponsorRig
let wallet: Awaited<ReturnType<SponsorRig['register']>>
beforeAll(async () => {
  rig = await startSponsorRig()
  wallet = await rig.register('a recipient')
})
afterAll(() => rig?.stop())

describeSafeSweep(() => rig)

describe('deploy-safe', () => {
  test('counts a payment in a token whose balances are longer than a word', async () => {
    const made = await rig.made(wallet)
    const { ZEN } = rig.contracts.tokens
    const stop = await guardToken(rig.chain.client, ZEN, answer('0x70a08231', 5, 2))
    await rig.chain.client.mine({ blocks: rig.chain.config.confirmations })
    expect((await rig.deploy(made)).status).toBe(200)
    await stop()
  })

  test('deploys the announced Safe once, and repeats its hash', async () => {
    const made = await rig.delivered(wallet)
    const [first, second] = await Promise.all([rig.deploy(made), rig.deploy(made)])
    expect(first.body).toMatchObject({
      success: true,
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    expect(first.body.safeAddress.toLowerCase()).toBe(made.safeAddress)
    expect(second.body).toEqual(first.body)
    const code = await rig.chain.client.getCode({ address: made.safeAddress })
    expect(keccak256(code ?? '0x')).toBe(PROXY_CODE_HASH)
    expect(await rig.deploy(made)).toMatchObject({ status: 200, body: first.body })
    // No row shows from which network address, of which there are few, a Safe's owner came.
    const { rows } = await rig.database.pool.query(
      'select day::text, encode(client, $1) as client from app.sponsored_client',
      ['hex'],
    )
    expect(rows.length).toBeGreaterThan(0)
    for (const { day, client } of rows)
      for (const guess of ['127.0.0.1', '0:0:0:0::/64'])
        for (const text of [guess, `${day} ${guess}`, `${day.slice(0, 10)} ${guess}`])
          expect(client).not.toBe(hash('sha256', text, 'hex'))
  })

  test('deploys the intent’s other Safes too, and none the intent doesn’t pay', async () => {
    const intentId = (BigInt(SOURCE) << 64n) | 3_000_001n
    const recipient = (name: string) => rig.register(`${name} of an intent of four`)
    const unpaid = await rig.made(await recipient('unpaid'), { intentId })
    const foreign = { intentId, stranger: keccak256('0x01') }
    const strangers = await rig.delivered(await recipient('unasked'), foreign)
    const sibling = await rig.delivered(await recipient('second'), { intentId })
    const asked = await rig.delivered(await recipient('first'), { intentId })
    const { sent } = await rig.payer()
    expect(await rig.deploy(asked)).toMatchObject({ status: 200 })
    const codeOf = ({ safeAddress }: Made) => rig.chain.client.getCode({ address: safeAddress })
    await expect.poll(() => codeOf(sibling), { timeout: 60_000 }).toBeDefined()
    // Until the sender has seen the deployment's block too, the Safe is busy.
    const transfer = transferOf(rig, 100n)
    const isMoved = async () => (await rig.relay(sibling, transfer)).status === 200
    await until(isMoved, 'the sibling’s transfer goes through', { interval: 200 })
    expect(await rig.deploy(sibling)).toMatchObject({ status: 200 })
    expect((await rig.payer()).sent).toBe(sent + 3)
    expect(await codeOf(unpaid)).toBeUndefined()
    expect(await codeOf(strangers)).toBeUndefined()
  })

  test('sends nothing for a Safe that someone else deployed, and returns that transaction’s hash', async () => {
    const made = await rig.made(wallet)
    const txHash = await deployByStranger(made)
    await rig.chain.client.mine({ blocks: 30 })
    const { sent } = await rig.payer()
    expect(await rig.deploy(made)).toMatchObject({ status: 200, body: { txHash } })
    expect(await rig.deploy(made)).toMatchObject({ status: 200, body: { txHash } })
    expect((await rig.payer()).sent).toBe(sent)
    const { rows } = await rig.postgres
      .connect()
      .then((client) =>
        client.query(
          `select '0x' || encode(deployment_tx_hash, 'hex') as hash from app.stealth_entry where safe_address = $1`,
          [made.safeAddress],
        ),
      )
    expect(rows).toEqual([{ hash: txHash }])
  })

  test('finds who deployed a Safe through a node limited to ten blocks, and not before the deployment', async () => {
    const made = await rig.made(wallet)
    const txHash = await deployByStranger(made)
    await rig.chain.client.mine({ blocks: 30 })
    const node = await startFaultyRpc(rig.chain.node.rpc)
    node.inject(({ method, params }) => {
      if (method !== 'eth_getLogs') return undefined
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: Hex; toBlock: Hex }]
      if (Number(toBlock) - Number(fromBlock) < 10) return undefined
      return { error: { code: -32602, message: 'at most 10 blocks' } }
    })
    const pool = createRpcPool({ chainId: CHAIN, rpcUrls: [node.url] })
    const { proxyFactory } = findSafeContracts(CHAIN)
    const sought = { safeAddress: made.safeAddress, proxyFactory, knownSince: 0 }
    expect(await findSafeCreation(pool, sought)).toMatchObject({ txHash })
    const before = node.count('eth_getLogs')
    expect(await findSafeCreation(pool, { ...sought, knownSince: 4_000_000_000 })).toBeNull()
    expect(node.count('eth_getLogs') - before).toBeLessThan(12)
    await node.close()
  })

  test('returns the hash of someone else’s faster deployment', async () => {
    const made = await rig.delivered(wallet)
    await rig.stopSender()
    const asked = rig.deploy(made)
    await expect.poll(() => transactionOf(made), { timeout: 60_000 }).not.toBeNull()
    const txHash = await deployByStranger(made)
    const { sent } = await rig.payer()
    rig.startSender()
    expect(await asked).toMatchObject({ status: 200, body: { txHash } })
    expect((await rig.payer()).sent).toBe(sent)
    expect(await transactionOf(made)).toMatchObject({ state: 'failed' })
  })

  test.each([
    ['a stranger’s signature', { signature: `0x${'11'.repeat(65)}` }, 'INVALID_SIGNATURE'],
    ['another chain', { chainId: '84532' }, 'UNSUPPORTED_CHAIN'],
    ['an unknown address', { stealthAddress: OUTSIDE }, 'UNKNOWN_SAFE'],
  ])('deploy-safe is refused for %s', async (_, change, code) => {
    const { sent } = await rig.payer()
    expect((await rig.deploy(await rig.made(wallet), change)).body).toMatchObject({ code })
    expect((await rig.payer()).sent).toBe(sent)
  })
})

/** Anybody may pay for anybody's Safe. */
async function deployByStranger({ stealthAddress, safeAddress }: Made): Promise<Hex> {
  const contracts = findSafeContracts(CHAIN)
  const { initializer, saltNonce } = predictSafe(stealthAddress, CHAIN, contracts)
  const data = encodeFunctionData({
    abi: safeProxyFactoryAbi,
    functionName: 'createProxyWithNonce',
    args: [contracts.singleton, initializer, saltNonce],
  })
  await rig.chain.senders[0]!.execute({ to: contracts.proxyFactory, data })
  const [log] = await rig.chain.client.getContractEvents({
    address: contracts.proxyFactory,
    abi: safeProxyFactoryAbi,
    eventName: 'ProxyCreation',
    args: { proxy: safeAddress },
    fromBlock: 'earliest',
  })
  return log!.transactionHash
}

async function transactionOf({ safeAddress }: Made) {
  const { db } = rig
  return findTransaction(db, { kind: 'deploySafe', chainId: CHAIN, effect: safeAddress })
}

describe('relay-proxy', () => {
  let made: Made
  beforeAll(async () => {
    made = await rig.paid(wallet)
  })

  test('sends a transfer signed by the owner once, and repeats its hash', async () => {
    const before = await rig.balance(OUTSIDE)
    const body = await rig.relayBody(made, { ...transferOf(rig, 10n), nonce: 0n })
    const [first, second] = await Promise.all([
      rig.post('relay-proxy', body),
      rig.post('relay-proxy', body),
    ])
    expect(first.body).toMatchObject({ success: true, txHash: expect.any(String) })
    expect(second.body).toEqual(first.body)
    expect((await rig.post('relay-proxy', body)).body).toEqual(first.body)
    expect(await rig.balance(OUTSIDE)).toBe(before + 10n)
    expect(await rig.balance(made.safeAddress)).toBe(90n)
    const { gasUsed, effectiveGasPrice } = await rig.chain.client.getTransactionReceipt({
      hash: first.body.txHash,
    })
    // Known once the next one is asked for.
    await rig.relay(made, { ...transferOf(rig, 1n), nonce: 1n })
    const client = await rig.postgres.connect()
    const { rows } = await client.query(
      `select s.spent_wei::text as wei from app.sponsored_transaction s join app.transaction t
       on t.id = s.transaction_id where t.tx_hash = $1`,
      [first.body.txHash],
    )
    expect(rows).toEqual([{ wei: String(gasUsed * effectiveGasPrice) }])
  })

  test('sends a batch of calls', async () => {
    const delivery = await rig.paid(wallet)
    const calls = [transferOf(rig, 20n), transferOf(rig, 30n)]
    const { multiSendCallOnly } = findSafeContracts(CHAIN)
    const before = await rig.balance(OUTSIDE)
    const batch = asSafeTransaction(calls, 0n, multiSendCallOnly)
    expect(await rig.relay(delivery, batch)).toMatchObject({ status: 200 })
    expect(await rig.balance(OUTSIDE)).toBe(before + 50n)
  })

  test('accepts a signature over the hash as a message, as some wallets make it', async () => {
    const delivery = await rig.paid(wallet)
    const transaction = { ...transferOf(rig, 3n), operation: 0, nonce: 0n } as const
    const hash = safeTransactionHash(
      { chainId: CHAIN, safeAddress: delivery.safeAddress },
      transaction,
    )
    const signature = await delivery.owner.sign({ hash: hashMessage({ raw: hash }) })
    expect(await rig.relay(delivery, transaction, { signature })).toMatchObject({ status: 200 })
    expect(await rig.balance(delivery.safeAddress)).toBe(97n)
  })

  test('reports that a Safe isn’t deployed, and sends nothing', async () => {
    const { sent } = await rig.payer()
    const answer = await rig.relay(await rig.made(wallet))
    expect(answer).toMatchObject({ status: 400, body: { code: 'SAFE_NOT_DEPLOYED' } })
    expect((await rig.payer()).sent).toBe(sent)
  })

  test('reports that a call reverts, and sends nothing', async () => {
    const delivery = await rig.paid(wallet)
    const { sent } = await rig.payer()
    const answer = await rig.relay(delivery, transferOf(rig, 101n))
    expect(answer).toMatchObject({ status: 400, body: { code: 'RELAY_PROXY_REVERTED' } })
    expect((await rig.payer()).sent).toBe(sent)
    expect(await rig.relay(delivery, transferOf(rig, 100n))).toMatchObject({ status: 200 })
  })

  test('relay-proxy succeeds although nothing was being sent when it was called', async () => {
    const delivery = await rig.paid(wallet)
    await rig.stopSender()
    const requestBriefly = await rig.openApi({ timeoutMs: 300 })
    const body = await rig.relayBody(delivery, transferOf(rig, 5n))
    const first = await requestBriefly('relay-proxy', body)
    expect(first).toMatchObject({ status: 503, body: { code: 'TRANSACTION_PENDING' } })
    const other = await rig.relayBody(delivery, transferOf(rig, 6n))
    expect((await rig.post('relay-proxy', other)).body.code).toBe('SAFE_BUSY')
    rig.startSender()
    expect(await rig.post('relay-proxy', body)).toMatchObject({ status: 200 })
    expect(await rig.balance(delivery.safeAddress)).toBe(95n)
  })

  const kills: [phase: string, isSent: boolean][] = [
    ['saved', false],
    ['chosen', false],
    ['signed', false],
    ['sent', true],
  ]
  const killed = process.env.CAMPAIGN === 'chaos' ? kills : kills.slice(0, 1)

  test.each(
    killed,
  )('a Safe’s transaction is sent once although the sender is killed when it is %s', async (phase, isSent) => {
    const delivery = await rig.paid(wallet)
    await rig.stopSender()
    const { sent } = await rig.payer()
    const { databaseUrl } = rig.postgres
    const about = [databaseUrl, rig.chain.node.rpc, rig.contracts.bridge, phase]
    const dying = spawn(process.execPath, [...FAST_START_OPTIONS, MORTAL, ...about], {
      stdio: 'inherit',
    })
    const requestBriefly = await rig.openApi({ ...AT_ONCE, timeoutMs: 300 })
    const body = await rig.relayBody(delivery, transferOf(rig, 5n))
    const [asked, [, signal]] = await Promise.all([
      requestBriefly('relay-proxy', body),
      once(dying, 'exit'),
    ])
    expect(signal).toBe('SIGKILL')
    expect([200, 503]).toContain(asked.status)
    expect((await rig.payer()).sent).toBe(isSent ? sent + 1 : sent)
    rig.startSender()
    const again = await rig.post('relay-proxy', body)
    expect(again).toMatchObject({ status: 200 })
    expect(await rig.post('relay-proxy', body)).toMatchObject({ status: 200, body: again.body })
    expect((await rig.payer()).sent).toBe(sent + 1)
    expect(await rig.balance(delivery.safeAddress)).toBe(95n)
  })
})

describeWaitingForBlocks(() => rig)

describeLyingProvider(
  () => rig,
  (rpcUrls) => sponsorshipOf(rig, rpcUrls),
)

describe('the daily gas budget', () => {
  test('the daily gas budget counts every attempt on the day it was made', async () => {
    const { db, postgres } = rig
    const delivery = await rig.paid(wallet)
    expect(await rig.relay(delivery)).toMatchObject({ status: 200 })
    await rig.stopSender()
    const { safeAddress } = delivery
    const client = await postgres.connect()
    const rowOf = async () => {
      const { rows } = await client.query(
        `select t.id, t.effect, t.to_address as "to", t.data, s.spent_wei, s.reserved_wei, s.earlier_wei
         from app.sponsored_transaction s join app.transaction t on t.id = s.transaction_id
         where s.safe_address = $1 and s.kind = 'relaySafe'`,
        [safeAddress],
      )
      return rows[0]
    }
    const sponsorship = sponsorshipOf(rig)
    await noteSpending(sponsorship)
    const { id, effect, to, data, spent_wei: once } = await rowOf()
    expect(BigInt(once)).toBeGreaterThan(0n)
    // As if it had failed in its block, the day before.
    await client.query(
      `update app.transaction set state = 'failed', succeeded = false where id = $1`,
      [id],
    )
    await client.query(
      `update app.sponsored_transaction set requested_at = now() - interval '25 hours'
       where transaction_id = $1`,
      [id],
    )
    const requester = { client: '192.0.2.1', charge: () => {} }
    const relay = { nonce: 0n, hash: effect }
    const requested = {
      kind: 'relaySafe',
      effect,
      safeAddress,
      to,
      data,
      gas: 100_000n,
      relay,
    } as const
    expect(await sponsorTransaction(sponsorship, requester, requested)).toBe(Number(id))
    const again = await rowOf()
    expect(again).toMatchObject({ earlier_wei: once, spent_wei: null })
    // The Safe's deployment, the first try and the second.
    const budget = { perSafe: 4, weiPerDay: 10n ** 18n }
    const asked = { chainId: CHAIN, safeAddress, cost: 0n }
    await requireBudget(db, asked, budget)
    await expect(requireBudget(db, asked, { ...budget, perSafe: 3 })).rejects.toMatchObject({
      code: 'RELAY_BUDGET_SPENT',
    })
    const spent = await readDaySpending(db)
    expect(spent.map(({ kind }) => kind).sort()).toEqual(['deploySafe', 'relaySafe'])
    // On a rollup what its data costs on the chain below is part of it: 4 wei a byte are some, 10^15 too many.
    const { client: node } = rig.chain
    const afterFailing = async (by: Sponsorship) => {
      await client.query(
        `update app.transaction set state = 'failed', succeeded = false where id = $1`,
        [id],
      )
      return sponsorTransaction(by, requester, requested)
    }
    const onRollup = async (weiAByte: bigint) => {
      await node.setCode({ address: GAS_PRICE_ORACLE, bytecode: buildGasOracleCode(weiAByte) })
      return afterFailing(sponsorshipOf(rig))
    }
    await expect(onRollup(10n ** 15n)).rejects.toMatchObject({ code: 'RELAY_BUDGET_SPENT' })
    const dearer = 10n ** 12n
    await onRollup(dearer)
    const { reserved_wei: onTop } = await rowOf()
    expect(BigInt(onTop) - BigInt(again.reserved_wei)).toBeGreaterThan(200n * dearer)
    await node.setCode({ address: GAS_PRICE_ORACLE, bytecode: '0x' })
    // One node of two that names a tip beyond every budget makes nothing dearer.
    const liar = await startFaultyRpc(rig.chain.node.rpc)
    const tip = { result: `0x${(10n ** 18n).toString(16)}` }
    liar.inject(({ method }) => (method === 'eth_maxPriorityFeePerGas' ? tip : undefined))
    await afterFailing(sponsorshipOf(rig, [liar.url, rig.chain.node.rpc]))
    expect(liar.count('eth_maxPriorityFeePerGas')).toBe(1)
    await liar.close()
    // Everybody may read the metrics: no Safe is in them.
    expect(spent.map((one) => Object.values(one).map(String)).join()).not.toContain(safeAddress)
    expect(spent.reduce((sum, { wei }) => sum + BigInt(wei), 0n)).toBeGreaterThan(
      BigInt(once) + BigInt(again.reserved_wei),
    )
    rig.startSender()
  })
})

function sponsorshipOf(
  { db, chain, relayer }: SponsorRig,
  rpcUrls: readonly string[] = chain.config.rpcUrls,
): Sponsorship {
  const nodes = createChainNodes(rpcUrls)
  const contracts = findSafeContracts(CHAIN)
  return {
    db,
    chainId: CHAIN,
    account: relayer,
    contracts,
    limits: DEFAULT_SPONSOR_LIMITS,
    tokens: [rig.contracts.tokens.ZEN.toLowerCase() as Hex],
    confirmations: 1,
    dataFees: createRollupDataFees(nodes, CHAIN),
    nodes,
  }
}
