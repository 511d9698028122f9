#!/usr/bin/env node
import { explain } from '../commandLine.ts'
import { printable } from '../printable.ts'
import { printableJson } from '../printableJson.ts'
import { createProgressBar } from '../progressBar.ts'
import { readTargets } from '../replay/readTargets.ts'
import { requireWritableFolder } from '../requireWritableFolder.ts'
import { buildAccountingReport, type Report } from './buildAccountingReport.ts'
import { describeChanges, describeReport } from './describeReport.ts'
import { describeVerification } from './describeVerification.ts'
import { parseOptions, type ReportOptions } from './parseOptions.ts'
import { readReportKey } from './signManifest.ts'
import { USAGE } from './usage.ts'
import { verifyReport } from './verifyReport.ts'
import { requireEmpty, writeReport } from './writeReport.ts'

/** Exit codes, as `--help` lists them. */
const EXIT = { equal: 0, different: 1, failed: 2, unchecked: 3 } as const

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${explain('report', error)}\n`)
  process.exitCode = EXIT.failed
}

async function run(args: readonly string[]): Promise<number> {
  const options = parseOptions(args)
  if (options.help) return say(USAGE, EXIT.equal)
  if (options.command === 'verify') return verify(options)
  if (options.command === 'diff') {
    const report = await compose(options)
    return say(options.json ? changesJson(report) : describeChanges(report), EXIT.equal)
  }
  return write(options)
}

async function write(options: ReportOptions): Promise<number> {
  const { directory } = options
  const key = readReportKey(process.env.REPORT_KEY_FILE)
  // Checked first: reading the chains may take long.
  requireWritableFolder('--out', directory)
  await requireEmpty(directory)
  const report = await compose(options)
  const signer = await writeReport(report, directory, key)
  const signed = signer === null ? 'not signed: REPORT_KEY_FILE is not set' : `signed by ${signer}`
  const written = `Written to ${directory}, ${signed}.`
  return say(`${describeReport(report)}\n${written}`, exitCodeOf(report))
}

function compose(options: ReportOptions): Promise<Report> {
  const { chains } = readTargets(process.env, { chains: options.chains, asOfChain: new Map() })
  return buildAccountingReport(chains, options, {
    progress: createProgressBar(process.stderr),
    explain: (line) => process.stderr.write(`${printable(line)}\n`),
  })
}

async function verify({ directory, signer: expected }: ReportOptions): Promise<number> {
  const verification = await verifyReport(directory, expected)
  const isIntact = verification.problems.length === 0
  return say(describeVerification(verification), isIntact ? EXIT.equal : EXIT.different)
}

function exitCodeOf({ faults, unchecked }: Report): number {
  if (faults.length > 0) return EXIT.different
  return unchecked.length > 0 ? EXIT.unchecked : EXIT.equal
}

function changesJson({ books, changes }: Report): string {
  const chains = books.map(({ chain, opening, closing, rows }) => {
    return { chain: chain.name, opening, closing, rows }
  })
  return printableJson({ chains, intents: changes })
}

function say(text: string, exitCode: number): number {
  process.stdout.write(`${printable(text)}\n`)
  return exitCode
}
