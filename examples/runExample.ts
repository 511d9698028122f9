import { type ParseArgsConfig, parseArgs } from 'node:util'
import { DevnetNotRunningError } from '../devnet/devnetFile.ts'
import { CairnError } from '../sdk/index.ts'

/** A mistake in what the user gave; the message says what to change. */
export class ExampleError extends Error {
  override readonly name = 'ExampleError'
}

type OptionsConfig = NonNullable<ParseArgsConfig['options']>

/** `parseArgs`, with an ExampleError. */
export function readOptions<const Options extends OptionsConfig>(options: Options) {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    throw new ExampleError(error instanceof Error ? error.message : String(error))
  }
}

/**
 * Runs an example. Shows a mistake of its user, a devnet that isn't there and a failure of the SDK in one line, with exit
 * code 2, as the tools do; anything else is a bug.
 */
export async function runExample(run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    process.stderr.write(`${printable(explain(error))}\n`)
    process.exitCode = 2
  }
}

/** Prints a line, parts of which a service may have chosen. */
export function print(line: string): void {
  console.log(printable(line))
}

/** A text without characters that move a terminal's cursor or turn its text around. */
function printable(text: string): string {
  return text.replaceAll(/[^\P{C}\n]/gu, '')
}

function explain(error: unknown): string {
  if (error instanceof ExampleError) return `${error.message} (see --help)`
  if (error instanceof DevnetNotRunningError) return error.message
  if (error instanceof CairnError) return `${error.code}: ${error.message}`.replaceAll('\n', ' ')
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
