import { z } from '@hono/zod-openapi'

/** How many rows a page shall have, within 1 and `most`. */
export function limitInput(usual: number, most: number) {
  return z
    .string()
    .regex(/^[0-9]{1,6}$/, `expected a number, 1 to ${most}`)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= most, `expected a number, 1 to ${most}`)
    .default(usual)
    .openapi({ type: 'integer', minimum: 1, maximum: most })
}
