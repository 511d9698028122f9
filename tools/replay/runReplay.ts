import { readSecretFiles } from '../../services/config/readSecretFiles.ts'
import { explain } from '../commandLine.ts'
import { printable } from '../printable.ts'
import { printableJson } from '../printableJson.ts'
import { createProgressBar, type ProgressStream } from '../progressBar.ts'
import { requireWritableFolder } from '../requireWritableFolder.ts'
import { parseOptions } from './parseOptions.ts'
import { readTargets } from './readTargets.ts'
import { replay } from './replay.ts'
import { describeReport, describeVerdict, isSound } from './replayReport.ts'
import { USAGE } from './usage.ts'

type Streams = { stdout: { write(text: string): unknown }; stderr: ProgressStream }

/** Runs the program and prints its report. @returns the exit code: 0 sound, 1 not, 2 failed */
export async function runReplay(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  streams: Streams,
): Promise<number> {
  try {
    return await replayAndPrint(args, env, streams)
  } catch (error) {
    streams.stderr.write(`${explain('replay', error)}\n`)
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
  readSecretFiles(env)
  const targets = readTargets(env, options)
  if (options.exportTo !== null) requireWritableFolder('--export', options.exportTo)
  const reports = await replay(targets, options, {
    progress: createProgressBar(stderr),
    explain: (line) => stderr.write(`${printable(line)}\n`),
  })
  stdout.write(
    options.json
      ? `${printableJson({ verdict: describeVerdict(reports), chains: reports }, { replacer: withBigints })}\n`
      : `${printable([...reports.map(describeReport), describeVerdict(reports)].join('\n\n'))}\n`,
  )
  return reports.every(isSound) ? 0 : 1
}

function withBigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
