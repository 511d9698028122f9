import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { toEnclaveChains } from '../../../services/enclave/enclaveChain.ts'
import { TIMEOUT_MS } from '../../rig/until.ts'
import {
  depositAsWinner,
  endReactions,
  isAnchored,
  rig,
  startReactions,
} from './reactionsTestbed.ts'
import { startRelayerApi } from './relayerApi.ts'
import { type RelayerRig, testEnclave, trust } from './relayerRig.ts'

type Problem = { chain: string; code: string; cause: string; fix: string }

/** Tests of what `/health` says of a relayer that can't work although nothing fails, on a scene that is open. */
export function describeHealthProblems(): void {
  describe('GET /health names each problem and its remedy, chain by chain', () => {
    let api: Awaited<ReturnType<typeof startRelayerApi>>
    beforeAll(async () => {
      api = await startRelayerApi(rig)
    })
    afterAll(() => api?.stop())

    async function restart(options: Parameters<RelayerRig['startReactions']>[0] = {}) {
      await endReactions()
      await startReactions({ ...options, problemsEveryMs: 100 })
    }

    /** What `/health` says of the relayer, as soon as its problems are as they are waited for. */
    async function healthWith(isSo: (problems: Problem[]) => boolean) {
      const deadline = Date.now() + TIMEOUT_MS
      for (;;) {
        const { relayer } = (await api.get('/health')).body
        if (relayer.status !== 'stopped' && isSo(relayer.problems)) return relayer
        if (Date.now() > deadline) throw new Error(`/health says ${JSON.stringify(relayer)}`)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }

    const none = (problems: Problem[]) => problems.length === 0
    const has = (code: string) => (problems: Problem[]) => problems.some((one) => one.code === code)

    it('a relayer without gas is degraded before anything waits for it, on that chain only', async () => {
      await restart()
      expect((await healthWith(none)).status).toBe('ok')
      const giveBack = () => rig.base.client.setBalance({ address: rig.relayer, value: 10n ** 18n })
      onTestFinished(giveBack)
      await rig.base.client.setBalance({ address: rig.relayer, value: 0n })
      const { status, problems, accounts } = await healthWith(has('NO_GAS'))
      expect([status, problems.length]).toEqual(['degraded', 1])
      expect(accounts.every(({ waiting }: { waiting: number }) => waiting === 0)).toBe(true)
      expect(problems[0]).toMatchObject({
        chain: 'base_sepolia',
        cause: expect.stringContaining(`${rig.relayer} holds 0 on base_sepolia`),
        fix: expect.stringMatching(/^send 0\.\d+ of the chain’s coin or more to 0x/),
      })
      await giveBack()
      expect((await healthWith(none)).status).toBe('ok')
    })

    it('refunds that have spent their day’s gas are shown, and make nothing degraded', async () => {
      await restart()
      const [before] = (await healthWith(none)).refundGas
      const limit = '60000000'
      expect(before).toMatchObject({ chain: 'base_sepolia', limit, isSpent: false, renewsAt: null })
      const { rows } = await rig.client.query(
        `insert into app.transaction (kind, chain_id, effect, account, to_address, data, payer, state, l1_fee)
         values ('refund', $1, 'nobody’s', '0x', '0x', '0x', '0xa1', 'confirmed', 10::numeric ^ 30)
         returning extract(epoch from requested_at)::float8 as at`,
        [rig.base.config.chainId],
      )
      onTestFinished(async () => {
        await rig.client.query(`delete from app.transaction where effect = 'nobody’s'`)
      })
      const { status, refundGas } = await healthWith(none)
      expect(status).toBe('ok')
      expect(refundGas[0]).toMatchObject({ chain: 'base_sepolia', limit, isSpent: true })
      expect(BigInt(refundGas[0].taken)).toBeGreaterThan(BigInt(limit))
      expect(Date.parse(refundGas[0].renewsAt) / 1_000).toBe(Math.ceil(rows[0].at) + 86_400)
    })

    it('a recovery that lacks intents, or has not ended, is named across restarts until another one lacks none', async () => {
      const { chainId, bridge } = rig.base.config
      const write = (missing: number, finishedAt: string | null) =>
        rig.client.query(
          `insert into app.recovery (chain_id, bridge, start_block, next_block, finished_at, certificate)
           values ($1, $2, 0, 9, $3, $4) on conflict (chain_id) do update
           set finished_at = excluded.finished_at, certificate = excluded.certificate`,
          [chainId, bridge.toLowerCase(), finishedAt, { intents: { missing } }],
        )
      onTestFinished(async () => {
        await rig.client.query('delete from app.recovery')
      })
      await write(2, 'now')
      await restart()
      const { status, problems } = await healthWith(has('RECOVERY_INCOMPLETE'))
      expect([status, problems[0].chain]).toEqual(['degraded', 'base_sepolia'])
      expect(problems[0].cause).toContain('2 intents')
      await write(0, null)
      await healthWith(has('RECOVERY_UNFINISHED'))
      await write(0, 'now')
      expect((await healthWith(none)).status).toBe('ok')
    })

    it('a chain that is removed while winners deliver on it is named until it is back', async () => {
      await restart()
      const offer = await rig.create()
      await rig.until(() => isAnchored(offer.id), 'anchored')
      await depositAsWinner(offer)
      await rig.until(async () => (await rig.phase(offer.id)) === 'deposited', 'deposited')
      await restart({ chains: rig.configs.filter(({ name }) => name === 'base_sepolia') })
      const { problems } = await healthWith(has('CHAIN_REMOVED'))
      expect(problems).toMatchObject([
        {
          chain: 'base_sepolia',
          cause: expect.stringContaining('which isn’t in CHAINS, for intents from base_sepolia'),
        },
      ])
      await restart()
      expect((await healthWith(none)).status).toBe('ok')
    })

    it('an unregistered enclave key is named on each chain until it is registered', async () => {
      const unknown = await testEnclave(rig.configs)
      const { attester } = await unknown.publicKeys()
      await restart({ enclaves: [rig.enclave, unknown] })
      const { status, problems } = await healthWith((all) => all.length === 2)
      expect(status).toBe('degraded')
      expect(problems.map(({ chain, code }: Problem) => [chain, code])).toEqual([
        ['base_sepolia', 'KEY_NOT_REGISTERED'],
        ['horizen_testnet', 'KEY_NOT_REGISTERED'],
      ])
      expect(problems[0].cause).toContain(attester)
      expect(problems[0].fix).toContain('register it')
      await Promise.all([rig.base, rig.horizen].map((chain) => trust(chain, unknown, 1)))
      expect((await healthWith(none)).status).toBe('ok')
    })

    it('a root that opens none of a chain’s blobs makes the relayer unhealthy', async () => {
      await restart()
      const offer = await rig.create()
      await rig.until(async () => (await rig.stored(offer.id))?.source.feeBps === 250, 'anchored')
      expect((await healthWith(none)).status).toBe('ok')
      await endReactions()
      // As after a start with another root on an empty database.
      await rig.client.query('delete from app.enclave_binding')
      const stranger = await createEnclave({
        roots: [new Uint8Array(32).fill(99)],
        chains: toEnclaveChains(rig.configs, 'strict'),
      })
      await Promise.all(
        [rig.base, rig.horizen].map(async ({ client }) => {
          const { relayer } = await stranger.publicKeys()
          await client.setBalance({ address: relayer, value: 10n ** 18n })
        }),
      )
      await restart({ enclave: stranger })
      const { status, problems } = await healthWith(has('WRONG_ROOT'))
      expect(status).toBe('degraded')
      const wrong = problems.filter(({ code }: Problem) => code === 'WRONG_ROOT')
      expect(wrong.map(({ chain }: Problem) => chain)).toEqual(['base_sepolia'])
      expect(wrong[0].cause).toMatch(
        /can open 0 of \d+ recovery blobs of anchored intents on base_sepolia/,
      )
      expect(wrong[0].fix).toContain('ENCLAVE_ROOT_FILE')
      await endReactions()
      await rig.client.query('delete from app.enclave_binding')
    })
  })
}
