import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import { deploySafe } from '../../../services/recipients/sponsored/deploySafe.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ApiEnv } from '../../http/apiEnv.ts'
import { addEndpoint } from '../../http/endpoint.ts'
import { address, chainIdInput, hash } from '../values.ts'
import { signatureInput, spelledAddress } from './recipientInputs.ts'
import type { SponsorDesk } from './sponsorDesk.ts'

const body = z
  .strictObject({
    stealthAddress: spelledAddress,
    signature: signatureInput.openapi({
      description:
        'By the stealth key (or the recipient’s spend key), of DEPLOY_SAFE:<stealthAddress>:<chainId>.',
    }),
    chainId: chainIdInput.openapi({ type: 'string' }),
  })
  .openapi('DeploySafeRequest')

const answer = z
  .object({
    success: z.literal(true),
    safeAddress: address,
    txHash: hash.nullable().openapi({ description: 'Null when somebody else had deployed it.' }),
  })
  .openapi('DeploySafeAnswer')

/** `POST /recipient/deploy-safe`: deploys the Safe of a stealth address at the relayer's cost. */
export function addDeploySafe(app: OpenAPIHono<ApiEnv>, desk: SponsorDesk): void {
  addEndpoint(app, {
    method: 'post',
    path: '/recipient/deploy-safe',
    tag: 'Recipients',
    summary: 'Deploy a Safe at the relayer’s cost',
    description:
      'Once for each Safe: repeats answer the same hash. At most 10 a minute for each client, and one in 5 seconds for each Safe.',
    body,
    answer,
    failures: [404, 503],
    handler: async (c, { body: { chainId, ...request } }) => {
      c.header('cache-control', 'no-store')
      let safe: Hex = '0x'
      const txHash = await desk.serve(c, chainId, async (sponsorship, asker) => {
        const { safeAddress, transactionId } = await deploySafe(sponsorship, asker, request)
        safe = safeAddress
        return transactionId
      })
      return c.json({ success: true, safeAddress: getAddress(safe), txHash })
    },
  })
}
