import { listMutations } from './attestationListMutations.ts'
import { registryMutations } from './attestationRegistryMutations.ts'
import { verifierMutations } from './attestationVerifierMutations.ts'
import type { Mutation } from './mutation.ts'

/** Bugs in whose word is taken. */
export const attestationMutations: Mutation[] = [
  ...registryMutations,
  ...listMutations,
  ...verifierMutations,
]
