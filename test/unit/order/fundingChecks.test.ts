import {
  ContractFunctionRevertedError,
  encodeErrorResult,
  type Hex,
  type PublicClient,
  zeroAddress,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import type { OrderTerms } from '../../../core/order/enclaveVaultMessages.ts'
import { createChainNodes } from '../../../services/chain/transactions/chainNodes.ts'
import { createQueryAllProviders } from '../../../services/chain/transactions/queryAllProviders.ts'
import type { Transaction } from '../../../services/chain/transactions/transactionRow.ts'
import { checkOrderCanBeFunded } from '../../../services/orders/execution/checkOrderCanBeFunded.ts'
import { checkOutput } from '../../../services/orders/execution/checkOutput.ts'
import { fundOrder } from '../../../services/orders/execution/fundOrder.ts'
import { queryVault } from '../../../services/orders/execution/queryVault.ts'
import { createFoldedOrders } from '../../../services/orders/follow/foldedOrders.ts'
import { calculateMinimumTranche } from '../../../services/orders/gas/calculateMinimumTranche.ts'
import { chooseFundingGasLimit } from '../../../services/orders/gas/chooseFundingGasLimit.ts'
import { estimateTrancheGas } from '../../../services/orders/gas/estimateOrderCallGas.ts'
import { findFundableUntil } from '../../../services/orders/refusedOrders.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import { createFakeDatabase } from '../../rig/fakeDatabase.ts'
import { serveLocally } from '../../rig/serveLocally.ts'
import { ORDER } from './orderCase.ts'

const VAULT: Hex = `0x${'aa'.repeat(20)}`
const KEY = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const NOW = 1_800_000_000
const SUBMITTED = { encrypted: '0x0d', message: 'm', signature: '0x01' } as const

/** A chain with one node, which answers the vault's, the bridge's and the token's calls this way. */
function chainOf(answers: Record<string, unknown>, gas = 0n) {
  const client = {
    readContract: async ({ functionName }: { functionName: string }) => answers[functionName],
    estimateGas: async () => gas,
    getBlock: async () => ({ baseFeePerGas: 1n }),
  } as unknown as PublicClient
  const queryAll = createQueryAllProviders([client])
  const nodes = { queryAll, priorityFees: async () => ({ standard: 1n, replacement: 1n }) }
  const dataFees = { of: async () => 7n }
  return { vault: VAULT, bridge: VAULT, nodes, dataFees, weiPerMinimum: 10n ** 18n }
}

describe('an order of two tranches', () => {
  /** Whether it can be funded; amounts in base units. */
  async function fund(change: Record<string, unknown> = {}, perPeriod = 500n) {
    const chain = chainOf({
      tokenListing: [true, 100n, 500n, 1],
      isDestinationListed: true,
      balanceOf: 1_000n,
      allowance: 1_000n,
      ...change,
    })
    const amounts = { amountPerPeriod: perPeriod, totalAmount: 1_000n }
    const terms = { orderId: ORDER, owner: KEY.address, token: VAULT, ...amounts, destChainId: 1n }
    const context = { destinations: new Map() }
    return checkOrderCanBeFunded(context as never, chain as never, terms as never, SUBMITTED).then(
      () => 'funded',
      ({ code, details }) => [code, details?.field ?? details?.reason].join(' '),
    )
  }

  test.each<[string, Record<string, unknown>, bigint, string]>([
    ['exactly the owner’s balance and allowance, and the largest tranche', {}, 500n, 'funded'],
    ['the smallest tranche', {}, 100n, 'funded'],
    ['less than the smallest', {}, 99n, 'VALIDATION_FAILED amountPerPeriod'],
    ['more than the largest', {}, 501n, 'VALIDATION_FAILED amountPerPeriod'],
    ['more than the balance', { balanceOf: 999n }, 500n, 'FUNDING_FAILED balance'],
    ['more than the allowance', { allowance: 999n }, 500n, 'FUNDING_FAILED allowance'],
    ['an unlisted token', { tokenListing: [false, 0n, 0n, 0] }, 500n, 'VALIDATION_FAILED assetIn'],
    [
      'an unlisted destination',
      { isDestinationListed: false },
      500n,
      'VALIDATION_FAILED destChainId',
    ],
  ])('of %s', async (_, change, perPeriod, answer) => {
    expect(await fund(change, perPeriod)).toBe(answer)
  })

  const unlisted = { tokenListing: [false, 0n, 0n, 0] }
  const unreachable = { tokenListing: Promise.reject(new Error('no answer')) }
  unreachable.tokenListing.catch(() => {})

  /** 500 units of 6 decimals a tranche; its least output, in units of the destination's. */
  test.each<[string, bigint, Record<string, unknown>, string]>([
    ['half of the same asset', 250n * 10n ** 12n, {}, 'fair'],
    ['less than half', 250n * 10n ** 12n - 1n, {}, 'VALIDATION_FAILED amounts'],
    ['the decimals of the source', 475n, {}, 'VALIDATION_FAILED amounts'],
    ['another asset', 1n, { symbol: 'ZEN' }, 'fair'],
    ['a token without a symbol', 1n, { symbol: undefined }, 'fair'],
    ['a token that isn’t listed there', 475n * 10n ** 12n, unlisted, 'VALIDATION_FAILED assetOut'],
    ['nodes that don’t answer', 475n * 10n ** 12n, unreachable, 'fair'],
  ])('for %s', async (_, expectedAmountB, change, answer) => {
    const there = { tokenListing: [true, 1n, 500n, 1], symbol: 'usdc', decimals: 18, ...change }
    const context = { destinations: new Map([[1, chainOf(there)]]) }
    const terms = { token: VAULT, tokenB: VAULT, destChainId: 1n, amountPerPeriod: 500n }
    const source = chainOf({ symbol: 'USDC', decimals: 6 })
    const checked = checkOutput(context as never, source as never, {
      ...(terms as never as OrderTerms),
      expectedAmountB,
    })
    expect(
      await checked.then(
        () => 'fair',
        ({ code, details }) => `${code} ${details.field}`,
      ),
    ).toBe(answer)
  })
})

const [PENDING, FAILED] = ['FUNDING_PENDING', 'FUNDING_FAILED']
const FORMER: Hex = `0x${'0f'.repeat(20)}`
const endedWithAccount = (seconds: number) => {
  const changedAt = new Date((NOW - seconds) * 1_000)
  const how = { state: 'failed', succeeded: null, problem: 'FORMER_ACCOUNT' } as const
  return { ...how, account: FORMER, changedAt }
}
const FAILED_ROW = { state: 'failed', succeeded: false } as const

test.each<[string, Partial<Transaction> | null, Hex, string, number]>([
  ['is under way isn’t refused', { state: 'sent', succeeded: null }, zeroAddress, PENDING, 0],
  ['failed is refused for good', FAILED_ROW, zeroAddress, FAILED, 1],
  // As after a rotation of the root.
  [
    'is another account’s isn’t refused',
    { state: 'sent', account: FORMER },
    zeroAddress,
    PENDING,
    0,
  ],
  ['ended with its account isn’t refused yet', endedWithAccount(579), zeroAddress, PENDING, 0],
  [
    'ended with its account is refused after its deadline',
    endedWithAccount(580),
    zeroAddress,
    FAILED,
    1,
  ],
  // It was mined, but not read yet.
  ['was its owner’s own isn’t refused', null, VAULT, PENDING, 0],
  ['failed, since its owner’s own came first, isn’t refused', FAILED_ROW, VAULT, PENDING, 0],
])('an order without allowance whose funding %s', async (_, earlier, owner, code, refusals) => {
  const chain = {
    ...chainOf({
      getOrder: { owner },
      tokenListing: [true, 1n, 500n, 1],
      isDestinationListed: true,
      balanceOf: 1_000n,
      allowance: 0n,
    }),
    follower: {
      latest: () => ({ book: createFoldedOrders(), head: { number: 7, timestamp: NOW } }),
      refresh: async () => null,
    },
  }
  const endTime = BigInt(NOW + 100)
  const message = { orderId: ORDER, amountPerPeriod: 500n, totalAmount: 1_000n, endTime }
  const recorded: unknown[] = []
  const db = createFakeDatabase(({ sql, parameters }) => {
    if (sql.includes('insert into orders.refused')) recorded.push(parameters.at(-1))
    const row = { account: VAULT, to: VAULT, value: 0n, data: '0x94e7d954', ...earlier }
    return earlier && sql.includes('from app.transaction') ? [row] : []
  })
  const context = {
    db,
    account: VAULT,
    chains: new Map([[1, { ...chain, chainId: 1 }]]),
    destinations: new Map(),
    enclaves: [{ signFunding: async () => ({ sourceChainId: 1, message }) }],
    feed: { awaitTransaction: async () => earlier },
    settings: { now: () => NOW, timeoutMs: 0 },
    events: { refused() {} },
  }
  const funded = fundOrder(context as never, SUBMITTED)
  await expect(funded).rejects.toMatchObject({ code })
  expect(recorded).toEqual(Array(refusals).fill(NOW + 100))
})

test('an order that was refused before is kept refused for as long as the new message can be used', async () => {
  const kept: unknown[] = []
  const db = createFakeDatabase(({ sql, parameters }) => {
    if (sql.includes('insert into orders.refused')) kept.push(parameters.at(-1))
    return sql.includes('select code') ? [{ code: 'FUNDING_FAILED' }] : []
  })
  const message = { orderId: ORDER, endTime: BigInt(NOW + 100) }
  const chain = { chainId: 1, follower: { latest: () => null } }
  const context = {
    ...{ db, chains: new Map([[1, chain]]), settings: { now: () => NOW } },
    enclaves: [{ signFunding: async () => ({ sourceChainId: 1, message }) }],
  }
  const funding = fundOrder(context as never, SUBMITTED)
  await expect(funding).rejects.toMatchObject({ details: { reason: 'refused_before' } })
  expect(kept).toEqual([NOW + 100])
})

test.each([
  ['the expiry that its owner signed', `TWAP_ORDER:${'0d'.repeat(32)}:1:500`, 500],
  ['its end', `TWAP_ORDER:${'0d'.repeat(32)}:1:999`, 900],
  ['its end, if its owner signed no expiry', `my order ${'0d'.repeat(32)}`, 900],
])('an order can be funded until %s', (_, message, until) => {
  expect(findFundableUntil(message, { endTime: 900n })).toBe(until)
})

test('the smallest tranche grows with its gas, its data and its share of the funding’s data', async () => {
  const order = { ...SUBMITTED, totalAmount: 2_000n, amountPerPeriod: 1_000n }
  const minimum = (weiPerMinimum: bigint) =>
    calculateMinimumTranche(
      { ...chainOf({}), weiPerMinimum },
      { min: 1_000n, max: 0n, quorum: 1 },
      order,
    )
  // Two wei per gas; data of 7 wei, and half of that again, rounded up.
  const cost = estimateTrancheGas({ bytes: 3, tranches: 2, quorum: 1 }) * 2n + 7n + 4n
  expect(await minimum(cost)).toBe(1_000n)
  expect(await minimum(cost - 1n)).toBe(1_001n)
  expect(await minimum((cost * 2n) / 3n)).toBe(1_501n)
})

test('a contract owner’s signature check may use so much gas and no more; a key’s is estimated like any call', async () => {
  const signature = await KEY.signMessage({ message: 'm' })
  const funding = {
    to: VAULT,
    data: '0x',
    deadline: 9,
    message: 'm',
    signature,
    gas: 200_000,
  } as const
  const choose = (owner: Hex, estimate: bigint) =>
    chooseFundingGasLimit({ account: VAULT }, chainOf({}, estimate) as never, { ...funding, owner })
  expect(await choose(KEY.address, 10n ** 9n)).toBeNull()
  expect(await choose(VAULT, 400_000n)).toBe(400_000n)
  await expect(choose(VAULT, 400_001n)).rejects.toMatchObject({ code: 'GAS_NOT_PAID' })
})

describe('a vault’s revert', () => {
  const revert = (errorName: string, args: readonly unknown[] = []) =>
    new ContractFunctionRevertedError({
      abi: orderVaultAbi,
      functionName: 'fundOrder',
      data: encodeErrorResult({ abi: orderVaultAbi, errorName, args } as never),
    })

  test.each<[string, unknown[], string]>([
    // As a final refusal it would make the owner place a second order.
    ['OrderExists', [ORDER], 'FUNDING_PENDING'],
    ['MessageAlreadyUsed', [VAULT, ORDER], 'INVALID_SIGNATURE'],
    ['WrongOwnerSignature', [VAULT], 'INVALID_SIGNATURE'],
  ])('%s is no final refusal of the order', async (name, args, code) => {
    const { nodes } = chainOf({})
    const ask = async () => {
      throw revert(name, args)
    }
    await expect(queryVault({ nodes } as never, ask, String)).rejects.toMatchObject({ code })
  })
})

test.each<[string, object, string]>([
  // viem takes it for a revert.
  ['a node’s own failure', { code: -32603, message: 'Internal error' }, 'RPC_UNREACHABLE'],
  ['a revert', { code: 3, message: 'execution reverted', data: '0x' }, 'FUNDING_FAILED'],
])('%s refuses an order for good only if the contract said so', async (_, error, code) => {
  const url = await serveLocally(async (request, response) => {
    const { id } = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8'))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
  })
  const read = { address: VAULT, abi: orderVaultAbi, functionName: 'getOrder' } as const
  const asked = queryVault(
    { nodes: createChainNodes([url]) },
    (client) => client.readContract({ ...read, args: [ORDER] }),
    String,
  )
  await expect(asked).rejects.toMatchObject({ code })
})
