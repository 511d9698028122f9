import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import type { OrdersService } from '../../services/orders/ordersServiceTypes.ts'
import { type App, addEndpoint, success } from '../http/addEndpoint.ts'
import { address, text } from '../http/valueSchemas.ts'
import { throwOrderApiError } from './throwOrderApiError.ts'

/** `GET /ecies-pubkey` and `GET /address`: what an owner needs before placing an order. */
export function addPublicKeyRoutes(app: App, orders: OrdersService): void {
  addEndpoint(app, {
    method: 'get',
    path: '/ecies-pubkey',
    tag: 'Orders',
    summary: 'The key to encrypt orders to',
    description: 'This isn’t the relayer’s key.',
    answer: success({
      publicKey: z.string().describe('secp256k1, 65 bytes uncompressed, hex.'),
      signer: address.describe('An enclave’s attestation key.'),
      signature: text.describe(
        'Its EIP-712 signature of OrderKey(bytes eciesKey) in the domain CairnEnclave, version 1: check that the signer is active in the source chain’s EnclaveKeyRegistry before you encrypt to the key.',
      ),
    }),
    failures: [503],
    handler: async () => {
      const { signer, ...key } = await orders.publicKey().catch(throwOrderApiError)
      return { ...key, signer: getAddress(signer) }
    },
  })
  addEndpoint(app, {
    method: 'get',
    path: '/address',
    tag: 'Orders',
    summary: 'The vault’s address, which owners approve',
    description:
      'The OrderVault, the same on every chain: approve it for at least totalAmountIn of the source token before you order. It pays only the owner and the order’s own intents.',
    answer: success({ address }),
    handler: async () => ({ address: orders.vault }),
  })
}
