import { z } from 'zod'
import { describeZodError } from './describeZodError.ts'

/** A TCP port. */
export const port = (usual: number) =>
  z
    .string()
    .regex(/^\d{1,5}$/, 'expected a port, 0 to 65535 (0: any free one)')
    .transform(Number)
    .refine((number) => number <= 65_535, 'expected a port, 0 to 65535 (0: any free one)')
    .default(usual)

/** The relayer's base URL, without a slash at the end. */
export const relayerUrl = z
  .url({ error: 'is not set: the relayer’s base URL, https://…', protocol: /^https?$/ })
  .transform((text) => text.replace(/\/+$/, ''))

/** Those of the environment's variables that are set: an empty one isn't. */
export function variablesSet(env: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(env).filter(
    ([, value]) => value !== undefined && value.trim() !== '',
  )
  return Object.fromEntries(entries) as Record<string, string>
}

/**
 * Reads a role's own variables.
 *
 * @param problems what is wrong is added here
 * @returns null when anything is
 */
export function readVariables<Schema extends z.ZodType>(
  schema: Schema,
  env: Record<string, string | undefined>,
  problems: string[],
): z.output<Schema> | null {
  const parsed = schema.safeParse(variablesSet(env))
  if (parsed.success) return parsed.data
  problems.push(
    ...describeZodError(parsed.error).map((text) =>
      text.replace(/^(\w+): is not set/, '$1 is not set'),
    ),
  )
  return null
}
