import { attestationListMutations } from './attestationListMutations.ts'
import { attestationRegistryMutations } from './attestationRegistryMutations.ts'
import { attestationVerifierMutations } from './attestationVerifierMutations.ts'
import type { Mutation } from './mutation.ts'

/** Bugs in whose word is taken. */
export const attestationMutations: Mutation[] = [
  ...attestationRegistryMutations,
  ...attestationListMutations,
  ...attestationVerifierMutations,
]
