import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRelayerWriteRoutes } from '../../../api/rest/relayerWriteRoutes.ts'
import { type RunningApi, startApi } from '../../../api/rest/startApi.ts'
import type { AuthMode } from '../../../api/rest/writeContext.ts'
import { getRecipientsMessage } from '../../../sdk/messages/getRecipientsMessage.ts'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import { FREE_LIMITS } from '../../integration/relayer/relayerApiRig.ts'
import { rig, won } from './attackTestbed.ts'

/** Requests of a flood; by one client, within the limits of reads. */
const FLOOD = 100

/** Attacks by whoever knows a winner's address, which is public, on a testbed that is open. */
export function describeRevealFloods(): void {
  const running: RunningApi[] = []
  afterAll(async () => {
    for (const api of running) await api.stop()
  })

  /** An API that has revealed nothing yet, and the number of reveals that it asks the enclave for. */
  async function open(authMode: AuthMode) {
    const asked = { reveals: 0 }
    const revealToWinner: Enclave['revealToWinner'] = async (request) => {
      asked.reveals++
      return rig.enclave.revealToWinner(request)
    }
    const enclave = { ...rig.enclave, revealToWinner }
    const api = await startApi({
      databaseUrl: rig.postgres.databaseUrl,
      chains: rig.configs,
      limits: FREE_LIMITS,
      host: '127.0.0.1',
      port: 0,
      routes: [createRelayerWriteRoutes({ enclave, authMode, adminTokens: [] })],
    })
    running.push(api)
    const read = async (headers: Record<string, string> = {}) => {
      const answer = await fetch(`${api.url}/get-recipients/${won.id}`, {
        headers: { 'x-solver-address': rig.solver.address, ...headers },
      })
      return { status: answer.status, body: await answer.json() }
    }
    return { asked, read }
  }

  const repeat = <Value>(ask: () => Promise<Value>) =>
    Promise.all(Array.from({ length: FLOOD }, ask))

  /** How the winner signs. */
  async function winnersHeaders() {
    const at = Math.floor(Date.now() / 1_000)
    const message = getRecipientsMessage(won.id, rig.base.chainId, at)
    const signature = await rig.solver.signMessage({ message })
    return { 'x-solver-signature': signature, 'x-timestamp': String(at) }
  }

  describe('a flood of anonymous reads of an intent’s recipients', () => {
    let expected: unknown
    beforeAll(async () => {
      const { read } = await open('compat')
      expected = (await read()).body
    })

    it('a flood of reads costs the enclave nothing once a reveal is signed', async () => {
      const { asked, read } = await open('strict')
      for (const { status, body } of await repeat(read)) {
        expect(status).toBe(200)
        expect(body).toEqual({ ...(expected as object), recipients: [], amounts: [] })
      }
      expect(asked.reveals).toBe(0)
    })

    it('a flood of reads that are answered with the recipients costs the enclave one reveal', async () => {
      const { asked, read } = await open('compat')
      for (const { status, body } of await repeat(read)) {
        expect([status, body]).toEqual([200, expected])
      }
      await read(await winnersHeaders())
      expect(asked.reveals).toBe(1)
    })

    it('a flood of false signatures of a winner reaches its chain’s nodes sixty times', async () => {
      const { read } = await open('strict')
      const headers = await winnersHeaders()
      const wrong = { ...headers, 'x-solver-signature': `0x${'11'.repeat(65)}` }
      const answers = await repeat(() => read(wrong))
      const codes = new Set(answers.map(({ body }) => body.code))
      expect(codes).toEqual(new Set(['INVALID_SIGNATURE', 'RATE_LIMITED']))
      expect((await read(headers)).status).toBe(200)
    })

    it('a flood of reads never gets recipients that a row names but no enclave signed', async () => {
      const { client } = rig
      const row = [String(won.id)]
      const where = `kind = 'reveal' and intent_id = $1`
      const before = await client.query(`select * from app.signed where ${where}`, row)
      const { bytes, signatures, signers } = before.rows[0]
      const forge = (column: string, value: unknown) =>
        client.query(`update app.signed set ${column} = $2 where ${where}`, [...row, value])
      const forgeries = [
        ['bytes', Buffer.alloc(bytes.length, 1), bytes],
        ['signatures', [`0x${'11'.repeat(64)}1b`], signatures],
        ['signatures', ['0x'], signatures],
        ['signatures', [], signatures],
        ['signers', [rig.stranger.address.toLowerCase()], signers],
      ] as const
      for (const [column, value, own] of forgeries) {
        const { asked, read } = await open('strict')
        await forge(column, value)
        const { status, body } = await read()
        expect([status, body.encryptedData]).toEqual([200, `0x${bytes.toString('hex')}`])
        expect(body.signatures).toEqual(signatures)
        expect(asked.reveals).toBe(1)
        await forge(column, own)
      }
    })
  })
}
