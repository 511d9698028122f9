import { z } from '@hono/zod-openapi'
import { relaySafeTransaction } from '../../../services/relayer/recipients/sponsored/relaySafeTransaction.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import {
  addressInput,
  chainIdInput,
  hash,
  payeeInput,
  wireAmountInput,
} from '../../http/valueSchemas.ts'
import { signatureInput } from './recipientInputs.ts'
import type { SponsorCoordinator } from './sponsorCoordinator.ts'

/** Maximum size of a relayed call in bytes: a batch of dozens of transfers. */
const MAX_CALL_BYTES = 16 * 1_024

const body = z
  .strictObject({
    safeAddress: addressInput,
    chainId: chainIdInput.openapi({ type: 'string' }),
    to: payeeInput,
    value: wireAmountInput.describe('Wei that the Safe sends.'),
    data: z
      .string()
      .max(2 + 2 * MAX_CALL_BYTES)
      .regex(/^0x(?:[0-9a-fA-F]{2})*$/, 'expected bytes as hex, beginning with 0x')
      .transform((text) => text.toLowerCase() as Hex)
      .openapi({ type: 'string', example: '0x' }),
    operation: z
      .union([z.literal(0), z.literal(1)], 'expected 0 or 1')
      .describe('0: a call. 1: a batch, which must be a delegate call to MultiSendCallOnly.'),
    signature: signatureInput.describe(
      'The stealth key’s 65-byte signature of the Safe transaction’s hash, with the Safe’s next nonce, safeTxGas, baseGas and gasPrice 0, and the zero address as gasToken and refundReceiver.',
    ),
  })
  .openapi('RelayProxyRequest')

const answer = success({ txHash: hash }).openapi('RelayProxyAnswer')

/** `POST /recipient/relay-proxy`: executes a Safe transaction that its owner signed, at the relayer's cost. */
export function addRelaySafeTransactionRoute(app: App, coordinator: SponsorCoordinator): void {
  addEndpoint(app, {
    method: 'post',
    path: '/recipient/relay-proxy',
    tag: 'Recipients',
    summary: 'Send a Safe’s transaction; the relayer pays the gas',
    description:
      'Works for Safes that this relayer issued. The call is simulated first: if it would revert, nothing is sent. Repeating a Safe transaction returns the same hash. Limits: a request per 5 seconds and Safe, 10 a minute per client. A wrong signature is 400; after 60 of them a client may send one a second.',
    body,
    answer,
    failures: [404, 503],
    handler: async ({ chainId, ...request }, c) => {
      const txHash = await coordinator.serve(c, chainId, (sponsorship, requester) =>
        relaySafeTransaction(sponsorship, requester, request),
      )
      return { txHash }
    },
  })
}
