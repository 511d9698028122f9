import { createHash } from 'node:crypto'

/** Schema of the functions and working tables; dropped after seeding. */
export const SEED_SCHEMA = 'cairn_seed'

/**
 * Pure SQL functions that turn numbers into hashes, addresses and dice; PostgreSQL inlines them. `dice(n, salt, sides)` is the
 * only source of randomness, so the same seed generates the same history.
 */
export function buildSeedSqlFunctions(seed: number): string[] {
  return [
    `drop schema if exists ${SEED_SCHEMA} cascade`,
    `create schema ${SEED_SCHEMA}`,
    `create function ${SEED_SCHEMA}.dice(n bigint, salt int, sides int) returns int
       language sql immutable parallel safe
       return ((hashint8extended(n, ${BigInt(seed)} * 1000 + salt) & 2147483647) % sides)::int`,
    `create function ${SEED_SCHEMA}.hash(chain bigint, n bigint, kind int) returns text
       language sql immutable parallel safe
       return '0x' || encode(sha256(int8send(chain) || int8send(n) || int4send(kind)), 'hex')`,
    `create function ${SEED_SCHEMA}.account(role text, n int) returns text
       language sql immutable parallel safe
       return '0x' || substr(encode(sha256(convert_to(role || ' ' || n, 'UTF8')), 'hex'), 1, 40)`,
    `create function ${SEED_SCHEMA}.packed(chain bigint, n bigint) returns numeric
       language sql immutable parallel safe
       return chain::numeric * 18446744073709551616 + n`,
  ]
}

/** The address that `account(role, n)` gives in SQL. */
export function accountOf(role: string, n: number): `0x${string}` {
  return `0x${createHash('sha256').update(`${role} ${n}`).digest('hex').slice(0, 40)}`
}

/** A token's address on a chain. */
export function tokenOf(symbol: string, chainId: number): `0x${string}` {
  return accountOf(`token ${symbol}`, chainId)
}
