import { encodeFunctionData, type Hex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import type { OrderState } from '../../../core/order/orderState.ts'
import { createFoldedOrders } from '../../../services/orders/follow/foldedOrders.ts'
import type { VaultSnapshot } from '../../../services/orders/follow/followVault.ts'
import type { GasRequest } from '../../../services/orders/gas/decideGasPayment.ts'
import { estimateOrderCallGas } from '../../../services/orders/gas/estimateOrderCallGas.ts'
import { readRequestedGas } from '../../../services/orders/gas/readRequestedGas.ts'
import { requestWithinGasBudget } from '../../../services/orders/gas/requestWithinGasBudget.ts'
import type { OrdersContext, ServedChain } from '../../../services/orders/ordersContext.ts'
import type { OpenDatabase } from '../../../services/store/database/openDatabase.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import { ended, fired, funded, ORDER, START, stateOf } from '../../unit/order/orderCase.ts'

const ACCOUNT: Hex = `0x${'0a'.repeat(20)}`
const VAULT: Hex = `0x${'0b'.repeat(20)}`
const [OWNER, OTHER]: [Hex, Hex] = [`0x${'a1'.repeat(20)}`, `0x${'a2'.repeat(20)}`]
const CHAIN = { chainId: 84532, vault: VAULT }
/** Of a call with one byte. */
const { fund, fire, close } = estimateOrderCallGas({ bytes: 1, quorum: 1 })

type Row = Partial<
  Record<'kind' | 'effect' | 'data' | 'payer' | 'account' | 'state' | 'tx_hash', string> & {
    chain_id: number
    gas_limit: number
    round: number
    succeeded: boolean
    requested_at: Date
    changed_at: Date
  }
>

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)

/** What the service pays for, by the rows of what was requested. */
export function describeRequestedGas(open: () => OpenDatabase): void {
  beforeEach(() => open().pool.query('truncate app.transaction cascade'))

  async function insert(row: Row): Promise<void> {
    const fields: Row & Record<string, unknown> = {
      ...{ kind: 'fireTranche', effect: `${ORDER}:0`, chain_id: CHAIN.chainId, payer: OWNER },
      ...{ account: ACCOUNT, to_address: VAULT, data: '0x12', state: 'sent', ...row },
    }
    const names = Object.keys(fields)
    await open().pool.query(
      `insert into app.transaction (${names}) values (${names.map((_, at) => `$${at + 1}`)})`,
      Object.values(fields),
    )
  }

  describe('gas of a requested call that the chain doesn’t show', () => {
    const reverted = { tx_hash: '0x01', succeeded: false }
    const old = { requested_at: hoursAgo(30), changed_at: hoursAgo(30) }

    const read = async (order: OrderState | null, owner?: Hex) => {
      const book = { find: () => order }
      const payer = { db: open().db, account: ACCOUNT }
      const found = await readRequestedGas(payer, CHAIN, order && book, owner)
      return found.map(({ gas }) => gas)
    }

    test.each<[string, Row, object | null]>([
      ['a tranche under way', {}, { tranches: fire }],
      ['one under way for days', old, { tranches: fire }],
      ['one under way for days, of another account', { ...old, account: VAULT }, null],
      ['on another chain', { chain_id: 1 }, null],
      ['dated tomorrow', { requested_at: hoursAgo(-24) }, null],
      ['one that failed before it was sent', { state: 'failed' }, null],
      ['one that reverted lately', { state: 'failed', ...reverted }, { tranches: fire }],
      [
        'one that reverted lately at its third attempt',
        { state: 'failed', ...reverted, round: 2 },
        { tranches: 3 * fire },
      ],
      ['one that reverted two days ago', { state: 'failed', ...reverted, ...old }, null],
      [
        'one that reverted tomorrow',
        { state: 'failed', ...reverted, requested_at: hoursAgo(2), changed_at: hoursAgo(-24) },
        null,
      ],
      [
        'one that was confirmed hours ago',
        { ...reverted, state: 'confirmed', succeeded: true, requested_at: hoursAgo(2) },
        null,
      ],
      ['a funding', { kind: 'fundOrder', effect: ORDER }, { fundings: fund, closes: close }],
      [
        'one of this morning',
        { kind: 'fundOrder', effect: ORDER, requested_at: hoursAgo(5) },
        { fundings: fund, closes: close },
      ],
      ['one of the day before', { kind: 'fundOrder', effect: ORDER, ...old }, null],
      [
        'one whose owner is a contract',
        { kind: 'fundOrder', effect: ORDER, gas_limit: 500_000 },
        { fundings: 500_000, closes: close },
      ],
      [
        'one that failed before it was sent',
        { kind: 'fundOrder', effect: ORDER, state: 'failed' },
        null,
      ],
      [
        'one that reverted',
        { kind: 'fundOrder', effect: ORDER, state: 'failed', ...reverted, round: 1 },
        { fundings: 2 * fund, closes: close },
      ],
    ])('is counted: %s', async (_, row, gas) => {
      await insert(row)
      expect(await read(null)).toEqual(gas === null ? [] : [gas])
    })

    test('is counted for its owner alone', async () => {
      await insert({})
      await insert({ effect: `${ORDER}:1`, payer: OTHER })
      expect(await read(null, OWNER)).toEqual([{ tranches: fire }])
      expect(await read(null)).toHaveLength(2)
    })

    test('is counted until the chain shows it, and what a contract’s signature took until a delivery', async () => {
      const order = stateOf(funded(), fired(0, START))
      await insert({})
      expect(await read(order)).toEqual([])
      await insert({ effect: `${ORDER}:1` })
      expect(await read(order)).toEqual([{ tranches: fire }])
      await open().pool.query('truncate app.transaction cascade')
      await insert({ kind: 'fundOrder', effect: ORDER })
      expect(await read(order)).toEqual([])
      await open().pool.query(`update app.transaction set gas_limit = ${fund + 9}`)
      expect(await read(order)).toEqual([{ fundings: 9 }])
      const delivered = stateOf(funded(), fired(0, START), ended('IntentSettled', 0, START + 9))
      expect(await read(delivered)).toEqual([])
    })
  })

  describe('of calls that are requested at once', () => {
    const request = async (
      limits: { unpaidGas?: bigint; unpaidGasOfAll?: bigint },
      calls: readonly { payer: Hex; n: number }[],
      snapshot: VaultSnapshot | null = null,
      gas = 100,
    ) => {
      const settings = { now: () => START, unpaidGas: 10n ** 9n, unpaidGasOfAll: 10n ** 9n }
      const context = { db: open().db, account: ACCOUNT, settings: { ...settings, ...limits } }
      const chain = { ...CHAIN, follower: { latest: () => snapshot } } as unknown as ServedChain
      const gasRequest: GasRequest = { kind: 'fireTranche', gas }
      const requested = calls.map(({ payer, n }) =>
        requestWithinGasBudget(context as unknown as OrdersContext, chain, {
          effect: { kind: 'fireTranche', orderId: ORDER, n },
          data: '0x12',
          payer,
          gasRequest,
        }),
      )
      const answers = await Promise.all(requested)
      return answers.map((one) => (typeof one === 'string' ? one : 'paid')).sort()
    }
    // A row counts as a tranche of its size.
    const two = BigInt(fire + 100)

    test('one owner’s are paid for up to its limit', async () => {
      const calls = [0, 1, 2, 3, 4].map((n) => ({ payer: OWNER, n }))
      const most = await request({ unpaidGas: two }, calls)
      expect(most).toEqual([...Array(3).fill('OWNER_BRINGS_NO_FEE'), 'paid', 'paid'])
    })

    test('one owner’s are paid for as far as its record covers them, whatever the limits', async () => {
      const book = createFoldedOrders()
      const delivered = [funded(), fired(0, START), ended('IntentSettled', 0, START + 9)]
      for (const event of delivered) book.apply(event)
      const head = { number: 9, hash: '0x09', timestamp: START + 60 } as const
      const calls = [1, 2, 3, 4, 5].map((n) => ({ payer: OWNER, n }))
      const limits = { unpaidGas: 0n, unpaidGasOfAll: 0n }
      const most = await request(limits, calls, { book, head }, fire)
      expect(most).toEqual([...Array(4).fill('OWNER_BRINGS_NO_FEE'), 'paid'])
    })

    test('those of many owners are paid for up to the limit of all', async () => {
      const calls = [0, 1, 2, 3, 4].map((n) => ({ payer: `0x${`b${n}`.repeat(20)}` as Hex, n }))
      const most = await request({ unpaidGasOfAll: two }, calls)
      expect(most).toEqual([...Array(3).fill('GAS_BUDGET_SPENT'), 'paid', 'paid'])
    })

    test('one that failed is paid for again only within the limit, and one that a reorg took back always', async () => {
      const again = () => request({ unpaidGas: two - 1n }, [{ payer: OWNER, n: 0 }])
      const args = [ORDER, 0n, '0x', []] as const
      const data = encodeFunctionData({ abi: orderVaultAbi, functionName: 'fireTranche', args })
      await insert({ state: 'failed', tx_hash: '0x01', succeeded: false, data })
      expect(await again()).toEqual(['OWNER_BRINGS_NO_FEE'])
      await open().pool.query(`update app.transaction set state = 'confirmed', succeeded = true`)
      expect(await again()).toEqual(['paid'])
    })
  })
}
