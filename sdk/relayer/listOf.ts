import * as z from 'zod/mini'

/**
 * A list of an answer, whose check ends at the first wrong entry. zod describes each: of millions, which a hostile answer can
 * have, that takes minutes and all of a program's memory.
 */
export function listOf<Entry>(entry: z.ZodMiniType<Entry>) {
  return z.pipe(
    z.custom<unknown[]>(Array.isArray),
    z.transform((values, context): Entry[] => {
      const entries: Entry[] = []
      for (const value of values) {
        const parsed = entry.safeParse(value)
        if (!parsed.success) {
          context.issues.push({ code: 'custom', input: values, path: [entries.length] })
          return z.NEVER
        }
        entries.push(parsed.data)
      }
      return entries
    }),
  )
}
