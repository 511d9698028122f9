import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import type { ResponseOf } from '../../../services/enclave/enclaveInterface.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { address, text } from '../../http/valueSchemas.ts'
import { throwBundleApiError } from '../recipientBundles/throwBundleApiError.ts'
import type { WriteContext } from '../writeContext.ts'

const bytes = z.string().openapi({ example: '0x…' })

const enclaveSchema = z
  .object({
    kind: z.enum(['software', 'tdx']).describe('`software`: no hardware isolation.'),
    quote: bytes.describe('Evidence bound to keccak256 of the configuration digest and the keys.'),
    measurement: bytes,
    configuration: text.describe(
      'The measured configuration: the JSON text whose digest is measured.',
    ),
    configurationDigest: bytes,
    keys: z.object({
      eciesPublicKey: bytes,
      keyId: bytes,
      previousKeyIds: z.array(bytes),
      attester: address,
      nextAttester: address.nullable(),
      relayer: address,
    }),
  })
  .openapi('EnclaveAttestation')

const answer = success({
  enclaves: z
    .array(enclaveSchema)
    .describe('The enclaves that answered, first the one for opening bundles.'),
}).openapi('Attestation')

/** `GET /attestation`: the enclaves' own evidence, to compare with the key registry. */
export function addEnclaveAttestationRoute(app: App, { signing }: WriteContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/attestation',
    tag: 'Recipients',
    summary: 'The enclaves’ quotes, measurements, configuration and keys',
    description:
      'Check the quote, and that EnclaveKeyRegistry knows the attester, before you believe a relayer’s ECIES key.',
    answer,
    failures: [503],
    cacheControl: 'no-cache',
    handler: async () => {
      const results = await Promise.allSettled(signing.enclaves.map((one) => one.attestation()))
      const enclaves = results.flatMap((one) =>
        one.status === 'fulfilled' ? [render(one.value)] : [],
      )
      if (enclaves.length > 0) return { enclaves }
      return throwBundleApiError(results.find((one) => one.status === 'rejected')?.reason)
    },
  })
}

function render({ keys, ...rest }: ResponseOf<'attestation'>): ResponseOf<'attestation'> {
  const { attester, nextAttester, relayer } = keys
  return {
    ...rest,
    keys: {
      ...keys,
      attester: getAddress(attester),
      nextAttester: nextAttester && getAddress(nextAttester),
      relayer: getAddress(relayer),
    },
  }
}
