import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/**
 * A benchmark's options. `--help` tells what there is and ends the program; so does an option that is none
 * or a number that is none, with exit code 2.
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
