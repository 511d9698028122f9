import { z } from 'zod'

/** `low` for a call on behalf of somebody who pays nothing for it: others don't wait behind it. */
const priority = z.enum(['normal', 'low'])

/**
 * One call. The caller chooses `id`; the answer repeats it. Fields of a later version are ignored, as in answers: enclaves
 * and their callers aren't upgraded at the same moment.
 */
export const callSchema = z.object({
  id: z.int().min(0),
  operation: z.string().max(64),
  request: z.unknown(),
  /** Milliseconds for which the caller waits, from now. Default: no limit. */
  withinMs: z.int().min(0).optional(),
  priority: priority.default('normal'),
})

/** One answer: the operation's result, or an error code. */
export const answerSchema = z.union([
  z.object({ id: z.int().min(0), ok: z.literal(true), result: z.unknown() }),
  z.object({
    id: z.int().min(0),
    ok: z.literal(false),
    /** One of `ENCLAVE_ERROR_CODES`, or a later version's. */
    code: z.string().max(64),
    field: z.string().max(128).optional(),
  }),
])

export type Priority = z.infer<typeof priority>
export type Call = z.infer<typeof callSchema>
export type Answer = z.infer<typeof answerSchema>
