import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { prepareIntent } from '../../../sdk/client/prepareIntent.ts'

// A relayer that names a key of its own would read the recipients, and in compat mode could name others.

const [enclave, thief] = ['11', '22'].map((byte) => privateKeyToAccount(`0x${byte.repeat(32)}`))
const ADDRESS = `0x${'b1'.repeat(20)}` as const
const REGISTRY = `0x${'c2'.repeat(20)}` as const
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

async function prepareWith(publicKey: string, registry?: typeof REGISTRY) {
  const publicClient = {
    getBlock: async () => ({ timestamp: 1n }),
    readContract: async (call: { address: string; functionName: string }) =>
      (call.address === REGISTRY ? KEYS : ANSWERS)[call.functionName],
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
    ({ code }) => code,
  )
}

test('with a registry, recipients are sealed to no key but an enclave’s', async () => {
  expect(await prepareWith(thief!.publicKey, REGISTRY)).toBe('NOT_AN_ENCLAVE')
  expect(await prepareWith(enclave!.publicKey, REGISTRY)).toBe('sealed')
  expect(await prepareWith(thief!.publicKey)).toBe('sealed')
})
