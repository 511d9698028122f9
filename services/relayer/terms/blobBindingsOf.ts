import type { BlobBindings } from '../../enclave/enclaveInterface.ts'
import type { IntentTerms } from './intentTerms.ts'

/** What a blob must contain to belong to this intent. */
export function blobBindingsOf(
  terms: Pick<IntentTerms, 'sourceChainId' | 'intentId' | 'bridge' | 'user' | 'paramsHash'>,
): BlobBindings {
  const { sourceChainId, intentId, bridge, user, paramsHash } = terms
  return { sourceChainId, intentId, bridge, user, paramsHash }
}
