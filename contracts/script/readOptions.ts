import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** `parseArgs`; what it doesn't know is named in one line, with exit code 2. */
export function readOptions<const Options extends ParseArgsOptionsConfig>(options: Options) {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    // Node's message may continue with advice about arguments that begin with a dash.
    const [what] = (error as Error).message.split('. ')
    console.error(`${what}: see --help`)
    return process.exit(2)
  }
}
