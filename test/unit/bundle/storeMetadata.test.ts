import { expect, it } from 'vitest'
import { storeMetadata } from '../../../services/relayer/recipientBundles/intentMetadataStore.ts'
import type { BundleContext } from '../../../services/relayer/recipientBundles/recipientBundleStore.ts'
import type { IntentTerms } from '../../../services/relayer/terms/intentTerms.ts'
import { createFakeDatabase } from '../../rig/fakeDatabase.ts'
import { ALICE, INTENT, KEY, naming, signed } from './bundleCase.ts'

it('metadata is stored with the sender’s signature of recipients that are on chain without it', async () => {
  const unsigned = naming(ALICE, { n: 1 })
  const own = signed(unsigned)
  const given = { metadata: { memo: 'rent' }, viewers: [] }
  const sealed: unknown[] = []
  const context = {
    db: createFakeDatabase(({ sql }) =>
      sql.includes('app.bundle')
        ? [{ sealed: 'own', isDisputed: false }]
        : [{ type: 'IntentAnchored', kind: null, blob: '0xaa' }],
    ),
    enclave: {
      openBlob: async ({ blob }: { blob: string }) => ({
        ok: true,
        keyId: KEY,
        contents: blob === 'own' ? own : unsigned,
      }),
      sealBlob: async (contents: unknown) => {
        sealed.push(contents)
        throw new Error('sealed')
      },
    },
    bridgeOn: () => INTENT.destinationBridge,
    modeOn: () => 'compat',
    now: () => 0,
  } as never as BundleContext
  const terms = { ...INTENT, user: INTENT.sender } as never as IntentTerms
  await expect(storeMetadata(context, terms, 8, given)).rejects.toThrow('sealed')
  expect(sealed).toMatchObject([{ ...given, n: 1, signature: own.signature }])
})
