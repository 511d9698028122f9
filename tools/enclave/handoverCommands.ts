import { z } from 'zod'
import type { Enclave, RequestOf, ResponseOf } from '../../services/enclave/enclaveInterface.ts'
import * as field from '../../services/enclave/fieldSchemas.ts'
import { buildRootHandover } from '../../services/enclave/handover/handoverMessages.ts'
import { OPERATIONS } from '../../services/enclave/operationSchemas.ts'
import { fetchKeyRegistryProof } from './fetchKeyRegistryProof.ts'
import { findRegistry, type Registry } from './registries.ts'

/** What the handover's documents contain; enclaves of other versions may add fields. */
export const rootRequestSchema = z.object(OPERATIONS.requestRoot.response.shape)
export const sealedRootSchema = z.object(OPERATIONS.handOverRoot.response.shape)

/** By chain id: the operators that approve a key, and their signatures. */
export const approvalsSchema = z.record(
  z.string(),
  z.strictObject({ operators: z.array(field.address), signatures: z.array(field.signature65) }),
)
export type OperatorApprovals = z.output<typeof approvalsSchema>

/** The EIP-712 message that an operator of a chain's registry signs so that an enclave gets the root. */
export function composeHandoverMessage(
  registries: readonly Registry[],
  { signer, transportKey }: Pick<ResponseOf<'requestRoot'>, 'signer' | 'transportKey'>,
  chainId: number,
) {
  const { registry } = findRegistry(registries, chainId)
  return buildRootHandover({ chainId, registry }, { signer, transportKey })
}

/** Has an enclave seal its root to the requesting enclave, on proofs fetched now. */
export async function giveRoot(
  enclave: Pick<Enclave, 'handOverRoot'>,
  registries: readonly Registry[],
  request: ResponseOf<'requestRoot'>,
  approvals: OperatorApprovals,
): Promise<ResponseOf<'handOverRoot'>> {
  const evidence = registries.map(async (chain) => {
    const { operators = [], signatures = [] } = approvals[chain.chainId] ?? {}
    const { chainId } = chain
    const proven = await fetchKeyRegistryProof(chain, { signer: request.signer, operators })
    return { chainId, evidence: proven, operatorSignatures: signatures }
  })
  return enclave.handOverRoot({ ...request, registries: await Promise.all(evidence) })
}

/** Has an enclave accept another's root, on proofs that the other is an enclave. */
export async function acceptRoot(
  enclave: Pick<Enclave, 'acceptRoots'>,
  registries: readonly Registry[],
  sealedRoot: ResponseOf<'handOverRoot'>,
): Promise<ResponseOf<'acceptRoots'>> {
  const evidence = registries.map(async (chain) => {
    const { chainId } = chain
    const key = { signer: sealedRoot.signer, operators: [] }
    return { chainId, evidence: await fetchKeyRegistryProof(chain, key) }
  })
  const asked: RequestOf<'acceptRoots'> = { ...sealedRoot, registries: await Promise.all(evidence) }
  return enclave.acceptRoots(asked)
}
