import { createHash, timingSafeEqual } from 'node:crypto'
import type { ApiContext } from '../apiEnv.ts'
import { ApiError } from '../apiError.ts'

/** Bytes of UTF-8 that an admin token has at least. */
const ADMIN_TOKEN_BYTES = 32

/** Lets operators through. */
export type AdminGate = {
  /**
   * The token's id, for the journal: the first 8 hex digits of its SHA-256. Throws 401 when the request
   * carries no bearer token, 403 when it carries a wrong one.
   */
  enter(c: ApiContext): string
}

/**
 * @param tokens those that are good, several while they are being changed; at least one
 * @throws RangeError for a token shorter than 32 bytes, or none
 */
export function createAdminGate(tokens: readonly string[]): AdminGate {
  const known = tokens.map((token) => {
    if (Buffer.byteLength(token) < ADMIN_TOKEN_BYTES) {
      throw new RangeError(`an admin token has at least ${ADMIN_TOKEN_BYTES} bytes`)
    }
    return digestOf(token)
  })
  if (known.length === 0) throw new RangeError('an admin gate needs at least one token')
  return {
    enter: (c) => {
      const token = bearerOf(c)
      if (token === null) {
        c.header('www-authenticate', 'Bearer')
        throw new ApiError('admin authorization is required', {
          status: 401,
          code: 'UNAUTHORIZED',
        })
      }
      const digest = digestOf(token)
      // Compares every token completely, so that the time taken reveals nothing.
      const matches = known.filter((one) => timingSafeEqual(one, digest))
      if (matches.length === 0) {
        throw new ApiError('the admin token is wrong', { status: 403, code: 'FORBIDDEN' })
      }
      return digest.toString('hex', 0, 4)
    },
  }
}

function bearerOf(c: ApiContext): string | null {
  const header = c.req.header('authorization') ?? ''
  return /^Bearer +(\S+) *$/i.exec(header)?.[1] ?? null
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
