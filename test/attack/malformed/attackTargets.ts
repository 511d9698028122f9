import { encrypt } from 'eciesjs'
import { bytesToHex, hexToBytes, stringToBytes } from 'viem'
import { buildExampleBodies, type OpenApiDocument } from './buildExampleBodies.ts'
import type { Known, Target } from './malformedRequest.ts'

/** Values that no answer or log may contain: a recipient, its amount, an operator's token. */
export const CANARY = `0x${'ca9a7'.repeat(8)}`
export const CANARY_AMOUNT = '77345112'
export const ADMIN_TOKEN = 'an-admin-token-that-has-32-bytes-and-more'

/** Lists every route of the relayer's API, a solver's and the order service's, documented or not. */
export async function listTargets(
  relayer: string,
  ...others: readonly string[]
): Promise<Target[]> {
  const undescribed = ['/', '/docs', '/docs/start.js', '/openapi.json', '/metrics', '/graphql']
  const more = [
    ...undescribed.map((path) => ({ method: 'GET', path })),
    ...[
      { method: 'POST', path: '/graphql' },
      { method: 'PUT', path: '/store-recipients' },
      { method: 'HEAD', path: '/intents' },
      { method: 'OPTIONS', path: '/settle' },
    ],
    ...[
      { method: 'POST', path: '/nowhere' },
      { method: 'DELETE', path: '/intents' },
    ],
  ]
  return [
    ...[...(await listDocumentedRoutes(relayer)), ...more].map((one) => ({
      server: relayer,
      ...one,
    })),
    ...(await Promise.all(others.map(listServerTargets))).flat(),
  ]
}

async function listServerTargets(server: string): Promise<Target[]> {
  return (await listDocumentedRoutes(server)).map((one) => ({ server, ...one }))
}

async function listDocumentedRoutes(url: string): Promise<{ method: string; path: string }[]> {
  const { paths } = await fetchOpenApi(url)
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  )
}

async function fetchOpenApi(url: string): Promise<OpenApiDocument> {
  return (await fetch(`${url}/openapi.json`)).json()
}

/** Values and bodies that the relayer accepts at present. */
export async function readKnownValues(url: string): Promise<Known> {
  const { intents } = await (await fetch(`${url}/intents?limit=40`)).json()
  const { publicKey } = await (await fetch(`${url}/ecies-pubkey`)).json()
  const [{ intentId, sourceChainId, sender, tokenA, tokenB }] = intents
  const winners: string[] = intents.flatMap(
    ({ solverAddress }: { solverAddress: string | null }) =>
      solverAddress === null ? [] : [solverAddress],
  )
  const bundle = JSON.stringify({ recipients: [CANARY], amounts: [CANARY_AMOUNT] })
  const encryptedData = bytesToHex(encrypt(hexToBytes(publicKey), stringToBytes(bundle)))
  const chainId = Number(sourceChainId)
  const route = { sourceChain: 'base_sepolia', destChain: 'horizen_testnet', tokenA, tokenB }
  return {
    intentIds: intents.map((intent: { intentId: string }) => intent.intentId),
    addresses: [sender, tokenA, tokenB, sender.toLowerCase(), ...winners],
    headers: {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      'x-timestamp': String(Math.floor(Date.now() / 1_000)),
      'x-solver-address': winners[0] ?? sender,
      'x-reader-address': sender,
    },
    bodies: {
      ...buildExampleBodies(await fetchOpenApi(url), sender),
      '/store-recipients': pickOpenIntent(intents, chainId, encryptedData),
      '/verify': { intentId, network: 'base_sepolia' },
      '/get-routes': route,
      '/register-solver': { solverAddress: sender, routes: [route] },
      '/intent-metadata': { intentId, chainId, metadata: { a: 'b' }, viewers: [sender] },
      '/settle': {
        intentId,
        network: 'base_sepolia',
        chain2IntentId: '1',
        solverAddress: sender,
        destinationChain: 'horizen_testnet',
        depositTxHash: `0x${'1'.repeat(64)}`,
        solveTxHash: `0x${'2'.repeat(64)}`,
      },
      plaintext: { intentId, chainId, recipients: [CANARY], amounts: [CANARY_AMOUNT] },
    },
  }
}

/** Orders that can be decrypted but lack a valid signature, so that none of them can be funded. */
export async function sampleOrders(url: string): Promise<Record<string, object>> {
  const { publicKey } = await (await fetch(`${url}/ecies-pubkey`)).json()
  const [user, asset] = [`0x${'a1'.repeat(20)}`, `0x${'70'.repeat(20)}`]
  const order = {
    user,
    assetIn: asset,
    assetOut: asset,
    chainIn: 'base_sepolia',
    chainOut: 'horizen_testnet',
    sourceChainId: 84_532,
    destChainId: 2_651_420,
    totalAmountIn: '500',
    period: 60,
    amountPerPeriod: '100',
    startTime: 1,
    endTime: 4_000_000_000,
    recipients: [CANARY],
    amounts: [CANARY_AMOUNT],
  }
  const sealed = encrypt(hexToBytes(publicKey), stringToBytes(JSON.stringify(order)))
  const signed = { message: 'TWAP_ORDER', signature: `0x${'1b'.repeat(65)}` }
  return {
    '/orders': { encrypted: bytesToHex(sealed), ...signed },
    '/orders/{orderId}/cancel': signed,
  }
}

/** For an open intent, if there is one. */
function pickOpenIntent(
  intents: { intentId: string; status: string; sourceChainId: string }[],
  chainId: number,
  encryptedData: string,
): object {
  const open = intents.find(({ status }) => status === 'pending')
  return {
    intentId: open?.intentId ?? intents[0]?.intentId,
    chainId: open ? Number(open.sourceChainId) : chainId,
    encryptedData,
  }
}
