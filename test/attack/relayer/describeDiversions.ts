import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { createRelayerWriteRoutes } from '../../../api/rest/relayerWriteRoutes.ts'
import { startApi } from '../../../api/rest/startApi.ts'
import { ADMIN_TOKEN } from '../../integration/relayer/relayerApiRig.ts'
import { startFaultyRpc } from '../../rig/faultyRpc.ts'
import {
  describeOutcome,
  pauseReactions,
  post,
  resumeReactions,
  rig,
  won,
} from './attackTestbed.ts'

/** Attacks that try to change who is paid. Runs on an open testbed. */
export function describeDiversions(): void {
  describe('an attacker who wants to redirect the money', () => {
    it('can’t take precedence over the creation’s own blob', async () => {
      await pauseReactions()
      const offer = await rig.create()
      const theirs = {
        ...offer,
        recipients: offer.recipients.map(() => rig.stranger.address as Hex),
      }
      const answer = await post('/store-recipients', await rig.sealed(theirs))
      expect(describeOutcome(answer)).toEqual([400, 'ALREADY_STORED'])
      const same = await rig.sealed(offer)
      expect((await post('/store-recipients', same)).status).toBe(200)
      await resumeReactions()
    })

    it('can’t overwrite a bundle unsigned, with its own signature, or by a replayed request', async () => {
      const offer = await rig.create({ blob: false })
      const swapped = { ...offer, recipients: [...offer.recipients].reverse() }
      const theirs = {
        ...offer,
        recipients: offer.recipients.map(() => rig.stranger.address as Hex),
      }
      const sign = rig.signedBy
      const first = await rig.sealed(offer)
      const begun = await sign(rig.sender, first)
      expect((await post('/store-recipients', first, begun)).status).toBe(200)
      const body = await rig.sealed(theirs)
      expect(describeOutcome(await post('/store-recipients', body))).toEqual([
        400,
        'ALREADY_STORED',
      ])
      const own = await sign(rig.stranger, body)
      expect(describeOutcome(await post('/store-recipients', body, own))).toEqual([
        400,
        'INVALID_SIGNATURE',
      ])
      const second = await rig.sealed(swapped, { n: 2 })
      const signed = await sign(rig.sender, second)
      expect((await post('/store-recipients', second, signed)).status).toBe(200)
      // The sender's signature over the first, from a log or a memory: the sender has moved on.
      expect(describeOutcome(await post('/store-recipients', first, begun))).toEqual([
        ...[400, 'ALREADY_STORED'],
      ])
      expect(describeOutcome(await post('/store-recipients', body, signed))).toEqual([
        ...[400, 'INVALID_SIGNATURE'],
      ])
    })

    it('can’t restore a replaced bundle after an operator deleted the newer one: the higher number wins', async () => {
      await pauseReactions()
      const offer = await rig.create({ blob: false })
      const first = await rig.sealed(offer)
      const begun = await rig.signedBy(rig.sender, first)
      expect((await post('/store-recipients', first, begun)).status).toBe(200)
      const reversed = { ...offer, recipients: [...offer.recipients].reverse() }
      const second = await rig.sealed(reversed, { n: 2 })
      const signed = await rig.signedBy(rig.sender, second)
      expect((await post('/store-recipients', second, signed)).status).toBe(200)
      const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
      const gone = await rig.strict.delete(`/delete-recipients/${offer.id}`, admin)
      expect(gone.status).toBe(200)
      expect((await post('/store-recipients', first, begun)).status).toBe(200)
      expect((await post('/store-recipients', second, signed)).status).toBe(200)
      expect(describeOutcome(await post('/store-recipients', first, begun))).toEqual([
        ...[400, 'ALREADY_STORED'],
      ])
      await resumeReactions()
    })

    it('can’t have one of two providers vouch for a contract signature of the sender', async () => {
      const provider = await startFaultyRpc(rig.base.node.rpc)
      provider.inject(({ method, params }) => {
        if (method === 'eth_getCode') return { result: '0xfe' }
        // The validator of signatures runs in a call to nobody.
        const isValidator = method === 'eth_call' && !(params[0] as { to?: Hex }).to
        return isValidator ? { result: '0x01' } : undefined
      })
      const chains = rig.configs.map((chain) =>
        chain.chainId === rig.base.chainId
          ? { ...chain, rpcUrls: [provider.url, ...chain.rpcUrls] }
          : chain,
      )
      const writes = createRelayerWriteRoutes({
        enclave: rig.enclave,
        authMode: 'strict',
        adminTokens: [],
      })
      const api = await startApi({
        databaseUrl: rig.postgres.databaseUrl,
        chains,
        routes: [writes],
        host: '127.0.0.1',
        port: 0,
      })
      const offer = await rig.create({ blob: false })
      const theirs = {
        ...offer,
        recipients: offer.recipients.map(() => rig.stranger.address as Hex),
      }
      const body = await rig.sealed(theirs)
      const response = await fetch(`${api.url}/store-recipients`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(await rig.signedBy(rig.stranger, body)),
        },
        body: JSON.stringify(body),
      })
      const { code } = (await response.json()) as { code?: string }
      expect([response.status, code]).toEqual([400, 'INVALID_SIGNATURE'])
      await api.stop()
      await provider.close()
    })

    it('can’t be the first to name recipients in strict mode', async () => {
      const offer = await rig.create({ blob: false })
      const theirs = {
        ...offer,
        recipients: offer.recipients.map(() => rig.stranger.address as Hex),
      }
      const body = await rig.sealed(theirs)
      const required = [400, 'SIGNATURE_REQUIRED']
      expect(describeOutcome(await post('/store-recipients', body))).toEqual(required)
      const { id, recipients, amounts } = theirs
      const plain = { intentId: String(id), chainId: body.chainId, recipients }
      const inClear = { ...plain, amounts: amounts.map(String) }
      expect(describeOutcome(await post('/store-recipients', inClear))).toEqual(required)
      const own = await rig.signedBy(rig.stranger, body)
      expect(describeOutcome(await post('/store-recipients', body, own))).toEqual([
        400,
        'INVALID_SIGNATURE',
      ])
      const real = await rig.sealed(offer)
      const signed = await rig.signedBy(rig.sender, real)
      // The sender's word for one bundle is none for another.
      expect(describeOutcome(await post('/store-recipients', body, signed))).toEqual([
        ...[400, 'INVALID_SIGNATURE'],
      ])
      expect((await post('/store-recipients', real, signed)).status).toBe(200)
      expect((await post('/store-recipients', real)).status).toBe(200)
    })

    it('nobody, not even the sender, can replace recipients once there is a winner', async () => {
      const body = await rig.sealed({ ...won, recipients: [...won.recipients].reverse() })
      const headers = await rig.signedBy(rig.sender, body)
      const answer = await post('/store-recipients', body, headers)
      expect(describeOutcome(answer)).toEqual([400, 'ALREADY_STORED'])
    })

    it('can’t invent recipients for an intent whose row was lost, because the chain has them', async () => {
      await rig.client.query('delete from app.bundle where intent_id = $1', [String(won.id)])
      const theirs = { ...won, recipients: won.recipients.map(() => rig.stranger.address as Hex) }
      const body = await rig.sealed(theirs)
      expect(describeOutcome(await rig.compat.post('/store-recipients', body))).toEqual([
        ...[400, 'ALREADY_STORED'],
      ])
      const signed = await rig.signedBy(rig.sender, body)
      expect(describeOutcome(await post('/store-recipients', body, signed))).toEqual([
        400,
        'ALREADY_STORED',
      ])
    })
  })
}
