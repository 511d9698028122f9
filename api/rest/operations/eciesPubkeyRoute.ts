import { z } from '@hono/zod-openapi'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { throwBundleApiError } from '../recipientBundles/throwBundleApiError.ts'
import type { WriteContext } from '../writeContext.ts'

const answer = success({
  publicKey: z
    .string()
    .openapi({ description: 'secp256k1, 65 bytes uncompressed, hex.', example: '0x04…' }),
  message: z.string(),
}).openapi('EciesPubkey')

const MESSAGE =
  'Encrypt the recipient bundle to this key with ECIES (secp256k1, HKDF-SHA256, AES-256-GCM)'

/** `GET /ecies-pubkey`: the key that recipient bundles are encrypted to. */
export function addEciesPubkeyRoute(app: App, { enclave }: WriteContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/ecies-pubkey',
    tag: 'Recipients',
    summary: 'The key to encrypt recipient bundles to',
    description: 'Fetch it again after DECRYPTION_FAILED: keys rotate.',
    answer,
    failures: [503],
    cacheControl: 'no-cache',
    handler: async () => {
      const { eciesPublicKey } = await enclave.publicKeys().catch(throwBundleApiError)
      return { publicKey: eciesPublicKey, message: MESSAGE }
    },
  })
}
