import { z } from 'zod'
import { ENCLAVE_ERROR_CODES } from '../enclaveError.ts'

/** `low` for a call on behalf of somebody who pays nothing for it: others don't wait behind it. */
const priority = z.enum(['normal', 'low'])

/** One call. The caller chooses `id`; the answer repeats it. */
export const callSchema = z.strictObject({
  id: z.int().min(0),
  operation: z.string().max(64),
  request: z.unknown(),
  /** Milliseconds for which the caller waits, from now. Default: no limit. */
  withinMs: z.int().min(0).optional(),
  priority: priority.default('normal'),
})

/** One answer: the operation's result, or an error code. */
export const answerSchema = z.union([
  z.strictObject({ id: z.int().min(0), ok: z.literal(true), result: z.unknown() }),
  z.strictObject({
    id: z.int().min(0),
    ok: z.literal(false),
    code: z.enum(ENCLAVE_ERROR_CODES),
    field: z.string().max(128).optional(),
  }),
])

export type Priority = z.infer<typeof priority>
export type Call = z.infer<typeof callSchema>
export type Answer = z.infer<typeof answerSchema>
