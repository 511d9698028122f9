import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import { markDeployed } from '../../../services/relayer/recipients/deployed/findDeployed.ts'
import {
  deploySafe,
  deploySiblings,
} from '../../../services/relayer/recipients/sponsored/deploySafe.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { type App, addEndpoint } from '../../http/addEndpoint.ts'
import { ApiError } from '../../http/apiError.ts'
import { address, chainIdInput, hash } from '../../http/valueSchemas.ts'
import type { RecipientContext } from './recipientContext.ts'
import { signatureInput, verbatimAddress } from './recipientInputs.ts'
import type { SponsorCoordinator } from './sponsorCoordinator.ts'

const body = z
  .strictObject({
    stealthAddress: verbatimAddress,
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
    txHash: hash.nullable().openapi({
      description:
        'The deployment’s transaction. Null if someone else sent it too long ago to find.',
    }),
  })
  .openapi('DeploySafeAnswer')

/** `POST /recipient/deploy-safe`: deploys the Safe of a stealth address at the relayer's cost. */
export function addDeploySafe(
  app: App,
  context: RecipientContext,
  coordinator: SponsorCoordinator,
): void {
  addEndpoint(app, {
    method: 'post',
    path: '/recipient/deploy-safe',
    tag: 'Recipients',
    summary: 'Deploy a Safe at the relayer’s cost',
    description:
      'Once per Safe: repeats answer the same hash. The other Safes of its intent are deployed with it, each by a transaction of its own. At most one in 5 seconds for each Safe, and 120 at once and 2 a second for each client. A wrong signature is 400; after 60 of them a client may send one a second.',
    body,
    answer,
    failures: [404, 503],
    handler: async ({ chainId, ...request }, c) => {
      const asked: { safe?: Hex; siblings?: Promise<void> } = {}
      const sent = await coordinator
        .serve(c, chainId, async (sponsorship, asker) => {
          const { entry, transactionId, isNew } = await deploySafe(sponsorship, asker, request)
          asked.safe = entry.safeAddress
          // These weren't requested: their failure isn't this request's.
          if (isNew) asked.siblings = deploySiblings(sponsorship, entry).catch(() => {})
          return transactionId
        })
        .catch((error: unknown) => {
          if (asked.safe !== undefined && isRevert(error)) return error
          throw error
        })
      const safe = asked.safe as Hex
      const txHash = typeof sent === 'string' ? sent : await byOthers(context, chainId, safe, sent)
      await markDeployed(context.reads.db, chainId, [safe], false)
      await asked.siblings
      return { safeAddress: getAddress(safe), txHash }
    },
  })
}

function isRevert(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'RELAY_PROXY_REVERTED'
}

/**
 * The transaction with which somebody else has deployed a Safe, perhaps just before ours.
 *
 * @param failure why ours failed; null: there was none
 * @throws the failure, when the Safe isn't there
 */
async function byOthers(
  { creations }: RecipientContext,
  chainId: number,
  safe: Hex,
  failure: ApiError | null,
): Promise<Hex | null> {
  const creation = await creations.find(chainId, safe).catch(() => null)
  if (creation === null && failure !== null) throw failure
  return creation?.txHash ?? null
}
