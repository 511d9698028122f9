import { describe, expect, it } from 'vitest'
import { generateStealthMessage } from '../../../sdk/messages/generateStealthMessage.ts'
import { getRecipientsMessage } from '../../../sdk/messages/getRecipientsMessage.ts'
import { intentMetadataMessage } from '../../../sdk/messages/intentMetadataMessage.ts'
import { intentPrivateMessage } from '../../../sdk/messages/intentPrivateMessage.ts'
import { registerSolverMessage } from '../../../sdk/messages/registerSolverMessage.ts'
import { describeOutcome, get, post, rig, won } from './attackTestbed.ts'

const OLD = 600

/** Attacks with valid signatures over something else. Runs on an open testbed. */
export function describeReplays(): void {
  const now = () => Math.floor(Date.now() / 1_000)
  const refused = [400, 'INVALID_SIGNATURE']

  describe('an observed signature', () => {
    it('a sender’s signature isn’t valid for another intent, recipient, chain or content', async () => {
      const other = await rig.create()
      const { chainId } = rig.base
      const described = { metadata: { invoice: '7' }, viewers: [] as string[] }
      const metadata = { intentId: String(won.id), chainId, ...described }
      const ofMetadata = {
        'x-sender-signature': await rig.sender.signMessage({
          message: intentMetadataMessage(won.id, chainId, described),
        }),
      }
      for (const change of [
        { intentId: String(other.id) },
        { viewers: [rig.stranger.address] },
        { metadata: { invoice: '8' } },
      ]) {
        const answer = await post('/intent-metadata', { ...metadata, ...change }, ofMetadata)
        expect([answer.status, answer.body.code], JSON.stringify(change)).toEqual(refused)
      }

      const asked = {
        recipientAddress: rig.stranger.address,
        chainId: String(rig.horizen.chainId),
        intentId: String(other.id),
      }
      const messages = [
        generateStealthMessage(rig.stranger.address, rig.horizen.chainId, won.id),
        generateStealthMessage(rig.solver.address, rig.horizen.chainId, other.id),
        generateStealthMessage(rig.stranger.address, chainId, other.id),
        intentMetadataMessage(other.id, chainId, described),
      ]
      for (const message of messages) {
        const headers = { 'x-sender-signature': await rig.sender.signMessage({ message }) }
        const answer = await post('/recipient/generate-stealth', asked, headers)
        expect(describeOutcome(answer), message).toEqual(refused)
      }
    })

    it('a reader’s signature isn’t valid for another intent or time, nor a winner’s for reading', async () => {
      const { chainId } = rig.base
      const read = async (message: string, timestamp: number) =>
        describeOutcome(
          await get(`/intent-private/${won.id}`, {
            'x-reader-address': rig.sender.address,
            'x-reader-signature': await rig.sender.signMessage({ message }),
            'x-timestamp': String(timestamp),
          }),
        )
      const at = now()
      // The right signature, before the settlement.
      expect(await read(intentPrivateMessage(won.id, chainId, at), at)).toEqual([
        403,
        'NOT_SETTLED',
      ])
      expect(await read(intentPrivateMessage(won.id + 1n, chainId, at), at)).toEqual(refused)
      expect(await read(intentPrivateMessage(won.id, chainId + 1, at), at)).toEqual(refused)
      expect(await read(intentPrivateMessage(won.id, chainId, at - 1), at)).toEqual(refused)
      expect(await read(getRecipientsMessage(won.id, chainId, at), at)).toEqual(refused)
      const old = at - OLD
      expect(await read(intentPrivateMessage(won.id, chainId, old), old)).toEqual([
        ...[400, 'STALE_TIMESTAMP'],
      ])
    })

    it('a solver’s signature isn’t valid for other routes, another solver or another time', async () => {
      const { USDC, ZEN } = rig.base.contracts.tokens
      const route = { sourceChain: 'base_sepolia', destChain: 'horizen_testnet' }
      const routes = [{ ...route, tokenA: USDC, tokenB: ZEN }]
      const at = now()
      const register = async (change: object, signedAt = at, saidAt = signedAt) => {
        const message = registerSolverMessage(rig.solver.address, routes, signedAt)
        const headers = {
          'x-solver-signature': await rig.solver.signMessage({ message }),
          'x-timestamp': String(saidAt),
        }
        const body = { solverAddress: rig.solver.address, routes, ...change }
        return describeOutcome(await post('/register-solver', body, headers))[1]
      }
      expect(await register({ solverAddress: rig.stranger.address })).toBe('INVALID_SIGNATURE')
      const wider = [...routes, { ...route, tokenA: ZEN, tokenB: USDC }]
      expect(await register({ routes: wider })).toBe('INVALID_SIGNATURE')
      expect(await register({}, at, at + 1)).toBe('INVALID_SIGNATURE')
      expect(await register({}, at - OLD)).toBe('STALE_TIMESTAMP')
    })
  })
}
