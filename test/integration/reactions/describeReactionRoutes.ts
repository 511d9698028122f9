import type { Hex } from 'viem'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import {
  depositAsWinner,
  isAnchored,
  isIn,
  rig,
  startReactions,
  transactionsOf,
} from './reactionsTestbed.ts'
import { ADMIN, buildHints, startRelayerApi } from './relayerApi.ts'

const HASH = `0x${'ab'.repeat(32)}` as const

const isOutOfGas = ({ problem }: { problem: string }) => problem === 'OUT_OF_GAS'

/** Tests of what the API says of reactions, on a scene that is open. */
export function describeReactionRoutes(): void {
  describe('POST /settle, GET /stuck, /health and /metrics', () => {
    it('refuse what the facts contradict, each with its own code', async () => {
      const api = await startRelayerApi(rig)
      await startReactions()
      const offer = await rig.create()
      const early = buildHints(rig, offer, { depositTxHash: HASH, solveTxHash: HASH })
      await rig.until(() => isAnchored(offer.id), 'anchored')
      expect(await api.codeOf(early)).toBe('NOT_DEPOSITED')
      await depositAsWinner(offer)
      await rig.until(() => api.shows(offer, 'solving'), 'the deposit is indexed')
      const { depositTxHash } = ((await rig.stored(offer.id)) as StoredIntent).source
      const won = buildHints(rig, offer, { depositTxHash: depositTxHash as Hex, solveTxHash: HASH })
      const stranger = rig.base.senders[2]?.address as Hex
      expect(await api.codeOf({ ...won, intentId: String(offer.id + 999n) })).toBe(
        'INTENT_NOT_FOUND',
      )
      expect(await api.codeOf({ ...won, network: 'polygon_amoy' })).toBe('UNSUPPORTED_CHAIN')
      expect(await api.codeOf({ ...won, solverAddress: stranger })).toBe('NOT_THE_WINNER')
      expect(await api.codeOf({ ...won, depositTxHash: HASH })).toBe('DEPOSIT_MISMATCH')
      expect(await api.codeOf({ ...won, destinationChain: 'base_sepolia' })).toBe(
        'DESTINATION_MISMATCH',
      )
      expect(await api.codeOf({ ...won, more: 1 })).toBe('INVALID_REQUEST')
      const missing = await Promise.all(Array.from({ length: 50 }, () => api.codeOf(won)))
      expect(new Set(missing)).toEqual(new Set(['SOLVE_NOT_FOUND']))
      const solveTxHash = await rig.deliver(offer)
      await rig.until(() => api.shows(offer, 'completed'), 'settled')
      expect(await api.codeOf({ ...won, solveTxHash: HASH })).toBe('ALREADY_SETTLED')
      const again = await api.settle(
        buildHints(rig, offer, { depositTxHash: depositTxHash as Hex, solveTxHash }),
      )
      expect(again.status).toBe(200)
      const { settleTxHash } = ((await rig.stored(offer.id)) as StoredIntent).source
      expect(again.body).toMatchObject({ settleTxHash, solveTxHash, depositTxHash, success: true })
      await api.stop()
    })

    it('settle for a flood of callers with one transaction, and return its hash to all', async () => {
      const api = await startRelayerApi(rig, { perClient: 200 })
      await startReactions()
      const offer = await rig.create()
      await depositAsWinner(offer)
      // Before the delivery: the reactions settle at once, and then it is no longer just deposited.
      await rig.until(isIn('deposited', offer), 'the deposit is indexed')
      const { depositTxHash } = ((await rig.stored(offer.id)) as StoredIntent).source
      const solveTxHash = await rig.deliver(offer)
      const hints = buildHints(rig, offer, { depositTxHash: depositTxHash as Hex, solveTxHash })
      const flood = Promise.all(Array.from({ length: 200 }, () => api.settle(hints)))
      let isOver = false
      const over = flood.finally(() => {
        isOver = true
      })
      over.catch(() => {})
      await rig.until(() => isOver, 'all are answered')
      const answers = await over
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      expect(new Set(answers.map(({ body }) => body.settleTxHash)).size).toBe(1)
      expect((await transactionsOf(offer.id)).map(({ kind }) => kind)).toEqual(['anchor', 'settle'])
      await api.stop()
    })

    it('limit the waiting callers per client and the claims per intent', async () => {
      const limits = { perClient: 6, perIntent: 2, deliveryTimeoutMs: 5_000 }
      const api = await startRelayerApi(rig, limits)
      const { reactions } = await startReactions()
      const offer = await rig.create()
      await depositAsWinner(offer)
      await rig.until(isIn('deposited', offer), 'the deposit is indexed')
      await reactions.stop()
      const { depositTxHash } = ((await rig.stored(offer.id)) as StoredIntent).source
      const claim = (digit: number) =>
        buildHints(rig, offer, {
          depositTxHash: depositTxHash as Hex,
          solveTxHash: `0x${String(digit).repeat(64)}`,
        })
      const codes = await Promise.all([1, 2, 3, 4].map((digit) => api.codeOf(claim(digit))))
      expect(codes.toSorted()).toEqual([
        ...['SETTLEMENT_BUSY', 'SETTLEMENT_BUSY', 'SOLVE_NOT_FOUND', 'SOLVE_NOT_FOUND'],
      ])
      const same = await Promise.all(Array.from({ length: 9 }, () => api.settle(claim(5))))
      const statuses = same.map(({ status }) => status).toSorted()
      expect(statuses).toEqual([400, 400, 400, 400, 400, 400, 429, 429, 429])
      expect(same.find(({ status }) => status === 429)?.body.code).toBe('RATE_LIMITED')
      // The winner's own delivery finds a place however many others are claimed.
      const crowd = [6, 7].map((digit) => api.codeOf(claim(digit)))
      const solveTxHash = await rig.deliver(offer)
      const isDelivered = async () => ((await rig.stored(offer.id))?.deliveries.length ?? 0) > 0
      await rig.until(isDelivered, 'the delivery is indexed')
      await startReactions()
      const won = api.settle(
        buildHints(rig, offer, { depositTxHash: depositTxHash as Hex, solveTxHash }),
      )
      await rig.until(isIn('completed', offer), 'settled')
      expect((await won).status).toBe(200)
      await Promise.all(crowd)
      await api.stop()
    })

    it('report that the account is out of gas, what is waiting for it, and its end', async () => {
      const api = await startRelayerApi(rig, { timeoutMs: 1_000 })
      expect((await api.get('/health')).body.relayer.status).toBe('stopped')
      const balance = await rig.base.client.getBalance({ address: rig.relayer })
      // Also where this fails: those that come next need the gas.
      const giveBack = () => rig.base.client.setBalance({ address: rig.relayer, value: balance })
      onTestFinished(giveBack)
      await rig.base.client.setBalance({ address: rig.relayer, value: 1n })
      await startReactions()
      const offer = await rig.create()
      const isPoor = async () => {
        const { relayer, status } = (await api.get('/health')).body
        return status === 'degraded' && relayer.accounts.some(isOutOfGas)
      }
      await rig.until(isPoor, '/health says so')
      // Health is read from the sender, the reactions from the database: they needn't say so at once.
      const metrics = async () => (await api.get('/metrics')).text
      const waits = 'cairn_reactions_open{kind="anchor",state="waiting",reason="OUT_OF_GAS"}'
      await rig.until(async () => (await metrics()).includes(waits), 'the anchor waits for gas')
      const text = await metrics()
      expect(text).toMatch(/cairn_relayer_out_of_gas\{chain="base_sepolia"\} [1-9]/)
      expect(text).toMatch(/cairn_relayer_blocked\{chain="base_sepolia",problem="OUT_OF_GAS"\} 1/)
      const stuckHere = async () =>
        (await api.get('/stuck?olderThan=0', ADMIN)).body.stuck.find(
          (one: { intentId: string; what: string }) =>
            one.intentId === String(offer.id) && one.what === 'anchor',
        )
      await rig.until(async () => (await stuckHere())?.cause === 'OUT_OF_GAS', '/stuck says so')
      expect((await stuckHere()).advice).toContain('Send gas')
      expect((await api.get('/stuck')).status).toBe(401)
      await giveBack()
      await rig.until(() => isAnchored(offer.id), 'anchored')
      await rig.until(async () => !(await isPoor()), '/health says that it is over')
      await rig.play.cancel(offer.id)
      await api.stop()
    })
  })
}
