import { z } from '@hono/zod-openapi'
import { checksumAddress } from 'viem'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { addressOf, type IsTrustedProxy } from '../../http/limits/clientAddress.ts'
import {
  addressInput,
  chainInput,
  count,
  hashInput,
  intentIdInput,
} from '../../http/valueSchemas.ts'
import { createChainNotFollowedError } from '../createChainNotFollowedError.ts'
import { chainsToRead, type ReadContext } from '../readContext.ts'
import { requireIntent } from '../requireIntent.ts'
import type { SettleCoordinator } from './settleCoordinator.ts'

const body = z
  .strictObject({
    intentId: intentIdInput,
    network: chainInput.openapi({ description: 'Source chain.', example: 'base_sepolia' }),
    chain2IntentId: intentIdInput.describe('From the delivery’s `IntentSolved` event.'),
    solverAddress: addressInput,
    destinationChain: chainInput.openapi({ example: 'horizen_testnet' }),
    depositTxHash: hashInput,
    solveTxHash: hashInput,
  })
  .openapi('SettleRequest')

const answer = success({
  settleTxHash: z.string(),
  depositTxHash: z.string(),
  solveTxHash: z.string(),
  blockNumber: count,
  network: z.string(),
  chainId: z.string(),
  intentId: z.string(),
  chain2IntentId: z.string(),
  solverAddress: z.string(),
}).openapi('SettleAnswer')

/** `POST /settle`: waits until a delivery is verified, attested and settled. The body's fields are hints. */
export function addSettleRoute(
  app: App,
  reads: ReadContext,
  coordinator: SettleCoordinator,
  isTrustedProxy: IsTrustedProxy,
): void {
  addEndpoint(app, {
    method: 'post',
    path: '/settle',
    tag: 'Intents',
    summary: 'Settle an intent after its delivery',
    description:
      'Compares every field with the chains. The first one that differs determines the code: INTENT_NOT_FOUND, INTENT_TERMINAL, ALREADY_SETTLED, NOT_DEPOSITED, NOT_THE_WINNER, DEPOSIT_MISMATCH, DESTINATION_MISMATCH, SOLVE_NOT_FOUND, SOLVE_MISMATCH, DELIVERY_INVALID, NOT_CONFIRMED, RECIPIENTS_NOT_PAID. Waits until the settlement is mined. If the same delivery settled the intent before: 200 with the same hashes. Confirmed deliveries are settled without this call too.',
    body,
    answer,
    failures: [403, 404, 503],
    handler: async ({ intentId, network: sourceChainId, ...hints }, c) => {
      const chain = reads.configured.find((one) => one.chainId === sourceChainId)
      if (!chain) throw createChainNotFollowedError()
      const now = await chainsToRead(reads)
      const { source } = await requireIntent(reads, now, { intentId, sourceChainId })
      const claims = { ...hints, destChainId: hints.destinationChain }
      const settled = await coordinator.settle(source, claims, addressOf(c, isTrustedProxy))
      return {
        settleTxHash: settled.settleTxHash,
        depositTxHash: hints.depositTxHash,
        solveTxHash: hints.solveTxHash,
        blockNumber: settled.blockNumber,
        network: chain.name,
        chainId: String(sourceChainId),
        intentId: String(intentId),
        chain2IntentId: String(hints.chain2IntentId),
        solverAddress: checksumAddress(hints.solverAddress),
      }
    },
  })
}
