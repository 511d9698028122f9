import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/openDatabase.ts'
import { chooseEndpointToEvict, type WalletEndpoint } from './chooseEndpointToEvict.ts'

/** A registered webhook, without its secret. */
export type Endpoint = {
  endpointId: string
  /** The wallet that registered it, in lower case, a contract as `eip155:<chain>:<address>`; null: an operator. */
  owner: string | null
  url: string
  intentId: bigint | null
  sender: string | null
  solver: string | null
  chainId: number | null
  types: string[] | null
  mode: 'instant' | 'finalized'
  status: 'active' | 'disabled'
  /** Null on a disabled endpoint: evicted for another one. */
  disabledBy: 'owner' | 'gone' | 'silent' | null
  failures: number
  succeededAt: Date | null
  createdAt: Date
}

type NewEndpoint = Pick<
  Endpoint,
  'endpointId' | 'owner' | 'url' | 'intentId' | 'sender' | 'solver' | 'chainId' | 'types' | 'mode'
> & { keyId: string; sealedSecret: Buffer; requestHash: string | null }

export type EndpointLimits = { ofOwner: number; ofWallets: number }

const COLUMNS =
  sql.raw(`endpoint_id as "endpointId", owner, url, intent_id as "intentId", sender, solver,
  chain_id as "chainId", types, mode, status, disabled_by as "disabledBy", failures,
  succeeded_at as "succeededAt", created_at as "createdAt"`)

/** @returns `used` if the signature was used before; `owner` or `all` if that limit is reached */
export async function insertEndpoint(
  db: Db,
  endpoint: NewEndpoint,
  limits: EndpointLimits,
): Promise<Endpoint | 'used' | 'owner' | 'all'> {
  return db.transaction().execute(async (transaction) => {
    // Makes counting and inserting atomic.
    await sql`lock table app.webhook_endpoint in share row exclusive mode`.execute(transaction)
    const { requestHash, types } = endpoint
    const { rows: same } = await sql`select from app.webhook_endpoint
      where request_hash = ${requestHash} limit 1`.execute(transaction)
    if (same.length > 0) return 'used'
    const reached = await makeRoom(transaction, endpoint, limits)
    if (reached !== null) return reached
    const { rows } = await sql<Endpoint>`
      insert into app.webhook_endpoint (endpoint_id, owner, url, intent_id, sender, solver, chain_id,
        types, mode, key_id, sealed_secret, request_hash)
      values (${endpoint.endpointId}, ${endpoint.owner}, ${endpoint.url},
        ${endpoint.intentId === null ? null : String(endpoint.intentId)}, ${endpoint.sender},
        ${endpoint.solver}, ${endpoint.chainId}, ${types}, ${endpoint.mode}, ${endpoint.keyId},
        ${endpoint.sealedSecret}, ${requestHash})
      returning ${COLUMNS}`.execute(transaction)
    return rows[0]!
  })
}

/** Makes room for one more active endpoint, or returns the limit that prevents it. Operators have no limit. */
async function makeRoom(
  db: Db,
  { owner, url }: Pick<Endpoint, 'owner' | 'url'>,
  { ofOwner, ofWallets }: EndpointLimits,
): Promise<'owner' | 'all' | null> {
  if (owner === null) return null
  const { rows } = await sql<{ own: number; wallets: number }>`
    select count(*) filter (where owner = ${owner})::int as own, count(*)::int as wallets
    from app.webhook_endpoint where owner is not null and status = 'active'`.execute(db)
  const { own, wallets } = rows[0]!
  if (own >= ofOwner) return 'owner'
  if (wallets < ofWallets) return null
  const { rows: active } = await sql<WalletEndpoint>`
    select endpoint_id as "endpointId", url, succeeded_at is not null as "isProven"
    from app.webhook_endpoint where owner is not null and status = 'active'
    order by created_at, endpoint_id`.execute(db)
  const evicted = chooseEndpointToEvict(active, url)
  if (evicted === null) return 'all'
  await sql`update app.webhook_endpoint set status = 'disabled', disabled_by = null
    where endpoint_id = ${evicted}`.execute(db)
  return null
}

/** Counts the active endpoints of wallets. */
export async function countActiveEndpoints(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count
    from app.webhook_endpoint where owner is not null and status = 'active'`.execute(db)
  return rows[0]!.count
}

/** A wallet, which sees its own endpoints, or an operator, who sees all. */
export type Viewer = { owner: string } | 'admin'

/** Lists the viewer's endpoints, newest first. */
export async function listEndpoints(db: Db, viewer: Viewer, limit: number): Promise<Endpoint[]> {
  const { rows } = await sql<Endpoint>`select ${COLUMNS} from app.webhook_endpoint
    where ${ownedBy(viewer)} order by created_at desc limit ${limit}`.execute(db)
  return rows
}

export async function findEndpoint(
  db: Db,
  endpointId: string,
  viewer: Viewer,
): Promise<Endpoint | null> {
  const { rows } = await sql<Endpoint>`select ${COLUMNS} from app.webhook_endpoint
    where endpoint_id = ${endpointId} and ${ownedBy(viewer)}`.execute(db)
  return rows[0] ?? null
}

/**
 * Accepts a change that the owner signed at this time. Times must increase, so that an intercepted signature can't be
 * replayed. Returns false if this time or a later one was used.
 */
export async function takeAction(db: Db, endpointId: string, timestamp: number): Promise<boolean> {
  const { rows } = await sql`update app.webhook_endpoint set acted_at = ${timestamp}
    where endpoint_id = ${endpointId} and acted_at < ${timestamp} returning endpoint_id`.execute(db)
  return rows.length > 0
}

/** Gives an endpoint a new secret; the previous one stays valid for a day. */
export async function rotateSecret(
  db: Db,
  endpointId: string,
  { keyId, sealedSecret }: { keyId: string; sealedSecret: Buffer },
): Promise<void> {
  await sql`update app.webhook_endpoint set previous_secret = sealed_secret,
      previous_until = clock_timestamp() + interval '24 hours',
      key_id = ${keyId}, sealed_secret = ${sealedSecret}
    where endpoint_id = ${endpointId}`.execute(db)
}

export async function disableEndpoint(db: Db, endpointId: string): Promise<void> {
  await sql`update app.webhook_endpoint set status = 'disabled', disabled_by = 'owner'
    where endpoint_id = ${endpointId}`.execute(db)
}

/** Enables an endpoint, or returns the limit that prevents it. */
export async function enableEndpoint(
  db: Db,
  endpoint: Pick<Endpoint, 'endpointId' | 'owner' | 'url'>,
  limits: EndpointLimits,
): Promise<'owner' | 'all' | null> {
  const { endpointId } = endpoint
  return db.transaction().execute(async (transaction) => {
    await sql`lock table app.webhook_endpoint in share row exclusive mode`.execute(transaction)
    const { rows } = await sql`select from app.webhook_endpoint
      where endpoint_id = ${endpointId} and status = 'active'`.execute(transaction)
    const reached = rows.length > 0 ? null : await makeRoom(transaction, endpoint, limits)
    if (reached !== null) return reached
    await sql`update app.webhook_endpoint set status = 'active', disabled_by = null, failures = 0,
        retry_at = null
      where endpoint_id = ${endpointId}`.execute(transaction)
    return null
  })
}

function ownedBy(viewer: Viewer): RawBuilder<unknown> {
  return viewer === 'admin' ? sql`true` : sql`owner = ${viewer.owner}`
}
