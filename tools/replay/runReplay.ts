import { MovedError, UnreadableError } from '../../services/chain/history/historyError.ts'
import { ConfigurationError } from '../../services/config/configurationError.ts'
import { parseOptions } from './parseOptions.ts'
import { createProgressBar, type ProgressStream } from './progressBar.ts'
import { readTargets } from './readTargets.ts'
import { replay } from './replay.ts'
import { ReplayError } from './replayError.ts'
import { describeReport, describeVerdict, isSound } from './report.ts'
import { USAGE } from './usage.ts'

/** Where the program's words go. */
type Streams = { stdout: { write(text: string): unknown }; stderr: ProgressStream }

/** The whole program: says what it found. @returns its exit code: 0 sound, 1 not, 2 it couldn't be done */
export async function runReplay(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  streams: Streams,
): Promise<number> {
  try {
    return await replayAndPrint(args, env, streams)
  } catch (error) {
    streams.stderr.write(`${explain(error)}\n`)
    return 2
  }
}

async function replayAndPrint(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { stdout, stderr }: Streams,
): Promise<number> {
  const options = parseOptions(args)
  if (options.help) {
    stdout.write(`${USAGE}\n`)
    return 0
  }
  const reports = await replay(readTargets(env, options), options, {
    progress: createProgressBar(stderr),
    explain: (line) => stderr.write(`${line}\n`),
  })
  stdout.write(
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
