import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import { markDeployed } from '../../../services/relayer/recipients/deployed/findDeployedSafes.ts'
import {
  deploySafe,
  deploySiblings,
} from '../../../services/relayer/recipients/sponsored/deploySafe.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { ApiError } from '../../http/apiError.ts'
import { address, chainIdInput, hash } from '../../http/valueSchemas.ts'
import type { RecipientContext } from './recipientContext.ts'
import { signatureInput, verbatimAddress } from './recipientInputs.ts'
import type { SponsorCoordinator } from './sponsorCoordinator.ts'

const body = z
  .strictObject({
    stealthAddress: verbatimAddress,
    signature: signatureInput.describe(
      'Signed by the stealth key or the recipient’s spend key: DEPLOY_SAFE:<stealthAddress>:<chainId>.',
    ),
    chainId: chainIdInput.openapi({ type: 'string' }),
  })
  .openapi('DeploySafeRequest')

const answer = success({
  safeAddress: address,
  txHash: hash
    .nullable()
    .describe(
      'The transaction that deployed it. Null if someone else deployed it too long ago to find out.',
    ),
}).openapi('DeploySafeAnswer')

/** `POST /recipient/deploy-safe`: deploys the Safe of a stealth address at the relayer's cost. */
export function addDeploySafeRoute(
  app: App,
  context: RecipientContext,
  coordinator: SponsorCoordinator,
): void {
  addEndpoint(app, {
    method: 'post',
    path: '/recipient/deploy-safe',
    tag: 'Recipients',
    summary: 'Deploy a Safe; the relayer pays the gas',
    description:
      'Deploys a Safe once: repeats return the same hash. Also deploys the other Safes of its intent, each in its own transaction. Limits: a request per 5 seconds and Safe, 10 a minute per client. A wrong signature is 400; after 60 of them a client may send one a second.',
    body,
    answer,
    failures: [404, 503],
    handler: async ({ chainId, ...request }, c) => {
      const deployment: { safe?: Hex; siblings?: Promise<void> } = {}
      const sent = await coordinator
        .serve(c, chainId, async (sponsorship, requester) => {
          const { entry, transactionId, isNew } = await deploySafe(sponsorship, requester, request)
          deployment.safe = entry.safeAddress
          // The caller didn't ask for these, so their failure doesn't fail the request.
          if (isNew) deployment.siblings = deploySiblings(sponsorship, entry).catch(() => {})
          return transactionId
        })
        .catch((error: unknown) => {
          if (deployment.safe !== undefined && isRevert(error)) return error
          throw error
        })
      const safe = deployment.safe as Hex
      const txHash =
        typeof sent === 'string' ? sent : await deployedByOthers(context, chainId, safe, sent)
      await markDeployed(context.reads.db, chainId, [safe], false)
      await deployment.siblings
      return { safeAddress: getAddress(safe), txHash }
    },
  })
}

function isRevert(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'RELAY_PROXY_REVERTED'
}

/**
 * The transaction with which someone else deployed a Safe, perhaps just before the relayer's.
 *
 * @param failure why the relayer's transaction failed; null: it sent none
 * @throws the failure, if the Safe isn't deployed
 */
async function deployedByOthers(
  { creations }: RecipientContext,
  chainId: number,
  safe: Hex,
  failure: ApiError | null,
): Promise<Hex | null> {
  const creation = await creations.find(chainId, safe).catch(() => null)
  if (creation === null && failure !== null) throw failure
  return creation?.txHash ?? null
}
