import { printable } from '../printable.ts'
import { printableJson } from '../printableJson.ts'
import { connectChain } from './connectChain.ts'
import { describeFailure } from './describeFailure.ts'
import { readPrivateKeys } from './readPrivateKeys.ts'
import { sweep } from './sweep.ts'
import { parseOptions, type SweepOptions } from './sweepOptions.ts'
import { formatReport, type Report } from './sweepReport.ts'
import { USAGE } from './usage.ts'

/** Exit codes, as `--help` lists them. */
const EXIT = { done: 0, leftBehind: 1, failed: 2 } as const

type Output = { log(text: string): void; error(text: string): void }

/** Runs the program and prints its report. @returns the exit code */
export async function runSweep(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  terminal: Output,
): Promise<number> {
  const output: Output = {
    log: (text) => terminal.log(printable(text)),
    error: (text) => terminal.error(printable(text)),
  }
  try {
    const options = parseOptions(args, env)
    if (options === null) {
      output.log(USAGE)
      return EXIT.done
    }
    return await sweepAndPrint(options, env, output)
  } catch (error) {
    return explain(error, args.includes('--json'), output)
  }
}

async function sweepAndPrint(
  options: SweepOptions,
  env: NodeJS.ProcessEnv,
  output: Output,
): Promise<number> {
  const accounts = readPrivateKeys(options, env)
  const chain = await connectChain(options.rpcUrl, accounts.payer, options.maxFeePerGas)
  const report = await sweep(chain, accounts, options)
  output.log(options.json ? printableJson(report) : formatReport(report, chain.name))
  if (report.failures.length > 0) {
    for (const { code, error } of report.failures) output.error(`${code}: ${error}`)
    return EXIT.failed
  }
  return isSomethingLeft(report) ? EXIT.leftBehind : EXIT.done
}

function isSomethingLeft({ safes }: Report): boolean {
  return safes.some(({ left }) => left.length > 0)
}

function explain(error: unknown, json: boolean, output: Output): number {
  const { code, message } = describeFailure(error)
  if (json) output.log(printableJson({ success: false, code, error: message }, { indent: 0 }))
  else output.error(`${code}: ${message}`)
  if (code === 'USAGE' && !json) output.error(`\n${USAGE}`)
  return EXIT.failed
}
