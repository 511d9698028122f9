import type pg from 'pg'
import { unpackIntentId } from '../../../core/intent/id.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { IntentBook } from './intentBook.ts'
import { NOT_DERIVED } from './recordUnderivedSafes.ts'

/** The certificate of one chain. Ids are decimal. */
export type ChainCertificate = {
  chainId: number
  name: string
  bridge: Hex
  /** The blocks that were read, both included. */
  blocks: { from: number; to: number; toHash: Hex }
  intents: {
    count: number
    first: string | null
    last: string | null
    /** Ids up to the last without a creation: only when reading began too late. */
    missing: number
  }
  blobs: {
    seen: number
    opened: number
    unreadable: UnreadableBlob[]
  }
  /** The stealth addresses of the chain's intents for registered wallets, on all destinations. */
  stealthAddresses: {
    /** How many the database has. */
    count: number
    /** Bundles with a Safe that no root derives with the configured contracts. */
    notDerived: UnreadableBlob[]
  }
  /** Intents without recipients on chain, usually because none were sent. */
  intentsWithoutBlob: string[]
  rows: { bundles: number }
  /** SHA-256 over these rows, whatever their order. */
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
type ReadChain = Pick<ChainCertificate, 'chainId' | 'name' | 'bridge' | 'blocks'>

/** Writes a chain's certificate, from the book and the database's present rows. */
export async function certifyChain(
  client: pg.ClientBase,
  read: ReadChain,
  book: IntentBook,
): Promise<ChainCertificate> {
  const ids = [...book.intents.keys()]
  const problems = await problemsOf(client, read.chainId)
  const notDerived = problems.filter(({ reason }) => reason === NOT_DERIVED)
  const unreadable = problems.filter(({ reason }) => reason !== NOT_DERIVED)
  const withoutBlob = ids.filter((id) => !book.intents.get(id)!.hasBlob)
  const last = ids.at(-1)
  const certificate: ChainCertificate = {
    ...read,
    intents: {
      count: ids.length,
      first: ids[0]?.toString() ?? null,
      last: last?.toString() ?? null,
      missing: last === undefined ? 0 : Number(unpackIntentId(last).sequence) - ids.length,
    },
    blobs: { seen: book.blobs, opened: book.blobs - unreadable.length, unreadable },
    stealthAddresses: { count: await countStealthAddresses(client, read.chainId), notDerived },
    intentsWithoutBlob: withoutBlob.map(String),
    ...(await stateOf(client, read.chainId)),
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

/** By the id of the intent, whose upper part is the chain that it was created on. */
async function countStealthAddresses(client: pg.ClientBase, chainId: number): Promise<number> {
  const { rows } = await client.query(
    `select count(*)::integer as count from app.stealth_entry
     where intent_id >= $1::numeric and intent_id < $2::numeric`,
    [String(BigInt(chainId) << 64n), String(BigInt(chainId + 1) << 64n)],
  )
  return rows[0].count
}

/** Rows of a table, each as the text of its columns; they are hashed in the order of these texts. */
const STATE = {
  bundles: `select concat_ws(' ', 'bundle', intent_id, encode(params_hash, 'hex'),
      encode(sealed, 'hex'), n, is_signed, stored_at) as line
    from app.bundle where source_chain_id = $1`,
} as const

/** How many rows a chain has, and one hash over all of them. */
async function stateOf(
  client: pg.ClientBase,
  chainId: number,
): Promise<Pick<ChainCertificate, 'rows' | 'stateHash'>> {
  const counts: Record<string, number> = {}
  const hashes: string[] = []
  for (const [name, query] of Object.entries(STATE)) {
    const { rows } = await client.query(
      `select count(*)::integer as count,
         encode(sha256(coalesce(string_agg(sha256(convert_to(line, 'UTF8')), ''::bytea order by line), '')), 'hex') as hash
       from (${query}) as state`,
      [chainId],
    )
    counts[name] = rows[0].count
    hashes.push(rows[0].hash)
  }
  const { rows } = await client.query(`select encode(sha256(decode($1, 'hex')), 'hex') as hash`, [
    hashes.join(''),
  ])
  return { rows: counts as ChainCertificate['rows'], stateHash: `0x${rows[0].hash}` }
}

/** The whole recovery's result. */
export type RecoveryCertificate = {
  format: 'cairn-recovery-certificate'
  version: 3
  /** ISO 8601. */
  issuedAt: string
  /** The enclave's current ECIES key, 65 bytes. */
  eciesPublicKey: Hex
  /** Whether every blob that was seen could be opened and its Safes derived, and no intent is missing. */
  isComplete: boolean
  chains: readonly ChainCertificate[]
}

/** The certificate over all chains. */
export function certificateOf(
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
    ...{ eciesPublicKey, isComplete, chains },
  }
}
