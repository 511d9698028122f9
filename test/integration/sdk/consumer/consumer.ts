/** What somebody writes who has installed the package: type-checked, run on every Node, and in a browser. */
import {
  CAIRN_ERROR_CODES,
  type CairnChain,
  CairnError,
  type CairnErrorCode,
  type CairnEvent,
  createCairnClient,
  createIntentCall,
  createOrdersClient,
  createRelayerClient,
  findOwnOrders,
  type IntentHandle,
  type IntentRequest,
  type RelayerIntent,
  sealCreationBlob,
  waitForOrder,
} from '@cairn/sdk'
import { ProofError, type VerifiedIntent, verifyIntent, verifyProof } from '@cairn/sdk/verify'
import {
  type Address,
  createPublicClient,
  createWalletClient,
  custom,
  type Hex,
  http,
  publicActions,
  size,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base, celo } from 'viem/chains'

/** Compiles only if the two are the same type: an `any` isn't. */
type Same<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false
const areTyped: [
  Same<RelayerIntent['amountA'], bigint>,
  Same<IntentHandle['id'], bigint>,
  Same<VerifiedIntent['intentId'], bigint>,
  Same<IntentRequest['tokenIn'], Address>,
  Same<Awaited<ReturnType<IntentHandle['wait']>>, RelayerIntent>,
] = [true, true, true, true, true]

/** An event's `type` determines the type of its `data`. */
export function subjectOf(event: CairnEvent): string {
  return event.type === 'order.created' ? event.data.orderId : String(event.data.intentId)
}
export function senderOf({ type, data }: CairnEvent): string | null {
  return type === 'intent.completed' ? data.sender : null
}

/** Clients as viem makes them for chains whose blocks have their own kinds of transactions, and options that may be undefined. */
export async function followOnBase(bridge: Address, provider: { request(): Promise<never> }) {
  const publicClient = createPublicClient({ chain: base, transport: http() })
  const onCelo = { account: bridge, chain: celo, transport: custom(provider) }
  const both = createWalletClient(onCelo).extend(publicActions)
  const chains: CairnChain[] = [
    { name: 'base_mainnet', chainId: base.id, bridge, publicClient },
    { name: 'celo_mainnet', chainId: celo.id, bridge, publicClient: both },
  ]
  const maybe: { signal?: AbortSignal; id?: string; ms?: number; note?: Record<string, string> } =
    {}
  const { signal, id: lastEventId, ms: pollMs } = maybe
  const relayer = { baseUrl: '', requestTimeoutMs: maybe.ms }
  const cairn = createCairnClient({ relayer, chains, walletClient: both })
  await cairn.intent(1n).wait({ signal, pollMs })
  const request = {} as IntentRequest
  await cairn.submitIntent({ ...request, metadata: maybe.note })
  await findOwnOrders(publicClient, { vault: bridge, owner: bridge, fromBlock: 0n })
  const vault = { client: publicClient, address: bridge }
  await waitForOrder(createOrdersClient({ baseUrl: '', chains }), '', { vault, signal, pollMs })
  await verifyIntent(1n, { baseUrl: '', chains, requestTimeoutMs: maybe.ms })
  for await (const event of cairn.events({}, { signal, lastEventId })) return event
}

const code: CairnErrorCode = 'INTENT_EXPIRED'
const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const [token, bridge]: Address[] = [account.address, `0x${'22'.repeat(20)}`]

/** Everything that needs no network but the relayer's, and no relayer is at `baseUrl`. */
export async function consume(publicKey: Hex, baseUrl: string): Promise<string> {
  if (token === undefined || bridge === undefined) throw new Error('no addresses')
  const params = {
    tokenA: token,
    tokenB: token,
    amountA: 5n,
    expectedAmountB: 4n,
    reward: 1n,
    destChainId: 9n,
    auctionDuration: 60n,
  }
  const blob = sealCreationBlob(publicKey, {
    sourceChainId: 1,
    bridge,
    user: account.address,
    params,
    createdAt: 1_700_000_000,
    recipients: [account.address],
    amounts: [4n],
    metadata: { note: 'from the package' },
  })
  const client = createCairnClient({ relayer: { baseUrl }, chains: [] })
  const refusals = await Promise.all([
    codeOf(createRelayerClient({ baseUrl }).eciesPublicKey()),
    codeOf(client.intent(1n).details()),
    codeOf(
      client.submitIntent({
        sourceChain: 'base_mainnet',
        destChain: 'polygon_mainnet',
        reward: 0n,
        tokenIn: token,
        tokenOut: token,
        amountIn: 1n,
        minAmountOut: 1n,
        deadline: Date.now() / 1_000 + 60,
        recipients: [{ address: token, amount: 1n }],
      }),
    ),
  ])
  const forged = await codeOf(verifyProof(['{']))
  // One class of errors, whichever entry throws it.
  const unreachable = await verifyIntent(1n, { baseUrl, chains: [] }).catch((error) => error)
  const verified = [forged, String(unreachable instanceof CairnError)]
  const bytes = [size(blob), size(createIntentCall(params, blob))]
  return [
    areTyped.every(Boolean),
    code,
    CAIRN_ERROR_CODES.length,
    ...bytes,
    ...refusals,
    ...verified,
  ].join(' ')
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: unknown) =>
      error instanceof CairnError || error instanceof ProofError ? error.code : String(error),
  )
}
