import { encodeFunctionData, type Hex, hashMessage, keccak256, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningApi, startApi } from '../../../api/rest/startApi.ts'
import { createWebhookRoutes } from '../../../api/rest/webhooks/webhookRoutes.ts'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { predictSafe } from '../../../core/safe/predictSafe.ts'
import { safeProxyFactoryAbi } from '../../../core/safe/safeAbi.ts'
import { findSafeContracts } from '../../../core/safe/safeContracts.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { deploySafeSuite } from '../../../devnet/deploy/deploySafeSuite.ts'
import { createDevnetClient } from '../../../devnet/devnetClient.ts'
import { registerWebhookMessage, webhookMessage } from '../../../sdk/messages/webhookMessages.ts'
import { createAccountSender } from '../../../services/chain/accountSender.ts'
import { BASE, chainConfig, HORIZEN } from '../rest/seededApi.ts'
import { increasingTimestamps } from './increasingTimestamps.ts'
import type { PushRig } from './pushRig.ts'

/** Says nothing to `isValidSignature`, and burns all the gas that it is given: `JUMPDEST PUSH0 JUMP`. */
const ENDLESS: Hex = '0x5b5f56'

/** See push.test.ts. */
export function describeContractWallets(open: () => PushRig): void {
  let rig: PushRig
  let node: RunningAnvil
  let api: RunningApi
  const owner = privateKeyToAccount(keccak256(toHex('who owns a Safe with webhooks')))
  const { address: safe, initializer, saltNonce } = predictSafe(owner.address, BASE)
  const endless: Hex = `0x${'e0'.repeat(20)}`
  const filter = { sender: safe }
  const url = 'http://127.0.0.1:9/safe'
  const nextTime = increasingTimestamps()

  beforeAll(async () => {
    rig = open()
    node = await startAnvil({ chainId: BASE, blockTime: 0 })
    const client = createDevnetClient({ ...node, name: 'base_sepolia' })
    const sender = createAccountSender(client, deriveDevnetAccounts().deployer, 100)
    await deploySafeSuite(client, sender)
    const { proxyFactory, singleton } = findSafeContracts(BASE)
    const data = encodeFunctionData({
      abi: safeProxyFactoryAbi,
      functionName: 'createProxyWithNonce',
      args: [singleton, initializer, saltNonce],
    })
    await sender.execute({ to: proxyFactory, data })
    await client.setCode({ address: endless, bytecode: ENDLESS })
    api = await startApi({
      databaseUrl: rig.api.postgres.databaseUrl,
      host: '127.0.0.1',
      port: 0,
      chains: [
        chainConfig('base_sepolia', BASE, node.rpc),
        chainConfig('horizen_testnet', HORIZEN),
      ],
      routes: [createWebhookRoutes({ allowPrivate: true, checks: { perSecond: 0.001, burst: 7 } })],
    })
  })
  afterAll(async () => {
    await api?.stop()
    await node?.stop()
  })

  /** What a Safe takes for its own: its owner's signature over the hash, wrapped for this Safe. */
  const bySafe = (message: string) =>
    owner.signTypedData({
      domain: { chainId: BASE, verifyingContract: safe },
      types: { SafeMessage: [{ name: 'message', type: 'bytes' }] },
      primaryType: 'SafeMessage',
      message: { message: hashMessage(message) },
    })
  const headers = async (message: (at: number) => string, more: Record<string, string> = {}) => {
    const timestamp = nextTime()
    return {
      'content-type': 'application/json',
      'x-owner-address': safe,
      'x-owner-signature': await bySafe(message(timestamp)),
      'x-timestamp': String(timestamp),
      'x-owner-chain': 'base_sepolia',
      ...more,
    }
  }
  const registration = (at: number) => registerWebhookMessage(url, filter, 'instant', at)
  const register = async (given: Record<string, string>) => {
    const body = JSON.stringify({ url, ...filter })
    const response = await fetch(`${api.url}/webhooks`, { method: 'POST', headers: given, body })
    return { status: response.status, body: (await response.json()) as never as Answer }
  }
  // biome-ignore lint/suspicious/noExplicitAny: looked at field by field
  type Answer = { code?: string; error?: string; webhook?: any; webhooks?: any[] }

  test('a contract registers and lists by its own signature, on its own chain', async () => {
    const good = await headers(registration)
    const { body } = await register(good)
    expect(body.webhook).toMatchObject({ ownerChainId: String(BASE), status: 'active' })
    expect(body.webhook.owner.toLowerCase()).toBe(safe)
    const list = await headers((at) => webhookMessage('list', null, at))
    const response = await fetch(`${api.url}/webhooks`, { headers: list })
    const { webhooks } = (await response.json()) as Required<Answer>
    expect(webhooks.map(({ id }) => id)).toEqual([body.webhook.id])
    expect((await register(good)).body.code).toBe('SIGNATURE_USED')
  })

  test('rejects another’s signature, a missing chain, another chain and a missing contract', async () => {
    const codeOf = async (more: Record<string, string>) =>
      (await register(await headers(registration, more))).body.code
    expect(await codeOf({ 'x-owner-chain': 'nowhere' })).toBe('UNSUPPORTED_CHAIN')
    const { 'x-owner-chain': _, ...chainless } = await headers(registration)
    expect((await register(chainless)).body).toMatchObject({
      code: 'INVALID_SIGNATURE',
      error: expect.stringContaining('X-Owner-Chain'),
    })
    const other = await bySafe('something else')
    expect(await codeOf({ 'x-owner-signature': other })).toBe('INVALID_SIGNATURE')
    expect(await codeOf({ 'x-owner-address': `0x${'77'.repeat(20)}` })).toBe('INVALID_SIGNATURE')
    // No node of that chain answers.
    expect(await codeOf({ 'x-owner-chain': 'horizen_testnet' })).toBe('RPC_UNREACHABLE')
  })

  test('an endless contract costs a node its gas limit, and the client its requests', async () => {
    const code = async () =>
      (await register(await headers(registration, { 'x-owner-address': endless }))).body.code
    expect(await code()).toBe('INVALID_SIGNATURE')
    expect(await code()).toBe('RATE_LIMITED')
    // Keys go on.
    const timestamp = nextTime()
    const response = await register({
      'content-type': 'application/json',
      'x-owner-address': owner.address,
      'x-owner-signature': await owner.signMessage({ message: registration(timestamp) }),
      'x-timestamp': String(timestamp),
    })
    expect(response.status).toBe(200)
  })
}
