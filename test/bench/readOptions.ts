import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/**
 * Reads the options of a benchmark or campaign. `--help` prints the usage and exits; an unknown option or an invalid number prints the
 * error and the usage, and exits with code 2.
 *
 * @param usage a line for each option
 * @param numbers options that are whole numbers above zero
 */
export function readOptions<const Options extends ParseArgsOptionsConfig>(
  usage: string,
  options: Options,
  numbers: readonly (keyof Options & string)[] = [],
) {
  try {
    const { help, ...values } = parseArgs({
      options: { ...options, help: { type: 'boolean', short: 'h' } },
    }).values as ReturnType<typeof parseArgs<{ options: Options }>>['values'] & { help?: boolean }
    if (help) {
      process.stdout.write(`${usage}\n`)
      process.exit(0)
    }
    for (const name of numbers) {
      const value: unknown = (values as Record<string, unknown>)[name]
      if (!Number.isSafeInteger(Number(value)) || Number(value) < 1) {
        throw new Error(`--${name} takes a whole number above zero, not '${value}'`)
      }
    }
    return values as ReturnType<typeof parseArgs<{ options: Options }>>['values']
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`)
    process.exit(2)
  }
}
