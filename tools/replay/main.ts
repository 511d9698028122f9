#!/usr/bin/env node
import { MovedError, UnreadableError } from '../../services/chain/history/historyError.ts'
import { ConfigurationError } from '../../services/config/configurationError.ts'
import { parseOptions } from './parseOptions.ts'
import { createProgress } from './progress.ts'
import { readTargets } from './readTargets.ts'
import { replay } from './replay.ts'
import { ReplayError } from './replayError.ts'
import { describeReport, describeVerdict, isSound } from './report.ts'
import { USAGE } from './usage.ts'

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exitCode = 2
}

async function run(args: readonly string[]): Promise<number> {
  const options = parseOptions(args)
  if (options.help) {
    process.stdout.write(`${USAGE}\n`)
    return 0
  }
  const reports = await replay(readTargets(process.env, options), options, {
    progress: createProgress(process.stderr),
    explain: (line) => process.stderr.write(`${line}\n`),
  })
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ verdict: describeVerdict(reports), chains: reports }, withBigints, 2)}\n`
      : `${[...reports.map(describeReport), describeVerdict(reports)].join('\n\n')}\n`,
  )
  return reports.every(isSound) ? 0 : 1
}

/** Our own errors say all there is to say; others come with their stack. */
function explain(error: unknown): string {
  const known = [ReplayError, UnreadableError, MovedError, ConfigurationError].some(
    (kind) => error instanceof kind,
  )
  if (!(error instanceof Error)) return String(error)
  if (known || error.name === 'RpcError') return `replay: ${error.message}`
  return error.stack ?? error.message
}

function withBigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
