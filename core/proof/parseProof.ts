import { findUnsafeJsonKey } from './findUnsafeJsonKey.ts'
import {
  PROOF_FORMAT,
  PROOF_VERSION,
  type ProofDocument,
  proofDocumentSchema,
} from './proofDocument.ts'
import { ProofError } from './proofError.ts'

/** Maximum size of a proof document: 16 Mi characters. */
export const MAX_PROOF_LENGTH = 16 * 1024 * 1024

/**
 * Parses a proof document.
 *
 * @throws ProofError `TOO_LARGE`, `MALFORMED_JSON`, `DUPLICATE_KEY`, `FORBIDDEN_KEY`, `UNSUPPORTED_VERSION`, or
 *   `MALFORMED_PROOF` with the position of the first problem
 */
export function parseProof(text: string): ProofDocument {
  if (text.length > MAX_PROOF_LENGTH) {
    throw new ProofError(
      'TOO_LARGE',
      `the proof has ${text.length} characters; at most ${MAX_PROOF_LENGTH} are read`,
    )
  }
  const value = parseJson(text)
  const suspect = findUnsafeJsonKey(text)
  if (suspect !== null) {
    const code = suspect.kind === 'duplicate' ? 'DUPLICATE_KEY' : 'FORBIDDEN_KEY'
    throw new ProofError(code, `an object has a ${suspect.kind} key ${JSON.stringify(suspect.key)}`)
  }
  return readDocument(value)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ProofError('MALFORMED_JSON', 'the proof is not JSON', { cause })
  }
}

function readDocument(value: unknown): ProofDocument {
  const { format, version } = (value ?? {}) as Record<string, unknown>
  if (format === PROOF_FORMAT && version !== PROOF_VERSION) {
    throw new ProofError(
      'UNSUPPORTED_VERSION',
      `the proof has version ${JSON.stringify(version)}; this program reads ${PROOF_VERSION}`,
    )
  }
  const parsed = proofDocumentSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const place = issue?.path.join('.') || 'the document'
  throw new ProofError('MALFORMED_PROOF', `${place}: ${issue?.message ?? 'is invalid'}`)
}
