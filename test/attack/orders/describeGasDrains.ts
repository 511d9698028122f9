import { encodeFunctionData, erc20Abi, type Hex, maxUint256 } from 'viem'
import { describe, expect, test } from 'vitest'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { worth } from '../../../devnet/tokens.ts'
import { registerEnclaveOn } from '../../integration/enclave/enclaveTestbed.ts'
import { get, type OrderOwner, type OrdersRig } from '../../integration/orders/ordersRig.ts'
import { encodeMint } from '../../rig/encodeMint.ts'

/** Attacks on the gas of the service: it pays for every call, and an owner for none. */
export function describeGasDrains(rigOf: () => OrdersRig, later: Record<string, number>): void {
  describe('gas', () => {
    test('the service pays for only a few orders of an owner who places and cancels them repeatedly', async () => {
      const rig = rigOf()
      const { url } = rig
      const owner = rig.owners[1]!
      const databaseUrl = await rig.postgres.createDatabase('unpaid')
      const { api, orders, url: other } = await rig.start({ databaseUrl, unpaidGas: 700_000n })
      rig.url = other
      const before = await rig.base.client.getBalance({ address: owner.address })
      let placed = 0
      for (;;) {
        const { body } = await rig.place(owner, later)
        if (!body.success) break
        placed += 1
        await rig.cancel(body.orderId, owner)
      }
      expect(placed).toBeGreaterThan(0)
      expect(placed).toBeLessThan(4)
      const many = await Promise.all([1, 2, 3].map(() => rig.place(owner, later)))
      expect(many.map(({ body }) => body.code)).toEqual(Array(3).fill('GAS_NOT_PAID'))
      // It loses only the sponsored gas: the owner can send the signed call itself.
      const { to, data } = many[0]!.body.details
      // As docs/orders.md has owners check it.
      expect(data).toMatch(/^0x94e7d954/)
      await rig.base.senders[1]!.execute({ to, data })
      expect(await rig.base.client.getBalance({ address: owner.address })).toBeLessThan(before)
      // Nobody else pays for it.
      const { body } = await rig.place(rig.owners[2], later)
      expect(body.success).toBe(true)
      await rig.cancel(body.orderId, rig.owners[2])
      await api.stop()
      await orders.stop()
      rig.url = url
    })

    test('an owner whose contract burns gas in signature checks gets no more gas than others', async () => {
      const rig = rigOf()
      const owner = await burningOwner(rig)
      const { body } = await rig.place(owner, later)
      expect(body).toMatchObject({
        code: 'GAS_NOT_PAID',
        details: { reason: 'signature_too_dear' },
      })
    })
  })
}

/** No service runs before these, and none after them. */
export function describeTranchesInFlight(rigOf: () => OrdersRig): void {
  test('the service fires an owner’s tranches that are due at once only up to its unpaid allowance', async () => {
    const rig = rigOf()
    const owner = rig.owners[4]!
    const databaseUrl = await rig.postgres.createDatabase('in_flight')
    rig.url = (await rig.start({ databaseUrl })).url
    const startTime = (await rig.now()) + 600
    const ids: string[] = []
    for (let at = 0; at < 4; at++) {
      const { body } = await rig.place(owner, { startTime, period: 3_600 })
      ids.push(body.orderId)
    }
    await rig.stopServices()
    // Gas of two: neither is in a block when the others are due.
    rig.url = (await rig.start({ databaseUrl, unpaidGas: 600_000n })).url
    await rig.pass(610)
    await rig.until(async () => {
      const all = await Promise.all(ids.map((id) => rig.order(id)))
      const waiting = all.filter((order) => order?.lastError === 'OWNER_BRINGS_NO_FEE')
      return waiting.length === 2 && all.filter((order) => order?.tranchesFilled === 1).length === 2
    }, 'two tranches, and two that wait')
    await rig.stopServices()
  })
}

/** No service runs before these, and none after them. */
export function describeCancelledTranches(rigOf: () => OrdersRig): void {
  test('nobody gets a tranche to send that waits for gas while its owner’s cancel isn’t in a block yet', async () => {
    const rig = rigOf()
    const { client } = rig.base
    const owner = rig.owners[3]!
    const databaseUrl = await rig.postgres.createDatabase('cancelled_tranche')
    rig.url = (await rig.start({ databaseUrl })).url
    const startTime = (await rig.now()) + 600
    const { body } = await rig.place(owner, { startTime, period: 3_600 })
    await rig.stopServices()
    rig.url = (await rig.start({ databaseUrl, unpaidGas: 0n, timeoutMs: 120_000 })).url
    await rig.pass(610)
    const answer = async () => (await get(`${rig.url}/orders/${body.orderId}/tranche`)).body
    await rig.until(async () => (await answer()).success, 'a tranche that anyone can send')
    await client.setBalance({ address: rig.account, value: 0n })
    const cancelling = rig.cancel(body.orderId, owner)
    await rig.until(async () => (await answer()).code === 'TRANCHE_NOT_WAITING', 'no tranche')
    expect(await rig.onChain(body.order.vaultOrderId)).toMatchObject({ closed: false, fired: 0n })
    await client.setBalance({ address: rig.account, value: 10n ** 19n })
    expect((await cancelling).body.order).toMatchObject({ status: 'cancelled', tranchesFilled: 0 })
    await rig.stopServices()
  })
}

/** No service runs before it, and none after it. */
export function describeCancelAcrossRotation(rigOf: () => OrdersRig): void {
  test('an owner’s cancel that waits when the root is rotated isn’t forgotten', async () => {
    const rig = rigOf()
    const { client } = rig.base
    const owner = rig.owners[3]!
    const databaseUrl = await rig.postgres.createDatabase('rotated')
    rig.url = (await rig.start({ databaseUrl, timeoutMs: 500 })).url
    const startTime = (await rig.now()) + 600
    const { body } = await rig.place(owner, { startTime, period: 3_600 })
    await client.setBalance({ address: rig.account, value: 0n })
    expect((await rig.cancel(body.orderId, owner)).body.code).toBe('CANCEL_PENDING')
    await rig.stopServices()
    const database = await rig.postgres.connect(databaseUrl)
    await database.query(`update app.transaction set account = $1 where kind = 'closeOrder'`, [
      `0x${'0f'.repeat(20)}`,
    ])
    await client.setBalance({ address: rig.account, value: 10n ** 19n })
    await rig.pass(610)
    await rig.start({ databaseUrl })
    const onChain = () => rig.onChain(body.order.vaultOrderId)
    const hasMoved = async () => (await onChain()).closed || (await onChain()).fired > 0n
    await rig.until(hasMoved, 'the cancel, or a tranche')
    expect(await onChain()).toMatchObject({ closed: true, fired: 0n })
    await rig.stopServices()
  })
}

/** No service runs before it, and none after it. */
export function describeCancelOfRetiredKey(rigOf: () => OrdersRig): void {
  test('nothing of an order is spent whose owner’s cancel waited until the key that signed it was revoked', async () => {
    const rig = rigOf()
    const { base, enclave } = rig
    const owner = rig.owners[3]!
    const databaseUrl = await rig.postgres.createDatabase('retired_key')
    rig.url = (await rig.start({ databaseUrl, timeoutMs: 500 })).url
    const startTime = (await rig.now()) + 600
    const { body } = await rig.place(owner, { startTime, period: 3_600 })
    await base.client.setBalance({ address: rig.account, value: 0n })
    expect((await rig.cancel(body.orderId, owner)).body.code).toBe('CANCEL_PENDING')
    await rig.stopServices()
    const { attester } = await enclave.rotateAttester({ step: 'prepare' })
    await registerEnclaveOn(base, enclave, 0, 'next')
    await enclave.rotateAttester({ step: 'promote' })
    const { address: operator } = deriveDevnetAccounts().operators[0]
    await base.client.impersonateAccount({ address: operator })
    await base.client.setBalance({ address: operator, value: 10n ** 18n })
    const data = encodeFunctionData({
      abi: enclaveKeyRegistryAbi,
      functionName: 'revoke',
      args: [attester],
    })
    const revocation = { from: operator, to: base.contracts.registry, data }
    await base.client.request({ method: 'eth_sendTransaction', params: [revocation] } as never)
    await base.client.mine({ blocks: 1 })
    await base.client.setBalance({ address: rig.account, value: 10n ** 19n })
    await rig.pass(610)
    rig.url = (await rig.start({ databaseUrl })).url
    const onChain = () => rig.onChain(body.order.vaultOrderId)
    const isHeld = async () => (await rig.order(body.orderId))?.lastError === 'CANCEL_FAILED'
    const hasMoved = async () => (await isHeld()) || (await onChain()).fired > 0n
    await rig.until(hasMoved, 'it is held, or a tranche is fired')
    expect(await onChain()).toMatchObject({ closed: false, fired: 0n })
    expect((await rig.cancel(body.orderId, owner)).body.order?.status).toBe('cancelled')
    await rig.stopServices()
  })
}

/** A contract that accepts every signature, at the price of ten million gas where the vault asks. */
async function burningOwner({ base, token, vault, owners }: OrdersRig): Promise<OrderOwner> {
  const address: Hex = `0x${'b0'.repeat(20)}`
  const { client, relayer } = base
  const bytecode = [
    // caller == vault: jump to the loop; otherwise answer with ERC-1271's magic value
    `0x3373${vault.slice(2).toLowerCase()}14602b57`,
    '5b631626ba7e60e01b60005260206000f3',
    // 400,000 times around
    '5b62061a80',
    '5b60019003806030575060',
    '1a56',
  ].join('') as Hex
  await client.setCode({ address, bytecode })
  await client.setBalance({ address, value: 10n ** 18n })
  await relayer.execute({ to: token, data: encodeMint(address, worth('USDC', 1_000_000_000)) })
  const approve = { abi: erc20Abi, functionName: 'approve', args: [vault, maxUint256] } as const
  await client.impersonateAccount({ address })
  const call = { from: address, to: token, data: encodeFunctionData(approve) }
  const hash = await client.request({ method: 'eth_sendTransaction', params: [call] } as never)
  // The node answers before it mines.
  await client.waitForTransactionReceipt({ hash, pollingInterval: 50 })
  await client.stopImpersonatingAccount({ address })
  return { address, signMessage: owners[1]!.signMessage }
}
