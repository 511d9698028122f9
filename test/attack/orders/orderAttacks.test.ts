import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { encrypt } from 'eciesjs'
import { sql } from 'kysely'
import {
  bytesToHex,
  encodeFunctionData,
  getAddress,
  type Hex,
  hexToBytes,
  keccak256,
  parseAbi,
  parseAbiItem,
  serializeErc6492Signature,
  stringToBytes,
} from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { toApiOrderId } from '../../../core/order/apiOrderId.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { createAccountSender } from '../../../services/chain/accountSender.ts'
import { GAS_PRICE_ORACLE } from '../../../services/chain/transactions/rollupDataFees.ts'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import type { VaultChain } from '../../../services/orders/chain/vaultChain.ts'
import { appendOrderEvents } from '../../../services/orders/follow/orderEventStore.ts'
import { openDatabase } from '../../../services/store/database/openDatabase.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { registerEnclaveOn } from '../../integration/enclave/enclaveTestbed.ts'
import {
  get,
  type OrdersRig,
  PAYEES,
  PER_PERIOD,
  post,
  startOrdersRig,
} from '../../integration/orders/ordersRig.ts'
import { createSafeOrderOwner } from '../../integration/orders/safeOrderOwner.ts'
import { seedOrders } from '../../integration/orders/seedOrders.ts'
import { createTestEnclave } from '../../integration/orders/testEnclave.ts'
import { findEventTopic, type VaultEventName } from '../../integration/orders/vaultEvents.ts'
import { readIntentOn } from '../../rig/attestedCalls.ts'
import { startFaultyRpc } from '../../rig/faultyRpc.ts'
import { guardToken, refuse } from '../../rig/guardToken.ts'
import { buildGasOracleCode } from '../../rig/stubGasOracle.ts'
import { describeCompatByNetwork } from './describeCompatByNetwork.ts'
import {
  describeCancelAcrossRotation,
  describeCancelledTranches,
  describeCancelOfRetiredKey,
  describeGasDrains,
  describeTranchesInFlight,
} from './describeGasDrains.ts'

const TOTAL = PER_PERIOD * 3n
const LATER = { startTime: Math.floor(Date.now() / 1_000) + 80_000 }
const blacklistAbi = parseAbi([
  'function blacklist(address account)',
  'function unBlacklist(address account)',
])

let rig: OrdersRig
beforeAll(async () => {
  rig = await startOrdersRig()
}, 300_000)
afterAll(() => rig?.stop())

const place = async (body: { encrypted: Hex; message: string; signature: Hex }, url = rig.url) => {
  const { encrypted, message, signature } = body
  return post(`${url}/orders`, { encrypted, message, signature })
}

/** As its sender should: an order whose funding isn't in a block yet is sent again to see its result. */
async function placeUntilAnswered(body: Parameters<typeof place>[0]): ReturnType<typeof place> {
  for (;;) {
    const answer = await place(body)
    if (answer.body.code !== 'FUNDING_PENDING') return answer
    // One that reverted is over once its block is confirmed.
    await rig.base.client.mine({ blocks: 1 })
    await pause(50)
  }
}

/** Nothing of it was funded, and its owner has what it had. */
async function expectUnfunded(digest: string): Promise<void> {
  expect(await rig.onChain(`0x${digest}`)).toMatchObject({ left: 0n, closed: false })
}

describe('ownership of an order', () => {
  test('another order’s message and signature place no order', async () => {
    const [victim] = rig.owners
    const first = await rig.submission(victim, LATER)
    const second = await rig.submission(victim, LATER)
    const { message, signature } = first
    const answer = await place({ ...second, message, signature })
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_SIGNATURE' } })
    await expectUnfunded(second.digest)
  })

  test('an invalid signature, a ciphertext for another key and an invalid field each get their own code', async () => {
    const order = await rig.submission(rig.owners[0], LATER)
    const relayers = (await rig.enclave.publicKeys()).eciesPublicKey as Hex
    const encrypted = bytesToHex(encrypt(hexToBytes(relayers), stringToBytes('{}')))
    const never = await rig.submission(rig.owners[0], { ...LATER, endTime: 1 })
    const answers = await Promise.all([
      place({ ...order, signature: `0x${'00'.repeat(65)}` }),
      place({ ...order, encrypted }),
      place(never),
    ])
    expect(answers).toMatchObject([
      { status: 400, body: { code: 'INVALID_SIGNATURE' } },
      { status: 400, body: { code: 'DECRYPTION_FAILED' } },
      { status: 400, body: { code: 'VALIDATION_FAILED', details: { field: 'endTime' } } },
    ])
  })

  test('one owner’s approval doesn’t fund another owner’s order', async () => {
    const [victim, thief] = rig.owners
    const stolen = await rig.submission(thief, { ...LATER, user: victim!.address })
    const answer = await place(stolen)
    expect(answer).toMatchObject({ status: 400, body: { code: 'SIGNER_MISMATCH' } })
    await expectUnfunded(stolen.digest)
  })

  test('wrong signatures don’t keep a contract wallet from placing its order', async () => {
    const owner = await createSafeOrderOwner(rig, 1)
    const order = await rig.submission(owner, LATER)
    const { message } = order
    const strangers = await rig.owners[2]!.signMessage!({ message })
    expect((await place({ ...order, signature: strangers })).body.code).toBe('SIGNER_MISMATCH')
    // The enclave accepts a signature wrapped by ERC-6492, which the vault doesn't.
    const address = owner.address as Hex
    const wrapped = serializeErc6492Signature({ address, data: '0x', signature: order.signature })
    expect((await place({ ...order, signature: wrapped })).body.code).toBe('INVALID_SIGNATURE')
    expect((await place(order)).status).toBe(200)
  })

  test('a stranger’s cancel and a cancel for another order have no effect', async () => {
    const { body } = await rig.place(rig.owners[0], LATER)
    const { body: other } = await rig.place(rig.owners[0], LATER)
    expect(await rig.cancel(body.orderId, rig.owners[1])).toMatchObject({
      status: 400,
      body: { code: 'SIGNER_MISMATCH' },
    })
    const elsewhere = `TWAP_CANCEL:${other.orderId}:${Math.floor(Date.now() / 1_000) + 600}`
    expect(await rig.cancel(body.orderId, rig.owners[0], elsewhere)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_SIGNATURE' },
    })
    expect((await rig.order(body.orderId)).status).toBe('active')
    await rig.cancel(body.orderId)
    await rig.cancel(other.orderId)
  })
})

describe('funding', () => {
  test('of two orders that compete for one approval, exactly one is funded', async () => {
    const owner = rig.owners[2]!
    await rig.approve(2, TOTAL)
    const two = [await rig.submission(owner, LATER), await rig.submission(owner, LATER)]
    const before = await rig.balanceOf(owner.address)
    const answers = await Promise.all(two.map((one) => placeUntilAnswered(one)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    const refused = answers.findIndex(({ status }) => status === 400)
    expect(answers[refused]!.body.code).toBe('FUNDING_FAILED')
    expect(before - (await rig.balanceOf(owner.address))).toBe(TOTAL)
    await rig.approve(2)
    expect(await place(two[refused]!)).toMatchObject({
      status: 400,
      body: { code: 'FUNDING_FAILED', details: { reason: 'refused_before' } },
    })
    await expectUnfunded(two[refused]!.digest)
  })

  test('a funding error names the allowance or the balance, and a refused order stays refused', async () => {
    const owner = rig.owners[3]!
    await rig.approve(3, 5n)
    const order = await rig.submission(owner, LATER)
    expect(await place(order)).toMatchObject({
      status: 400,
      body: {
        error: expect.stringContaining(`approve ${TOTAL} for ${getAddress(rig.vault)}`),
        details: { reason: 'allowance', needed: String(TOTAL) },
      },
    })
    await rig.approve(3)
    expect((await place(order)).body.details.reason).toBe('refused_before')
    const more = String(10n ** 24n)
    const rich = await rig.submission(owner, { ...LATER, totalAmountIn: more })
    expect((await place(rich)).body.details.reason).toBe('balance')
    await expectUnfunded(order.digest)
  })

  test('the service refuses unlisted tokens, tokens that refuse transfers, and tranches not worth their gas', async () => {
    const owner = rig.owners[4]!
    const hostile = await rig.submission(owner, { ...LATER, assetIn: rig.vault })
    expect((await place(hostile)).body).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: { field: 'assetIn' },
    })
    const little = await rig.submission(owner, { ...LATER, amountPerPeriod: '20000' })
    expect((await place(little)).body).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: { field: 'amountPerPeriod' },
    })
    const { minimum } = (
      await place(await rig.submission(owner, { ...LATER, amountPerPeriod: '1' }))
    ).body.details
    expect(BigInt(minimum)).toBeGreaterThan(1n)
  })

  test('the service refuses a token that the destination doesn’t list, and amounts in wrong decimals', async () => {
    const { USDC } = rig.pair.horizen.contracts.tokens
    for (const [field, change] of [
      ['assetOut', { assetOut: rig.vault }],
      ['amounts', { assetOut: USDC, amounts: ['900', '5'] }],
    ] as const) {
      const order = await rig.submission(rig.owners[4], { ...LATER, ...change })
      const { body } = await place(order)
      expect(body).toMatchObject({ code: 'VALIDATION_FAILED', details: { field } })
      await expectUnfunded(order.digest)
    }
  })

  test.each([
    ['any chain', () => ({ weiPerMinimum: 1n })],
    ['this one', () => ({ chains: rig.configs.map((one) => ({ ...one, gweiPerMinimum: 1 })) })],
  ])('gas dearer than the minimum on %s raises the minimum tranche', async (_, change) => {
    const dear = await rig.start(change())
    const order = await rig.submission(rig.owners[4], LATER)
    const { body } = await place(order, dear.url)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', details: { field: 'amountPerPeriod' } })
    expect(BigInt(body.details.minimum)).toBeGreaterThan(PER_PERIOD)
  })

  test('fees for data on the parent chain raise the minimum tranche', async () => {
    const { client } = rig.base
    await client.setCode({ address: GAS_PRICE_ORACLE, bytecode: buildGasOracleCode(10n ** 15n) })
    const rollup = await rig.start()
    const { body } = await place(await rig.submission(rig.owners[4], LATER), rollup.url)
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', details: { field: 'amountPerPeriod' } })
    expect(BigInt(body.details.minimum)).toBeGreaterThan(PER_PERIOD)
    await client.setCode({ address: GAS_PRICE_ORACLE, bytecode: '0x' })
  })

  test('a high gas price from one of two nodes doesn’t raise the minimum tranche', async () => {
    const least = async (url?: string) => {
      const order = await rig.submission(rig.owners[4], { ...LATER, amountPerPeriod: '1' })
      return BigInt((await place(order, url)).body.details.minimum)
    }
    const liar = await startFaultyRpc(rig.base.node.rpc)
    const dear = { result: `0x${(10n ** 18n).toString(16)}` }
    liar.inject(({ method }) => (/gasPrice|Priority/.test(method) ? dear : undefined))
    const chains = rig.configs.map((chain) =>
      chain.chainId === rig.base.config.chainId
        ? { ...chain, rpcUrls: [liar.url, ...chain.rpcUrls] }
        : chain,
    )
    const misled = await rig.start({ chains })
    expect(await least(misled.url)).toBeLessThan(2n * (await least()))
    await liar.close()
  })
})

describeGasDrains(() => rig, LATER)

test('an owner blacklisted by the token gets a credit, and the ledger stays correct', async () => {
  const owner = rig.owners[5]!
  const deployer = createAccountSender(rig.base.client, deriveDevnetAccounts().deployer)
  const say = (functionName: 'blacklist' | 'unBlacklist') =>
    deployer.execute({
      to: rig.token,
      data: encodeFunctionData({ abi: blacklistAbi, functionName, args: [owner.address] }),
    })
  const { body } = await rig.place(owner, LATER)
  await say('blacklist')
  const refused = await rig.submission(owner, LATER)
  expect((await place(refused)).body.code).toBe('FUNDING_FAILED')
  const cancelled = await rig.cancel(body.orderId, owner)
  expect(cancelled.body.order).toMatchObject({ status: 'cancelled', amountLeft: '0' })
  const credit = { address: rig.vault, abi: orderVaultAbi, functionName: 'claimable' } as const
  const owed = await rig.base.client.readContract({ ...credit, args: [owner.address, rig.token] })
  expect(owed).toBe(TOTAL)
  await rig.until(async () => {
    const { body: health } = await get(`${rig.url}/health`)
    const [ledger] = health.chains[0].ledger
    return ledger.credits === String(TOTAL) && ledger.difference === '0'
  }, 'the credit in the books')
  await say('unBlacklist')
})

test('a token whose balance can’t be read is a shortfall, not an unreachable chain', async () => {
  await rig.place(rig.owners[5]!, LATER)
  const problems = async () => {
    const { body: health } = await get(`${rig.url}/health`)
    return health.problems.map(({ code }: { code: string }) => code)
  }
  const stop = await guardToken(rig.base.client, rig.token, refuse('0x70a08231'))
  // Whatever fails here, later tests need the token.
  onTestFinished(stop)
  await rig.until(async () => (await problems()).includes('LEDGER_SHORTFALL'), 'the shortfall')
  expect(await problems()).not.toContain('RPC_UNREACHABLE')
  await stop()
  await rig.until(async () => !(await problems()).includes('LEDGER_SHORTFALL'), 'its end')
})

describe('compat mode', () => {
  let url: string
  beforeAll(async () => {
    const now = () => Math.floor(Date.now() / 1_000)
    const compat = await createTestEnclave(rig.configs, 'compat', { now })
    await registerEnclaveOn(rig.base, compat, 1)
    const databaseUrl = await rig.postgres.createDatabase('compat')
    url = (await rig.start({ enclaves: [compat], databaseUrl })).url
  })

  test('in compat mode, a signature that placed an order can’t place or cancel another, and a cancel ends one order', async () => {
    const owner = rig.owners[0]!
    const texts = ['gm', 'gn']
    const orders = []
    for (const text of texts) {
      const order = await rig.submission(owner, LATER, () => text)
      const { body } = await place(order, url)
      expect(body.success).toBe(true)
      orders.push({ ...order, id: body.orderId })
    }
    const again = await rig.submission(owner, LATER, () => 'gm')
    expect((await place(again, url)).body.code).toBe('INVALID_SIGNATURE')
    // Anyone who saw the order could have sent it with that message: its owner can still place it.
    const message = 'hello'
    const own = { ...again, message, signature: await owner.signMessage!({ message }) }
    expect((await place(own, url)).status).toBe(200)
    const cancel = async (id: string, message: string) => {
      const signature = await owner.signMessage!({ message })
      return post(`${url}/orders/${id}/cancel`, { message, signature })
    }
    // Its message and signature are in the funding's calldata, for everybody to read.
    expect((await cancel(orders[0]!.id, 'gn')).body.code).toBe('INVALID_SIGNATURE')
    expect((await cancel(orders[0]!.id, 'stop')).body.order?.status).toBe('cancelled')
    expect((await cancel(orders[1]!.id, 'stop')).body.code).toBe('INVALID_SIGNATURE')
    expect((await get(`${url}/orders/${orders[1]!.id}`)).body.order.status).toBe('active')
  })
})

test('an attacker with the process but not the enclave moves tokens only to the owner and its intents', async () => {
  const owner = rig.owners[1]!
  const thief = rig.base.senders[2]!
  const order = await rig.submission(owner, { ...LATER, startTime: 5, period: 5 })
  const enclave: Enclave = rig.enclave
  const firstBlock = (await rig.base.client.getBlockNumber()) + 1n
  await rig.stopServices()
  // It takes the order's place in the queue itself, and everything that the enclave signs.
  const deadline = (await rig.now()) + 500
  const { encrypted, message, signature } = order
  const funding = await enclave.signFunding({ encrypted, message, signature, deadline })
  const orderId = funding.message.orderId as Hex
  const { orderId: _, ...terms } = funding.message
  const send = (data: Hex) => thief.execute({ to: rig.vault, data })
  const request = { terms, digestOffset: BigInt(funding.digestOffset) }
  const text: Hex = `0x${Buffer.from(message).toString('hex')}`
  const fund = { abi: orderVaultAbi, functionName: 'fundOrder' } as const
  const asFunded = (changed: object) =>
    encodeFunctionData({
      ...fund,
      args: [
        { ...request, terms: { ...terms, ...changed } },
        ...([encrypted, text, funding.ownerSignature, [funding.signature]] as const),
      ],
    } as never)
  for (const changed of [
    { owner: thief.address },
    { tokenB: PAYEES[0] },
    { totalAmount: 10n ** 15n },
    { expectedAmountB: 1n },
  ]) {
    await expect(send(asFunded(changed))).rejects.toThrow()
  }
  await send(asFunded({}))
  const about = { sourceChainId: 84532, encrypted }
  // A blob for another auction would name nobody: in compat, the first caller would name the recipients.
  const longer = { ...about, n: 0, minAuctionDuration: 3_000 }
  await expect(enclave.signTranche(longer as never)).rejects.toThrow('REQUEST_INVALID')
  const tranches = await Promise.all([0, 1, 2].map((n) => enclave.signTranche({ ...about, n })))
  const fire = (n: number, blob: Hex, by: Hex) =>
    send(
      encodeFunctionData({
        abi: orderVaultAbi,
        functionName: 'fireTranche',
        args: [orderId, BigInt(n), blob, [by]],
      }),
    )
  const [one, two] = tranches
  // Recipients of its own, a tranche twice, one out of turn, an end that isn't one.
  await expect(fire(0, `0x01${'66'.repeat(511)}`, one!.signature as Hex)).rejects.toThrow()
  await expect(fire(1, two!.encryptedBlob as Hex, two!.signature as Hex)).rejects.toThrow()
  await fire(0, one!.encryptedBlob as Hex, one!.signature as Hex)
  await expect(fire(0, one!.encryptedBlob as Hex, one!.signature as Hex)).rejects.toThrow()
  await expect(fire(1, two!.encryptedBlob as Hex, two!.signature as Hex)).rejects.toThrow()
  const head = (await rig.base.client.getBlockNumber()) - 1n
  const vault = await vaultEvidence(orderId, head)
  const unsaid = { sourceChainId: 84532, orderId, by: { vault } }
  await expect(enclave.signClose(unsaid)).rejects.toThrow('WRONG_PHASE')
  const tale = { encrypted, message, signature }
  await expect(enclave.signClose({ ...unsaid, by: tale })).rejects.toThrow('MESSAGE_REFUSED')
  // Wherever the vault's tokens went since: the bridge, in the owner's name.
  const moved = await rig.base.client.getLogs({
    address: rig.token,
    fromBlock: firstBlock,
    args: { from: rig.vault },
    event: parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)'),
  })
  const bridge = getAddress(rig.base.contracts.bridge)
  expect(new Set(moved.map(({ args }) => args.to))).toEqual(new Set([bridge]))
  const created = await rig.base.client.getLogs({
    address: bridge,
    fromBlock: firstBlock,
    event: parseAbiItem(
      'event IntentCreated(uint256 indexed intentId, address indexed user, uint256 indexed destChainId, address tokenA, address tokenB, uint256 amountA, uint256 expectedAmountB, uint256 reward, uint256 endTime, bytes encryptedBlob)',
    ),
  })
  expect(created.map(({ args }) => args.user)).toEqual([owner.address])
  const { encryptedBlob, intentId } = created[0]!.args
  expect(keccak256(encryptedBlob!)).toBe(one!.message.blobHash)
  const { paramsHash } = await readIntentOn(rig.base, intentId!)
  const opened = await enclave.openBlob({
    blob: encryptedBlob!,
    expected: {
      sourceChainId: 84532,
      bridge,
      user: owner.address,
      paramsHash,
      intentId: intentId!,
    },
  })
  expect(opened).toMatchObject({ ok: true, contents: { recipients: PAYEES } })
})

async function vaultEvidence(orderId: Hex, blockNumber: bigint) {
  const { listOrderSlots } = await import('../../../core/proof/storage/orderRecord.ts')
  const slots = listOrderSlots(orderId)
  const proof = await rig.base.client.getProof({
    address: rig.vault,
    storageKeys: slots,
    blockNumber,
  })
  return {
    blockNumber: Number(blockNumber),
    accountProof: proof.accountProof,
    storageProofs: proof.storageProof.map((one, at) => ({ slot: slots[at]!, proof: one.proof })),
  }
}

describe('dishonest relayers and nodes', () => {
  test.each([
    ['says yes to everything', () => [200, { success: true }] as const],
    ['answers rubbish', () => [200, '<html>'] as const],
    ['is out of order', () => [500, { success: false, code: 'INTERNAL_ERROR' }] as const],
  ])('a relayer that %s doesn’t prevent a tranche from being fired', async (_, answer) => {
    const relayer = await serve((_request, response) => {
      const [status, body] = answer()
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
    const databaseUrl = await rig.postgres.createDatabase(
      `relayer_${Math.floor(Math.random() * 1e9)}`,
    )
    const { url, ...service } = await rig.start({ relayerUrl: relayer.url, databaseUrl })
    rig.url = url
    const { body } = await rig.place(rig.owners[0], { period: 60 })
    await rig.untilOrder(body.orderId, (order) => order.tranchesFilled === 1, 'fired')
    expect((await rig.order(body.orderId)).lastError).toBeNull()
    await rig.cancel(body.orderId)
    await service.api.stop()
    await service.orders.stop()
    await relayer.stop()
  })

  test('a funded order that is sent again is returned although a node hides its funding', async () => {
    const databaseUrl = await rig.postgres.createDatabase('hidden_funding')
    const honest = await rig.start({ databaseUrl })
    rig.url = honest.url
    await rig.approve(2, TOTAL)
    const order = await rig.submission(rig.owners[2], LATER)
    const first = await place(order, honest.url)
    expect(first.status).toBe(200)
    await rig.stopServices()
    await forgetCopy(databaseUrl)
    // The approval is used up: as a new order it would be refused permanently.
    const liar = await hidingNode('OrderFunded')
    liar.hide(true)
    // The service may read it again while the node still hides it.
    const { url } = await rig.start({ chains: liar.chains, databaseUrl, reloadEveryMs: 1_000 })
    expect(await place(order, url)).toMatchObject({
      status: 503,
      body: { code: 'FUNDING_PENDING' },
    })
    // The funding's block, as the service reads it, is final now.
    await rig.base.client.mine({ blocks: 20 })
    const head = Number(await rig.base.client.getBlockNumber({ cacheTime: 0 }))
    const readTo = async () => (await get(`${url}/health`)).body.chains[0].blockNumber
    await rig.until(async () => (await readTo()) >= head, 'its blocks are read')
    expect((await place(order, url)).status).toBe(503)
    liar.hide(false)
    await rig.base.client.mine({ blocks: 1 })
    await rig.until(async () => (await place(order, url)).status === 200, 'its answer')
    expect((await place(order, url)).body.order).toMatchObject({
      fundingTxHash: first.body.order.fundingTxHash,
    })
    await rig.stopServices()
    await liar.stop()
  })

  test('an order whose funding most nodes hid until it was final is found by the vault’s surplus, reported, and read once they show it', async () => {
    const databaseUrl = await rig.postgres.createDatabase('hidden_surplus')
    const liars = await Promise.all([1, 2].map(() => hidingNode('OrderFunded')))
    const hide = (yes: boolean) => liars.forEach((liar) => void liar.hide(yes))
    hide(true)
    const rpcUrls = [...liars.map(({ url }) => url), rig.base.node.rpc]
    // No order of it is read, so only the configuration names the token.
    const tokens = { USDC: { address: rig.token, decimals: 6 } }
    const chains = rig.configs.map((chain) =>
      chain.chainId === 84532 ? { ...chain, rpcUrls, tokens } : chain,
    )
    // Its owner sent the funding, so no request tells the service of it.
    const [order] = await seedOrders(rig, 1)
    await rig.base.client.mine({ blocks: 20 })
    const { url } = await rig.start({ chains, databaseUrl, ledgerMs: 50 })
    const unread = async () => {
      const { problems } = (await get(`${url}/health`)).body
      const found = problems.filter(({ code }: { code: string }) => code === 'ORDER_UNREAD')
      return found.map(({ what }: { what: string }) => what).join()
    }
    const id = toApiOrderId(order!.orderId)
    await rig.until(async () => (await unread()).includes(id), 'the alarm')
    const names = liars.map((liar, at) => `${new URL(liar.url).host}#${at + 1}`)
    expect(await unread()).toContain(`${names.join(', ')} hides`)
    expect((await get(`${url}/orders/${id}`)).status).toBe(404)
    hide(false)
    await rig.until(async () => (await rig.onChain(order!.orderId)).fired === 1n, 'its tranche')
    await rig.until(async () => (await unread()) === '', 'the end of the alarm')
    await rig.stopServices()
    for (const liar of liars) await liar.stop()
  })

  test('an order’s forged end, from a node or in the database, is detected and the order reloaded', async () => {
    const databaseUrl = await rig.postgres.createDatabase('false_end')
    const honest = await rig.start({ databaseUrl })
    rig.url = honest.url
    const { body } = await rig.place(rig.owners[3], LATER)
    const { body: other } = await rig.place(rig.owners[3], LATER)
    await rig.base.client.mine({ blocks: 20 })
    for (const { order } of [body, other]) await isCopied(databaseUrl, order.vaultOrderId)
    await rig.stopServices()
    const of = { orderId: body.order.vaultOrderId, owner: rig.owners[3]!.address }
    await invent(databaseUrl, 'OrderClosed', { ...of, amount: 0n, reason: 2 })
    await changeTerms(databaseUrl, other.order.vaultOrderId, { endTime: '1' })
    const node = await nodeThatHoldsHistory()
    const { url } = await rig.start({ chains: node.chains, databaseUrl })
    rig.url = url
    await rig.untilOrder(body.orderId, (order) => order?.status === 'cancelled', 'the false end')
    expect((await rig.order(other.orderId)).status).toBe('completed')
    node.release()
    for (const { orderId } of [body, other])
      await rig.untilOrder(orderId, (order) => order?.status === 'active', 'what is true')
    await rig.stopServices()
  })

  test('failures of tranches that someone invents in the database don’t delay the next tranche for long', async () => {
    const databaseUrl = await rig.postgres.createDatabase('false_failures')
    const honest = await rig.start({ databaseUrl })
    rig.url = honest.url
    const owner = rig.owners[5]!
    const { body } = await rig.place(owner, { period: 60, totalAmountIn: String(PER_PERIOD * 9n) })
    for (const fired of [1, 2, 3]) {
      await rig.untilOrder(body.orderId, (order) => order.tranchesFilled === fired, 'a tranche')
      if (fired < 3) await rig.pass(60)
    }
    const { vaultOrderId: orderId } = body.order
    await rig.base.client.mine({ blocks: 20 })
    await isCopied(databaseUrl, orderId, 4)
    await rig.stopServices()
    const tranches = await rig.base.client.getContractEvents({
      ...{ address: rig.vault, abi: orderVaultAbi, eventName: 'TrancheFired', fromBlock: 0n },
      args: { orderId },
    })
    for (const [at, { args }] of tranches.entries()) {
      const refund = { user: owner.address, amount: PER_PERIOD, forfeitedBond: 0n, reason: 1 }
      const event = { orderId, intentId: args.intentId!, ...refund }
      await invent(databaseUrl, 'IntentRefunded', event, 990 + at)
    }
    const { url } = await rig.start({ databaseUrl, ledgerMs: 2_000 })
    rig.url = url
    const errorIs = (code: string | null) => (order: { lastError: string | null } | undefined) =>
      order?.lastError === code
    await rig.untilOrder(body.orderId, errorIs('TRANCHES_NOT_DELIVERED'), 'the false failures')
    await rig.untilOrder(body.orderId, errorIs(null), 'what is true')
    await rig.stopServices()
  })

  test('a credit invented by a node or in the database doesn’t halt a token for good', async () => {
    const databaseUrl = await rig.postgres.createDatabase('false_credit')
    const honest = await rig.start({ databaseUrl })
    rig.url = honest.url
    const { body } = await rig.place(rig.owners[3], LATER)
    await rig.base.client.mine({ blocks: 20 })
    const { vaultOrderId: orderId } = body.order
    await isCopied(databaseUrl, orderId)
    await rig.stopServices()
    const owner = rig.owners[3]!.address
    const credit = { orderId, owner, token: rig.token.toLowerCase(), amount: 10n ** 15n }
    await invent(databaseUrl, 'VaultCreditAdded', credit)
    const node = await nodeThatHoldsHistory()
    const { url } = await rig.start({ chains: node.chains, databaseUrl })
    rig.url = url
    const errorIs = (code: string | null) => (order: { lastError: string | null } | undefined) =>
      order?.lastError === code
    await rig.untilOrder(body.orderId, errorIs('LEDGER_SHORTFALL'), 'the false debt')
    node.release()
    await rig.untilOrder(body.orderId, errorIs(null), 'what is true')
    await rig.stopServices()
  })

  test('a node that hides tranches can’t cause a second firing, and orders whose ledger doesn’t add up halt', async () => {
    const liar = await hidingNode('TrancheFired')
    const databaseUrl = await rig.postgres.createDatabase('lying_node')
    const { url } = await rig.start({ chains: liar.chains, databaseUrl })
    rig.url = url
    const { body } = await rig.place(rig.owners[0], { period: 3_600 })
    liar.hide(true)
    const { vaultOrderId } = body.order
    await rig.until(async () => (await rig.onChain(vaultOrderId)).fired === 1n, 'fired')
    await rig.until(async () => {
      const { body: health } = await get(`${url}/health`)
      return health.problems.some(({ code }: { code: string }) => code === 'LEDGER_SHORTFALL')
    }, 'the shortfall')
    await rig.pass(10)
    await rig.until(async () => (await rig.order(body.orderId)).lastError !== null, 'an error')
    expect((await rig.onChain(vaultOrderId)).fired).toBe(1n)
    const balance = await rig.balanceOf(rig.vault)
    expect(balance).toBeGreaterThanOrEqual((await rig.onChain(vaultOrderId)).left)
    await rig.stopServices()
    await liar.stop()
  })
})

describeTranchesInFlight(() => rig)
describeCancelledTranches(() => rig)
describeCancelAcrossRotation(() => rig)
describeCancelOfRetiredKey(() => rig)
describeCompatByNetwork(() => rig, LATER)

/** Waits until an order is in the service's copy of events: final. */
async function isCopied(databaseUrl: string, orderId: Hex, events = 1): Promise<void> {
  const { db, close } = openDatabase({ databaseUrl })
  await rig.until(async () => {
    const found = await sql`select from orders.event where args ->> 'orderId' = ${orderId}`.execute(
      db,
    )
    return found.rows.length >= events
  }, 'the copy')
  await close()
}

/** Of the chain the next service reads everything itself, whatever the last one had read by its end. */
async function forgetCopy(databaseUrl: string): Promise<void> {
  const { db, close } = openDatabase({ databaseUrl })
  await sql`truncate orders.event, orders.cursor`.execute(db)
  await close()
}

/** Writes an event after an order's latest one into the service's copy. */
async function invent(
  databaseUrl: string,
  type: string,
  args: { orderId: Hex; [name: string]: unknown },
  logIndex = 999,
): Promise<void> {
  const { db, close } = openDatabase({ databaseUrl })
  const logs = await rig.base.client.getLogs({ address: rig.vault, fromBlock: 0n })
  const at = logs.findLast(({ topics }) => topics[1] === args.orderId)
  const { blockNumber, blockHash, transactionHash } = at!
  const number = Number(blockNumber)
  const point = { chainId: 84532, blockNumber: number, blockHash, blockTimestamp: 1, logIndex }
  const sent = { transactionHash, transactionFrom: rig.vault }
  const event = { type, point: { ...point, ...sent }, args } as unknown as ChainEvent
  const last = await rig.base.client.getBlock({ blockNumber: BigInt(number + 10) })
  const chain = {
    chainId: 84532,
    vault: rig.vault.toLowerCase(),
    bridge: rig.base.contracts.bridge,
  }
  const config = { startBlock: 0 }
  const at84532 = { ...chain, config, bridge: chain.bridge.toLowerCase() } as VaultChain
  const cursor = { blockNumber: number + 10, blockHash: last.hash }
  await appendOrderEvents(db, at84532, [event], cursor, -1)
  await close()
}

/** Writes other terms of an order into the service's copy of events. */
async function changeTerms(databaseUrl: string, orderId: Hex, terms: object): Promise<void> {
  const { db, close } = openDatabase({ databaseUrl })
  await sql`
    update orders.event set args = args || ${JSON.stringify(terms)}::jsonb
    where type = 'OrderFunded' and args ->> 'orderId' = ${orderId}`.execute(db)
  await close()
}

/**
 * A proxy before the real node that answers nobody who reads the whole history until it is released: what the service says
 * before it has read it again stays until a test has seen it.
 */
async function nodeThatHoldsHistory() {
  const proxy = await startFaultyRpc(rig.base.node.rpc)
  onTestFinished(() => proxy.close())
  const released = Promise.withResolvers<void>()
  proxy.inject(({ method, params }) => {
    const { fromBlock } = (params?.[0] ?? {}) as { fromBlock?: Hex }
    const isHistory = method === 'eth_getLogs' && Number(fromBlock) === 0
    return isHistory ? { hold: released.promise } : undefined
  })
  const chains = rig.configs.map((config) =>
    config.chainId === 84532 ? { ...config, rpcUrls: [proxy.url] } : config,
  )
  return { chains, release: released.resolve }
}
/** A proxy before the real node that, while switched on, omits events of one type. */
async function hidingNode(event: VaultEventName) {
  let hides = false
  const { node } = rig.base
  const topic = findEventTopic(event)
  const server = await serve(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const real = await fetch(node.rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    })
    const answers = await real.json()
    for (const one of Array.isArray(answers) ? answers : [answers]) {
      if (hides && Array.isArray(one.result))
        one.result = one.result.filter((log: { topics?: string[] }) => log.topics?.[0] !== topic)
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answers))
  })
  const chains = rig.configs.map((config) =>
    config.chainId === 84532 ? { ...config, rpcUrls: [server.url] } : config,
  )
  return {
    chains,
    url: server.url,
    hide: (yes: boolean) => {
      hides = yes
    },
    stop: server.stop,
  }
}

async function serve(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
