import type { Surface } from '../server.ts'
import { addProofEndpoint } from './addProofEndpoint.ts'
import { createEventProver } from './eventProver.ts'
import { createIntentProofs, proofReads } from './intentProofs.ts'
import { provableChains } from './provableChains.ts'

/** The proofs as a surface of the API: `startApi({surfaces: [proofSurface, …]})`. */
export const proofSurface: Surface = (app, context) => {
  const chains = provableChains(context.configured)
  const prover = createEventProver({ chains })
  const proofs = createIntentProofs({ reads: proofReads(context), chains, prover })
  addProofEndpoint(app, { proofs, trusts: context.trusts })
  return undefined
}
