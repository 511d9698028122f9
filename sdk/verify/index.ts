export { ProofError, type ProofErrorCode } from '../../core/proof/proofError.ts'
export type { VerifiedIntent } from './verifiedIntent.ts'
export { type VerifyOptions, verifyIntent } from './verifyIntent.ts'
export { verifyProof } from './verifyProof.ts'
