import { ContractFunctionZeroDataError } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test, vi } from 'vitest'
import { prepareIntent } from '../../../sdk/client/prepareIntent.ts'
import { createOrdersClient } from '../../../sdk/index.ts'
import { orderKeyTypedData } from '../../../sdk/messages/orderKeyTypedData.ts'
import { serveLocally } from '../../rig/serveLocally.ts'

// A relayer that names a key of its own would read the recipients, and in compat mode could name others.

const [enclave, thief] = ['11', '22'].map((byte) => privateKeyToAccount(`0x${byte.repeat(32)}`))
const ADDRESS = `0x${'b1'.repeat(20)}` as const
const REGISTRY = `0x${'c2'.repeat(20)}` as const
/** An account without a contract. */
const OTHER = `0x${'c3'.repeat(20)}` as const
const [SOURCE, DESTINATION] = [84532, 2651420]

const ANSWERS: Record<string, unknown> = {
  tokenListing: [true, 1n, 10n ** 18n, 1],
  isDestinationListed: true,
  MIN_AUCTION_DURATION: 20,
}

/** What the registry says of the enclave's attester. */
const KEYS: Record<string, unknown> = {
  isActive: true,
  eciesKeyOf: enclave!.publicKey,
  keyOf: { measurement: `0x${'0'.repeat(64)}` },
}

async function prepareWith(publicKey: string, registry?: typeof REGISTRY | typeof OTHER) {
  const publicClient = {
    getBlock: async () => ({ timestamp: 1n }),
    readContract: async (call: { address: string; functionName: string }) => {
      const { functionName } = call
      if (call.address === OTHER) throw new ContractFunctionZeroDataError({ functionName })
      return (call.address === REGISTRY ? KEYS : ANSWERS)[functionName]
    },
  }
  const walletClient = { account: enclave, getChainId: async () => SOURCE }
  const keys = { eciesPublicKey: publicKey, attester: ADDRESS }
  const context = {
    chains: [
      { name: 'a', chainId: SOURCE, bridge: ADDRESS, publicClient, registry },
      { name: 'b', chainId: DESTINATION, bridge: ADDRESS },
    ],
    walletClient,
    relayer: { eciesPublicKey: async () => publicKey, attestation: async () => [{ keys }] },
  }
  const intent = {
    sourceChain: 'a',
    destChain: 'b',
    tokenIn: REGISTRY,
    tokenOut: REGISTRY,
    amountIn: 100n,
    minAmountOut: 90n,
    reward: 1n,
    deadline: Math.floor(Date.now() / 1_000) + 90,
    recipients: [{ address: enclave!.address, amount: 90n }],
  }
  return prepareIntent(context as never, intent).then(
    () => 'sealed',
    ({ code, message }) => (code === 'NOT_AN_ENCLAVE' ? code : message),
  )
}

test('with a registry, recipients are sealed to no key but an enclave’s', async () => {
  expect(await prepareWith(thief!.publicKey, REGISTRY)).toBe('NOT_AN_ENCLAVE')
  expect(await prepareWith(enclave!.publicKey, REGISTRY)).toBe('sealed')
  expect(await prepareWith(thief!.publicKey)).toBe('sealed')
})

test('the error names the chain whose registry’s address has no registry', async () => {
  expect(await prepareWith(enclave!.publicKey, OTHER)).toBe(
    'chains: expected the address of a’s EnclaveKeyRegistry as its registry',
  )
})

/** What becomes of an order whose service answers with this key; the attester is the only active one. */
async function orderWith(key: object, registry?: typeof REGISTRY, chain: object = {}) {
  const placed: string[] = []
  const baseUrl = await serveLocally((request, response) => {
    if (request.method === 'POST') placed.push(request.url!)
    const isKey = request.url === '/ecies-pubkey'
    response.writeHead(isKey ? 200 : 400, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isKey ? key : { error: 'refused', code: 'ORDER_INVALID' }))
  })
  const publicClient = {
    readContract: async ({ functionName, args }: { functionName: string; args: [string] }) =>
      functionName === 'isActive' ? args[0] === enclave!.address : KEYS[functionName],
  }
  const chains = [{ chainId: SOURCE, registry, publicClient: publicClient as never, ...chain }]
  const sign = vi.fn(async () => '0x' as const)
  const order = {
    user: ADDRESS,
    assetIn: ADDRESS,
    assetOut: ADDRESS,
    chainIn: 'a',
    chainOut: 'b',
    sourceChainId: SOURCE,
    destChainId: DESTINATION,
    totalAmountIn: 2n,
    amountPerPeriod: 1n,
    period: 60,
    startTime: 1,
    endTime: 200,
    recipients: [ADDRESS],
    amounts: [1n],
  }
  const { code, message } = await createOrdersClient({ baseUrl, chains })
    .createOrder(order, sign)
    .then(String, (error) => error)
  return { code, message, sent: sign.mock.calls.length + placed.length }
}

test('with a registry, an order is sealed to no key but one that an active enclave has signed', async () => {
  const publicKey = enclave!.publicKey
  const [signature, byThief] = await Promise.all(
    [enclave!, thief!].map((one) => one.signTypedData(orderKeyTypedData(publicKey))),
  )
  const refused = { code: 'NOT_AN_ENCLAVE', sent: 0 }
  const signer = enclave!.address
  expect(await orderWith({ publicKey }, REGISTRY)).toMatchObject(refused)
  expect(await orderWith({ publicKey, signer, signature: byThief }, REGISTRY)).toMatchObject(
    refused,
  )
  expect(await orderWith({ publicKey, signer, signature: '0x12' }, REGISTRY)).toMatchObject(refused)
  const swapped = { publicKey: thief!.publicKey, signer, signature }
  expect(await orderWith(swapped, REGISTRY)).toMatchObject(refused)
  const sealed = { code: 'ORDER_INVALID', sent: 2 }
  expect(await orderWith({ publicKey, signer, signature }, REGISTRY)).toMatchObject(sealed)
  expect(await orderWith({ publicKey })).toMatchObject(sealed)
})

test.each([
  ['an entry', { chainId: DESTINATION }],
  ['a publicClient', { publicClient: undefined }],
])('an order is not sealed to a key that can’t be checked because chains lacks %s for its chain', async (missing, chain) => {
  const message = `chains: expected ${missing} for chain 84532, to check the order service’s key`
  const refused = { code: 'INVALID_REQUEST', message, sent: 0 }
  expect(await orderWith({ publicKey: enclave!.publicKey }, REGISTRY, chain)).toEqual(refused)
})
