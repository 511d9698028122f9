import { createReadStream } from 'node:fs'
import { MAX_PROOF_LENGTH, parseProof } from '../../core/proof/parseProof.ts'
import { ProofError } from '../../core/proof/proofError.ts'
import { type ProvenIntent, verifyIntentProof } from '../../core/proof/verifyIntentProof.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { printable } from '../printable.ts'
import { printableJson } from '../printableJson.ts'
import {
  type ChainAnswer,
  compareHeadersWithChain,
  NodeUnreachableError,
  NotCanonicalError,
} from './compareHeadersWithChain.ts'
import { formatReport } from './formatReport.ts'
import { readArguments, USAGE, UsageError, type VerifyArguments } from './readArguments.ts'
import { buildVerificationReport } from './verificationReport.ts'

/** Exit codes, as `--help` lists them. */
const EXIT = { proven: 0, falseProof: 1, usage: 2, unconfirmed: 3 } as const

process.exitCode = await run(process.argv.slice(2))

async function run(argv: readonly string[]): Promise<number> {
  try {
    const requested = readArguments(argv)
    if (requested.help) {
      console.log(USAGE)
      return EXIT.proven
    }
    await verify(requested)
    return EXIT.proven
  } catch (error) {
    return explain(error, argv.includes('--json'))
  }
}

async function verify(requested: VerifyArguments): Promise<void> {
  const [first, ...more] = await Promise.all(requested.files.map(readProof))
  const proven = await verifyIntentProof([first!, ...more])
  checkBridges(proven, requested.bridges)
  const answers = await compareWithChains(proven, requested.rpc)
  const report = buildVerificationReport(proven, {
    answers,
    trustedBridges: new Set(requested.bridges.keys()),
  })
  console.log(requested.json ? printableJson(report) : printable(formatReport(report)))
}

async function readProof(file: string) {
  return parseProof(await readBounded(file))
}

/** Stops reading beyond the limit: the file may be hostile. */
async function readBounded(file: string): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    const stream = file === '-' ? process.stdin : createReadStream(file)
    for await (const chunk of stream) {
      bytes += chunk.length
      if (bytes > MAX_PROOF_LENGTH) break
      chunks.push(chunk)
    }
  } catch (cause) {
    throw new UsageError(`${file} can't be read: ${(cause as Error).message}`, { cause })
  }
  if (bytes > MAX_PROOF_LENGTH) {
    throw new ProofError('TOO_LARGE', `${file} has more than ${MAX_PROOF_LENGTH} bytes`)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function checkBridges(proven: ProvenIntent, trusted: ReadonlyMap<number, Hex>): void {
  for (const { chainId, address } of proven.bridges) {
    const expected = trusted.get(chainId)
    if (expected !== undefined && expected !== address) {
      throw new ProofError(
        'LOG_OF_ANOTHER_CONTRACT',
        `the events of chain ${chainId} are from ${address}, not from the bridge ${expected}`,
      )
    }
  }
}

async function compareWithChains(
  proven: ProvenIntent,
  rpc: ReadonlyMap<number, string>,
): Promise<ChainAnswer[]> {
  const all = proven.deployment === null ? proven.events : [proven.deployment, ...proven.events]
  const answers: ChainAnswer[] = []
  for (const [chainId, url] of rpc) {
    const events = all.filter(({ event }) => event.point.chainId === chainId)
    answers.push(await compareHeadersWithChain(chainId, url, events))
  }
  return answers
}

function explain(error: unknown, json: boolean): number {
  const [exitCode, code] = classify(error)
  const words = error instanceof Error ? error.message : String(error)
  // The file may name anything, but mustn't write lines of its own to a terminal.
  const message = exitCode === EXIT.usage ? printable(words) : words.replaceAll(/[\p{C}\s]+/gu, ' ')
  if (json) console.log(printableJson({ proven: false, code, error: message }, { indent: 0 }))
  else console.error(`${code}: ${message}`)
  if (exitCode === EXIT.usage && !json) console.error(`\n${USAGE}`)
  return exitCode
}

function classify(error: unknown): [exitCode: number, code: string] {
  if (error instanceof ProofError) return [EXIT.falseProof, error.code]
  if (error instanceof UsageError) return [EXIT.usage, 'USAGE']
  if (error instanceof NotCanonicalError) return [EXIT.unconfirmed, 'NOT_CANONICAL']
  if (error instanceof NodeUnreachableError) return [EXIT.unconfirmed, 'RPC_UNREACHABLE']
  // A bug in this program proves nothing either.
  return [EXIT.falseProof, 'INTERNAL_ERROR']
}
