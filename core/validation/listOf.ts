import * as z from 'zod/mini'

/**
 * A list from a node or a relayer, whose check ends at the first wrong entry. zod describes each: of millions, which a hostile
 * answer can have, that takes minutes and all of a program's memory.
 */
export function listOf<Entry extends z.core.$ZodType>(entry: Entry) {
  return z.pipe(
    z.custom<unknown[]>(Array.isArray),
    z.transform((values, context): z.output<Entry>[] => {
      const entries: z.output<Entry>[] = []
      for (const value of values) {
        const parsed = z.safeParse(entry, value)
        if (!parsed.success) {
          const message = parsed.error.issues[0]?.message
          context.issues.push({ code: 'custom', message, input: values, path: [entries.length] })
          return z.NEVER
        }
        entries.push(parsed.data)
      }
      return entries
    }),
  )
}
