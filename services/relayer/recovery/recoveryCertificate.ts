import type pg from 'pg'
import { countMissingIntents } from '../../../core/intent/countMissingIntents.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { NodesReport } from '../../indexer/history/comparedNodes.ts'
import { NOT_DERIVED } from './recoverChain.ts'
import type { RecoveredIntents } from './recoveredIntents.ts'

/** One chain's certificate. Ids are decimal. */
export type ChainCertificate = {
  chainId: number
  name: string
  bridge: Hex
  /** The blocks that were read, inclusive. */
  blocks: { from: number; to: number; toHash: Hex }
  /** Which nodes were read, and what was believed of them. */
  nodes: NodesReport
  intents: {
    count: number
    first: string | null
    last: string | null
    /** Intents whose creation no node gave, by the bridge's count or the last id: reading started too late, or a node omits them. */
    missing: number
  }
  blobs: {
    seen: number
    opened: number
    unreadable: UnreadableBlob[]
  }
  /** Stealth addresses of the chain's intents for registered wallets, on all destinations. */
  stealthAddresses: {
    /** How many of them the database has. */
    count: number
    /** Bundles with a Safe that no root derives with the configured contracts. */
    notDerived: UnreadableBlob[]
  }
  /** Intents without recipients on chain, usually because none were sent. */
  intentsWithoutBlob: string[]
  rows: { bundles: number }
  /** SHA-256 of these rows in any order. */
  stateHash: Hex
}

type UnreadableBlob = {
  intentId: string
  event: string
  block: number
  logIndex: number
  reason: string
}

/** What was read of a chain. */
type ReadChain = Pick<ChainCertificate, 'chainId' | 'name' | 'bridge' | 'blocks' | 'nodes'>

/**
 * Creates a chain's certificate from the book and the database's current rows.
 *
 * @param created how many intents the bridge has counted; null when no node says
 */
export async function certifyChain(
  client: pg.ClientBase,
  read: ReadChain,
  book: RecoveredIntents,
  created: bigint | null,
): Promise<ChainCertificate> {
  const ids = [...book.intents.keys()]
  const problems = await problemsOf(client, read.chainId)
  const notDerived = problems.filter(({ reason }) => reason === NOT_DERIVED)
  const unreadable = problems.filter(({ reason }) => reason !== NOT_DERIVED)
  const withoutBlob = ids.filter((id) => !book.intents.get(id)!.hasBlob)
  const last = ids.at(-1)
  const { bundles, addresses, stateHash } = await stateOf(client, read.chainId)
  const certificate: ChainCertificate = {
    ...read,
    intents: {
      count: ids.length,
      first: ids[0]?.toString() ?? null,
      last: last?.toString() ?? null,
      missing: countMissingIntents(ids, created),
    },
    blobs: { seen: book.blobs, opened: book.blobs - unreadable.length, unreadable },
    stealthAddresses: { count: addresses, notDerived },
    intentsWithoutBlob: withoutBlob.map(String),
    rows: { bundles },
    stateHash,
  }
  await client.query(
    'update app.recovery set finished_at = now(), certificate = $2 where chain_id = $1',
    [read.chainId, JSON.stringify(certificate)],
  )
  return certificate
}

async function problemsOf(client: pg.ClientBase, chainId: number): Promise<UnreadableBlob[]> {
  const { rows } = await client.query(
    `select intent_id::text as "intentId", event, block_number::integer as block,
       log_index as "logIndex", reason
     from app.recovery_problem where chain_id = $1 order by block_number, log_index`,
    [chainId],
  )
  return rows
}

/** Reads what the database has of a chain; see the certificate. */
async function stateOf(client: pg.ClientBase, chainId: number) {
  // The upper part of an intent's id is the chain that created it.
  const { rows } = await client.query(
    `select count(*)::integer as bundles,
       encode(sha256(sha256(coalesce(
         string_agg(sha256(convert_to(line, 'UTF8')), ''::bytea order by line), ''))), 'hex') as hash,
       (select count(*)::integer from app.stealth_entry
         where intent_id >= $2::numeric and intent_id < $3::numeric) as addresses
     from (select concat_ws(' ', 'bundle', intent_id, encode(params_hash, 'hex'),
         encode(sealed, 'hex'), n, is_signed, stored_at) as line
       from app.bundle where source_chain_id = $1) as bundle`,
    [chainId, String(BigInt(chainId) << 64n), String(BigInt(chainId + 1) << 64n)],
  )
  const [{ bundles, hash, addresses }] = rows
  return { bundles, addresses, stateHash: `0x${hash}` as Hex }
}

/** The result of the whole recovery. */
export type RecoveryCertificate = {
  format: 'cairn-recovery-certificate'
  version: 3
  /** ISO 8601. */
  issuedAt: string
  /** The enclave's current ECIES key, 65 bytes. */
  eciesPublicKey: Hex
  /** Whether every blob was opened, all of its Safes were derived, and no intent is missing. */
  isComplete: boolean
  chains: readonly ChainCertificate[]
}

export function buildRecoveryCertificate(
  chains: readonly ChainCertificate[],
  eciesPublicKey: Hex,
): RecoveryCertificate {
  const isComplete = chains.every(
    ({ blobs, stealthAddresses, intents }) =>
      blobs.unreadable.length === 0 &&
      stealthAddresses.notDerived.length === 0 &&
      intents.missing === 0,
  )
  return {
    format: 'cairn-recovery-certificate',
    version: 3,
    issuedAt: new Date().toISOString(),
    eciesPublicKey,
    isComplete,
    chains,
  }
}

/** Lines printed of each list. The JSON has all of them. */
const SHOWN = 10

/** Formats a chain's certificate as text. */
export function describeCertificate(chain: ChainCertificate): string {
  const { name, chainId, blocks, intents, blobs, stealthAddresses } = chain
  const { intentsWithoutBlob, rows, stateHash } = chain
  return [
    `${name} (${chainId}), blocks ${blocks.from} to ${blocks.to} (${blocks.toHash})`,
    `  intents              ${intents.count}${intents.last === null ? '' : `, ${intents.first} to ${intents.last}`}`,
    ...(intents.missing > 0
      ? [
          `  not found            ${intents.missing}: the start block is after their creation, or the node omits it; name an earlier block, or another node, and run again`,
        ]
      : []),
    `  blobs opened         ${blobs.opened} of ${blobs.seen}`,
    ...some(blobs.unreadable, ({ intentId, event, block, reason }) => {
      return `    unreadable         intent ${intentId}, ${event} in block ${block}: ${reason}`
    }),
    ...(blobs.unreadable.some(({ reason }) => reason === 'UNKNOWN_KEY')
      ? [
          '    UNKNOWN_KEY        if one of your roots isn’t in the root file, add it, and run again',
        ]
      : []),
    `  stealth addresses    ${stealthAddresses.count}`,
    ...some(stealthAddresses.notDerived, ({ intentId, event, block }) => {
      return `    not derived        of intent ${intentId}, ${event} in block ${block}: its chain isn’t configured, or a root is missing`
    }),
    `  intents without blob ${intentsWithoutBlob.length}`,
    ...some(intentsWithoutBlob, (id) => `    without blob       intent ${id}`),
    `  rows                 ${rows.bundles} bundles`,
    `  state hash           ${stateHash}`,
  ].join('\n')
}

function some<Item>(items: readonly Item[], line: (item: Item) => string): string[] {
  const more = items.length - SHOWN
  return [...items.slice(0, SHOWN).map(line), ...(more > 0 ? [`    … and ${more} more`] : [])]
}
