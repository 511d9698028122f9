import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createPublicClient, http } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyIntent, verifyProof } from '../../../sdk/verify/index.ts'
import type { BridgePair } from '../indexer/bridgePair.ts'

type Api = { fetch(request: Request): Response | Promise<Response> }

/** Tests of the SDK's own verifier against the endpoint over two real nodes. */
export function describeSdkVerification(
  running: () => { pair: BridgePair; intentId: bigint; api(): Promise<Api> },
): void {
  describe('the SDK’s verifier', () => {
    /** What the relayer makes of its own answer. */
    let tamper: (text: string) => string = (text) => text
    let baseUrl: string
    const server = createServer()

    beforeAll(async () => {
      const api = await running().api()
      const answering = async (request: Request) => {
        const answer = await api.fetch(request)
        return new Response(tamper(await answer.text()), { status: answer.status })
      }
      server.on('request', getRequestListener(answering))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    })
    afterAll(() => {
      server.close()
      server.closeAllConnections()
    })

    const chains = () =>
      [running().pair.base, running().pair.horizen].map(({ config, node }) => ({
        chainId: config.chainId,
        bridge: config.bridge,
        publicClient: createPublicClient({ transport: http(node.rpc) }),
      }))
    const verify = (more: Partial<Parameters<typeof verifyIntent>[1]> = {}) =>
      verifyIntent(running().intentId, { baseUrl, chains: chains(), ...more })

    it('proves an intent against the caller’s nodes and bridges', async () => {
      const { intentId } = running()
      const verified = await verify()
      expect(verified).toMatchObject({
        intentId,
        isWhole: true,
        unconfirmed: [],
        facts: { source: { phase: 'completed', intentId } },
      })
      expect(verified.events.map(({ type }) => type)).toContain('IntentSettled')
      expect(verified.facts.deliveries).toHaveLength(1)
    })

    it('reports the blocks that weren’t confirmed', async () => {
      const [base, horizen] = chains()
      const { unconfirmed } = await verify({
        chains: [base!, { chainId: horizen!.chainId, bridge: horizen!.bridge }],
      })
      expect(unconfirmed.length).toBeGreaterThan(0)
      expect(new Set(unconfirmed.map(({ chainId }) => chainId))).toEqual(
        new Set([horizen!.chainId]),
      )
    })

    it('rejects another bridge, and a block that the node doesn’t have', async () => {
      const [base, horizen] = chains()
      const bridge = `0x${'77'.repeat(20)}` as const
      await expect(verify({ chains: [{ ...base!, bridge }, horizen!] })).rejects.toMatchObject({
        name: 'ProofError',
        code: 'LOG_OF_ANOTHER_CONTRACT',
      })
      await expect(verify({ chains: [base!] })).rejects.toMatchObject({
        code: 'LOG_OF_ANOTHER_CONTRACT',
        message: expect.stringContaining('isn’t the bridge in chains'),
      })
      const { publicClient } = horizen!
      await expect(
        verify({ chains: [{ ...base!, publicClient }, horizen!] }),
      ).rejects.toMatchObject({ code: expect.stringMatching(/NOT_CANONICAL|RPC_UNREACHABLE/) })
    })

    it.each([
      ['another intent', (text: string) => text.replaceAll(/"intentId":"\d+"/g, '"intentId":"1"')],
      ['a changed receipt', (text: string) => text.replace(/"receipt":"0x(..)/, '"receipt":"0x00')],
      ['no JSON', () => 'nothing'],
      [
        'events left out in between',
        (text: string) => text.replace('"next":null', '"next":"1.1.1.1"'),
      ],
    ])('refuses %s', async (_what, change) => {
      const honest = tamper
      tamper = change
      try {
        const outcome = await verify({ requestTimeoutMs: 10_000 }).catch((error) => error)
        expect(outcome).toMatchObject({ name: 'ProofError' })
      } finally {
        tamper = honest
      }
    })

    it('distinguishes the relayer’s refusal from a false proof', async () => {
      await expect(
        verifyIntent((84_532n << 64n) | 999n, { baseUrl, chains: chains() }),
      ).rejects.toMatchObject({ name: 'RelayerError', code: 'INTENT_NOT_FOUND', status: 404 })
      await expect(verifyProof([])).rejects.toMatchObject({ code: 'MALFORMED_PROOF' })
    })
  })
}
