import {
  createPublicClient,
  createWalletClient,
  custom,
  erc20Abi,
  HttpRequestError,
  http,
  TimeoutError,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { worth } from '../../../devnet/tokens.ts'
import { submitIntent } from '../../../sdk/client/submitIntent.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { type BridgePair, startBridgePair } from '../../integration/indexer/bridgePair.ts'

// A node that takes a transaction, and whose answer is lost. A sender that then did what `retryable` says would pay again.

let pair: BridgePair
const account = privateKeyToAccount(deriveDevnetAccounts().senders[1]!.privateKey)

beforeAll(async () => {
  pair = await startBridgePair()
}, 300_000)
afterAll(() => pair.stop())

type Request = { method: string; params?: unknown }
type Ask = (given: Request) => Promise<unknown>

/** A client whose wallet's and reader's providers are the node with changed answers. */
function contextOf(ofWallet: (ask: Ask) => Ask, ofReader: (ask: Ask) => Ask = (ask) => ask) {
  const { base, horizen } = pair
  const provider = http(base.node.rpc, { retryCount: 0 })({}) as { request: Ask }
  const through = (change: (ask: Ask) => Ask) =>
    custom({ request: change((given) => provider.request(given)) }, { retryCount: 0 })
  return {
    chains: [
      {
        name: base.name,
        chainId: base.chainId,
        bridge: base.contracts.bridge,
        publicClient: createPublicClient({ transport: through(ofReader), pollingInterval: 50 }),
      },
      { name: horizen.name, chainId: horizen.chainId, bridge: horizen.contracts.bridge },
    ],
    walletClient: createWalletClient({ account, transport: through(ofWallet) }),
    relayer: { eciesPublicKey: async () => account.publicKey },
  } as never
}

async function submit(context: never): Promise<unknown> {
  const { tokens } = pair.base.contracts
  const intent = {
    sourceChain: pair.base.name,
    destChain: pair.horizen.name,
    tokenIn: tokens.USDC,
    tokenOut: tokens.ZEN,
    deadline: Math.floor(Date.now() / 1_000) + 90,
    amountIn: worth('USDC', 10_000),
    minAmountOut: worth('ZEN', 50),
    reward: 1n,
    recipients: [{ address: account.address, amount: worth('ZEN', 20) }],
  }
  return submitIntent(context, intent, { skipLiquidityCheck: true }).catch((error) => error)
}

const countIntents = async () =>
  (await pair.base.client.readContract({
    address: pair.base.contracts.bridge,
    abi: bridgeIntentV2Abi,
    functionName: 'getLatestIntentId',
  })) & 0xffffffffn

/** Once the tokens are approved, so that the only transaction is the creation. */
async function approve() {
  const { contracts, node, client } = pair.base
  const hash = await createWalletClient({ account, transport: http(node.rpc) }).writeContract({
    chain: null,
    address: contracts.tokens.USDC,
    abi: erc20Abi,
    functionName: 'approve',
    args: [contracts.bridge, worth('USDC', 10_000) + 1n],
  })
  await client.waitForTransactionReceipt({ hash })
}

type Body = { [name: string]: unknown }

const url = 'http://node.example'

test.each([
  ['a gateway gives up', (body: Body) => new HttpRequestError({ body, url, status: 504 })],
  ['the request times out', (body: Body) => new TimeoutError({ body, url })],
  ['the repetition is refused', () => Object.assign(new Error('already known'), { code: -32_000 })],
])('a creation isn’t retryable when %s after the node took it', async (_, failure) => {
  await approve()
  const before = await countIntents()
  const context = contextOf((ask) => async (given) => {
    const answer = await ask(given)
    if (given.method !== 'eth_sendRawTransaction') return answer
    throw failure({ method: given.method, params: given.params })
  })
  expect(await submit(context)).toMatchObject({ code: 'RPC_UNREACHABLE', retryable: false })
  await expect.poll(countIntents).toBe(before + 1n)
})

test('a creation whose receipt can’t be read names its transaction, and isn’t retryable', async () => {
  await approve()
  const before = await countIntents()
  const sent: unknown[] = []
  const ofWallet = (ask: Ask) => async (given: Request) => {
    const answer = await ask(given)
    if (given.method === 'eth_sendRawTransaction') sent.push(answer)
    return answer
  }
  const ofReader = (ask: Ask) => async (given: Request) => {
    if (given.method !== 'eth_getTransactionReceipt') return ask(given)
    throw new HttpRequestError({ body: given as never, url, status: 502 })
  }
  expect(await submit(contextOf(ofWallet, ofReader))).toMatchObject({
    code: 'RPC_UNREACHABLE',
    retryable: false,
    details: { txHash: sent[0] },
  })
  expect(sent).toHaveLength(1)
  await expect.poll(countIntents).toBe(before + 1n)
})

test('a creation that never left is retryable', async () => {
  await approve()
  const before = await countIntents()
  const context = contextOf((ask) => async (given) => {
    if (given.method === 'eth_chainId') return ask(given)
    throw new HttpRequestError({ body: given as never, url, status: 502 })
  })
  expect(await submit(context)).toMatchObject({ code: 'RPC_UNREACHABLE', retryable: true })
  expect(await countIntents()).toBe(before)
})
