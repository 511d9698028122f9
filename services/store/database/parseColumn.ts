import pg from 'pg'

/** Object ids of PostgreSQL's built-in types. */
const INT8 = 20
const NUMERIC = 1700

/**
 * How column values are parsed: `int8` as numbers (block numbers, unix seconds, chain ids, nonces and
 * log sequences stay far below 2^53), `numeric` as bigints: here all are integers.
 */
export const parseColumn: typeof pg.types.getTypeParser = ((
  oid: number,
  format?: 'text' | 'binary',
) => {
  if (oid === INT8) return Number
  if (oid === NUMERIC) return BigInt
  return format === 'binary'
    ? pg.types.getTypeParser(oid, 'binary')
    : pg.types.getTypeParser(oid, 'text')
}) as typeof pg.types.getTypeParser
