import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { formatIsoTimestamp } from '../formatIsoTimestamp.ts'
import type { TokenNames } from './readTokenNames.ts'
import type { Book, Moment } from './replayPeriod.ts'

const hex32 = z.string().regex(/^0x[0-9a-f]{64}$/)
const address = z.string().regex(/^0x[0-9a-f]{40}$/)
const moment = z.strictObject({
  block: z.int().min(0),
  blockHash: hex32,
  time: z.string(),
  stateHash: hex32,
})

/** `manifest.json`: what a report covers, so that anyone can reproduce it, and its files' checksums. */
export const manifestSchema = z.strictObject({
  format: z.literal('cairn-report'),
  version: z.literal(1),
  /** The version of the program that made it. */
  cairn: z.string(),
  chains: z.array(
    z.strictObject({
      name: z.string(),
      chainId: z.int(),
      bridge: address,
      vault: address.nullable(),
      startBlock: z.int(),
      /** The report covers what happened after this block … Null: from the start block on. */
      opening: moment.nullable(),
      /** … up to this one. */
      closing: moment,
    }),
  ),
  tokens: z.array(
    z.strictObject({
      chainId: z.int(),
      address,
      symbol: z.string().nullable(),
      decimals: z.int().nullable(),
      source: z.enum(['configuration', 'token']),
    }),
  ),
  /** Statements that don't close at the contract's balance. */
  faults: z.array(z.string()),
  /** Chains without a node that knew the balances. */
  unchecked: z.array(z.string()),
  files: z.array(
    z.strictObject({
      name: z.string().regex(/^[a-z]+\.(csv|html)$/),
      bytes: z.int(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
})

export type Manifest = z.infer<typeof manifestSchema>

/** A written file. */
export type FileSum = Manifest['files'][number]

/** The manifest of a report. It names no node, no key and no creation time. */
export function composeManifest(
  books: readonly Book[],
  names: TokenNames,
  verdict: Pick<Manifest, 'faults' | 'unchecked'>,
  files: readonly FileSum[],
): Manifest {
  return {
    format: 'cairn-report',
    version: 1,
    cairn: cairnVersion(),
    chains: books.map(({ chain, opening, closing }) => ({
      name: chain.name,
      chainId: chain.chainId,
      bridge: chain.bridge,
      vault: chain.vault ?? null,
      startBlock: chain.startBlock,
      opening: opening && describe(opening),
      closing: describe(closing),
    })),
    tokens: names.all,
    faults: verdict.faults,
    unchecked: verdict.unchecked,
    files: [...files],
  }
}

/** Lower-case hex. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex')
}

function describe({ block, stateHash }: Moment) {
  const { number, hash: blockHash, timestamp } = block
  return { block: number, blockHash, time: formatIsoTimestamp(timestamp), stateHash }
}

function cairnVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
