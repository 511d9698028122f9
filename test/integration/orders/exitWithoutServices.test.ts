import { createPublicClient, encodeFunctionData, erc20Abi, type Hex, http, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  claimCreditCall,
  closeOrderCall,
  findOwnOrders,
  readCredit,
  readVaultOrder,
} from '../../../sdk/index.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { type Fault, type RpcCall, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { type BridgePair, startBridgePair } from '../indexer/bridgePair.ts'

/*
 * No service runs here, only a node, the contracts, the owner's key, and what the SDK makes of them. The
 * orders were funded and a tranche fired while there still was an enclave (a key of the test's).
 */
let pair: BridgePair
let owner: Hex
beforeAll(async () => {
  pair = await startBridgePair()
  owner = pair.base.senders[0]!.address
})
afterAll(() => pair?.stop())

const blacklistAbi = parseAbi(['function blacklist(address)', 'function unBlacklist(address)'])
const A_DAY = 86_400

function usdcOf(account: Hex): Promise<bigint> {
  const { client, contracts } = pair.base
  const address = contracts.tokens.USDC
  return client.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [account] })
}

async function openOrders() {
  const { client, contracts } = pair.base
  const orders = await findOwnOrders(client, { vault: contracts.vault, owner, fromBlock: 0n })
  return orders.filter(({ closed }) => !closed)
}

async function waitSeconds(seconds: number): Promise<void> {
  await pair.base.client.increaseTime({ seconds })
  await pair.base.client.mine({ blocks: 1 })
}

test('an owner with only its key gets everything back, to the unit', async () => {
  const { base, play } = pair
  const { vault, bridge } = base.contracts
  const before = await usdcOf(owner)
  const funded = await play.fundOrder(1, 3)
  const tranche = await play.fireTranche(funded, 0)

  const [found, ...others] = await openOrders()
  expect(others).toEqual([])
  expect(found).toMatchObject({ vaultOrderId: funded, fired: 1n, closed: false })
  expect(await usdcOf(vault)).toBe(found!.left)
  await base.senders[0]!.execute({ to: vault, data: closeOrderCall(found!.vaultOrderId) })
  expect(await usdcOf(vault)).toBe(0n)
  expect(await readVaultOrder(base.client, vault, funded)).toMatchObject({ left: 0n, closed: true })

  // The tranche is an intent of the owner's: nobody has bid, so it is taken back at once.
  const cancel = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'cancelIntent',
    args: [tranche],
  })
  await base.senders[0]!.execute({ to: bridge, data: cancel })
  expect(await usdcOf(owner)).toBe(before)
  expect(await readVaultOrder(base.client, vault, `0x${'00'.repeat(32)}`)).toBeNull()
})

test('only the owner closes an order until a day after its end; then anyone can, for the owner', async () => {
  const { base, play } = pair
  const { vault, bridge } = base.contracts
  const stranger = base.senders[1]!
  const before = await usdcOf(owner)
  const funded = await play.fundOrder(2, 2, 500)
  const tranche = await play.fireTranche(funded, 0)
  const data = closeOrderCall(funded)
  await expect(stranger.execute({ to: vault, data })).rejects.toThrow()
  await waitSeconds(500)
  await expect(stranger.execute({ to: vault, data })).rejects.toThrow()
  await waitSeconds(A_DAY)
  await stranger.execute({ to: vault, data })
  const refund = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'refund',
    args: [tranche],
  })
  await stranger.execute({ to: bridge, data: refund })
  expect(await usdcOf(owner)).toBe(before)
})

test('an owner whom the token refuses gets a credit and claims it to another account', async () => {
  const { base, play } = pair
  const { vault, tokens } = base.contracts
  const refuse = (functionName: 'blacklist' | 'unBlacklist') =>
    base.relayer.execute({
      to: tokens.USDC,
      data: encodeFunctionData({ abi: blacklistAbi, functionName, args: [owner] }),
    })
  const funded = await play.fundOrder(3)
  const { left } = (await readVaultOrder(base.client, vault, funded))!
  await refuse('blacklist')
  await base.senders[0]!.execute({ to: vault, data: closeOrderCall(funded) })
  const credit = { owner, token: tokens.USDC }
  expect(await readCredit(base.client, vault, credit)).toBe(left)

  const elsewhere: Hex = `0x${'e1'.repeat(20)}`
  await base.senders[0]!.execute({ to: vault, data: claimCreditCall(tokens.USDC, elsewhere) })
  expect(await usdcOf(elsewhere)).toBe(left)
  expect([await readCredit(base.client, vault, credit), await usdcOf(vault)]).toEqual([0n, 0n])
  await refuse('unBlacklist')
})

test.each<[string, number, Fault]>([
  ['an error', 4, { error: { code: -32_600, message: 'up to 40 blocks' } }],
  ['an HTTP status', 5, { status: 400 }],
])('an owner finds its orders through a node that refuses long ranges with %s', async (_, salt, fault) => {
  const { base, play } = pair
  const funded = await play.fundOrder(salt)
  await base.client.mine({ blocks: 150 })
  const node = await startFaultyRpc(base.config.rpcUrls[0]!)
  try {
    node.inject(({ method, params }: RpcCall) => {
      if (method !== 'eth_getLogs') return undefined
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: Hex; toBlock: Hex }]
      return Number(toBlock) - Number(fromBlock) < 40 ? undefined : fault
    })
    const client = createPublicClient({ transport: http(node.url) })
    const { vault } = base.contracts
    const found = await findOwnOrders(client, { vault, owner, fromBlock: 0n })
    expect(found.map(({ vaultOrderId }) => vaultOrderId)).toContain(funded)
  } finally {
    await node.close()
  }
  await base.senders[0]!.execute({ to: base.contracts.vault, data: closeOrderCall(funded) })
})
