import { z } from 'zod'
import { ENCLAVE_ERROR_CODES } from '../enclaveError.ts'

/** One call. `id` is the caller's own, and comes back with the answer. */
export const callSchema = z.strictObject({
  id: z.int().min(0),
  operation: z.string().max(64),
  request: z.unknown(),
})

/** One answer: what the operation's schema says, or a code. */
export const answerSchema = z.union([
  z.strictObject({ id: z.int().min(0), ok: z.literal(true), result: z.unknown() }),
  z.strictObject({
    id: z.int().min(0),
    ok: z.literal(false),
    code: z.enum(ENCLAVE_ERROR_CODES),
    field: z.string().max(128).optional(),
  }),
])

export type Call = z.infer<typeof callSchema>
export type Answer = z.infer<typeof answerSchema>
