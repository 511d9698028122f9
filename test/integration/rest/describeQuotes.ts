import { sql } from 'kysely'
import { getAddress } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { quoteSchema } from '../../../api/rest/quotes/quoteSchema.ts'
import { BASE, HORIZEN, type SeededApi, UNTIL } from './seededApi.ts'

type Pair = { token_a: string; token_b: string }
type Completed = { solver: string; amount_a: bigint; winning_amount_b: bigint; seconds: number }

/** Tests of `GET /quote` on an API whose intents are all of the last day. */
export function describeQuotes(running: () => SeededApi): void {
  describe('GET /quote', () => {
    let api: SeededApi
    let pair: Pair
    let completed: Completed[]
    const query = (changes: Record<string, string> = {}) =>
      new URLSearchParams({
        sourceChain: String(BASE),
        destChain: 'horizen_testnet',
        tokenA: pair.token_a,
        tokenB: pair.token_b,
        amountA: '50000000',
        ...changes,
      })
    const ask = (changes?: Record<string, string>) => api.get(`/quote?${query(changes)}`)

    beforeAll(async () => {
      api = running()
      const { db } = api.database
      const ofPairs = await sql<Pair>`select token_a, token_b from cairn.intent
        where source_chain_id = ${BASE} and phase = 'completed'
        group by 1, 2 order by count(*) desc limit 1`.execute(db)
      pair = ofPairs.rows[0]!
      const { rows } = await sql<Completed>`
        select solver, amount_a, winning_amount_b, settled_at - created_at as seconds
        from cairn.intent where source_chain_id = ${BASE} and phase = 'completed'
          and token_a = ${pair.token_a} and token_b = ${pair.token_b} and created_at >= ${UNTIL - 86_400}
        order by amount_a desc limit 500`.execute(db)
      completed = rows
    })

    test('reports recent deliveries, the solvers that could repeat them, and the basis', async () => {
      const { status, body, headers } = await ask()
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, no-cache'])
      const { quote } = body
      expect(quoteSchema.strict().parse(quote)).toEqual(quote)
      expect(quote).toMatchObject({
        sourceChain: 'base_sepolia',
        destChain: 'horizen_testnet',
        destChainId: `${HORIZEN}`,
        tokenA: getAddress(pair.token_a),
        feeBps: 250,
        fee: '1250000',
        basis: {
          kind: 'completed_intents',
          intents: completed.length,
          solvers: new Set(completed.map(({ solver }) => solver)).size,
          totalAmountA: String(completed.reduce((sum, { amount_a }) => sum + amount_a, 0n)),
          largestAmountA: String(completed[0]!.amount_a),
        },
      })
      // Every intent of this history was won at 97 % of what was given, and a little.
      const [amountB, best] = [Number(quote.amountB), Number(quote.bestAmountB)]
      expect(amountB / 50_000_000).toBeGreaterThan(0.95)
      expect(amountB / 50_000_000).toBeLessThan(1.05)
      expect(best).toBeGreaterThanOrEqual(amountB)
      const seconds = completed.map((one) => Number(one.seconds))
      expect(quote.completionSeconds.p50).toBeGreaterThanOrEqual(Math.min(...seconds))
      expect(quote.completionSeconds.p95).toBeLessThanOrEqual(Math.max(...seconds))
      expect(quote.completionSeconds.p95).toBeGreaterThan(quote.completionSeconds.p50)
      expect(quote.reward).toBe(quote.sufficientReward)
      expect(Number(quote.reward)).toBeGreaterThan(0)
      expect(quote.liveSolvers).toBeGreaterThan(0)
      expect(quote.ableSolvers).toBe(quote.liveSolvers)
      for (const solver of quote.solvers) {
        expect(solver.auctions).toBeGreaterThan(0)
        expect(Date.parse(solver.lastBidAt) / 1_000).toBeGreaterThan(UNTIL - 3_601)
        expect(BigInt(solver.stake)).toBeGreaterThanOrEqual(BigInt(quote.bond))
      }
    })

    test('uses the requested fee tier and reward', async () => {
      const of = async (changes: Record<string, string>) => (await ask(changes)).body.quote
      const [plain, shielded, generous] = await Promise.all([
        of({ reward: '0' }),
        of({ reward: '0', shielded: 'true' }),
        of({ reward: '10000000' }),
      ])
      expect([plain.feeBps, shielded.feeBps, generous.reward]).toEqual([250, 700, '10000000'])
      expect(BigInt(shielded.amountB)).toBeLessThan(BigInt(plain.amountB))
      expect(BigInt(generous.amountB)).toBeGreaterThan(BigInt(plain.amountB))
    })

    test('is 304 if unchanged', async () => {
      const { headers } = await ask()
      const again = await api.get(`/quote?${query()}`, { 'if-none-match': headers.get('etag')! })
      expect([again.status, again.text]).toEqual([304, ''])
    })

    test('reveals no sender', async () => {
      const { body } = await ask()
      const { rows } = await sql<{ sender: string }>`
        select distinct sender from cairn.intent`.execute(api.database.db)
      const text = JSON.stringify(body).toLowerCase()
      for (const { sender } of rows) expect(text).not.toContain(sender.slice(2))
    })

    test.each([
      [{ amountA: '0' }, 'INVALID_REQUEST', undefined],
      [{ amountA: '1e9' }, 'INVALID_REQUEST', undefined],
      [{ amountA: '-5' }, 'INVALID_REQUEST', undefined],
      [{ amountA: String(2n ** 256n) }, 'INVALID_REQUEST', undefined],
      [{ reward: '10000001' }, 'INVALID_REQUEST', undefined],
      [{ shielded: 'yes' }, 'INVALID_REQUEST', undefined],
      [{ limit: '1' }, 'INVALID_REQUEST', undefined],
      [{ amountA: '1', reward: '0' }, 'AMOUNT_BELOW_MINIMUM', 'amountA'],
      [{ amountA: String(2n ** 256n - 1n), reward: '1' }, 'AMOUNT_ABOVE_MAXIMUM', 'amountA'],
      [{ sourceChain: '1' }, 'UNSUPPORTED_CHAIN', 'sourceChain'],
      [{ destChain: 'polygon_mainnet' }, 'UNSUPPORTED_CHAIN', 'destChain'],
      [{ destChain: String(BASE) }, 'UNSUPPORTED_CHAIN', 'destChain'],
      [{ tokenA: `0x${'ab'.repeat(20)}` }, 'UNSUPPORTED_ASSET', 'tokenA'],
      [{ tokenB: `0x${'ab'.repeat(20)}` }, 'UNSUPPORTED_ASSET', 'tokenB'],
    ])('%j is refused: %s', async (changes, code, field) => {
      const { status, body } = await ask(changes as Record<string, string>)
      expect([status, body.code]).toEqual([400, code])
      if (field !== undefined) expect(body.details).toMatchObject({ field })
    })

    test('refuses tokens that exist only on the pair’s other chain', async () => {
      const { body } = await ask({ tokenA: pair.token_b, tokenB: pair.token_a })
      expect(body.code).toBe('UNSUPPORTED_ASSET')
    })
  })
}
