import { EnclaveError } from '../../enclave/enclaveError.ts'

/** Deletes kept evidence that the enclave found wrong, or of a block that isn't on the chain. */
export async function dropBadEvidence<Answer>(
  forget: () => Promise<void>,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    const isBad = error instanceof EnclaveError && BAD.has(error.code)
    if (isBad) await forget()
    throw error
  }
}

const BAD: ReadonlySet<string> = new Set(['EVIDENCE_INVALID', 'BLOCK_NOT_AGREED', 'WRONG_PHASE'])
