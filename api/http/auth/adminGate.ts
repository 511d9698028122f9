import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../apiError.ts'
import type { ApiContext } from '../honoEnvironment.ts'

/** Minimum length of an admin token, in bytes of UTF-8. */
const ADMIN_TOKEN_BYTES = 32

/** Authenticates operators by bearer token. */
export type AdminGate = {
  /**
   * Returns the token's id for the audit log: the first 8 hex digits of its SHA-256. Throws 401 if the
   * request has no bearer token, 403 if the token is wrong.
   */
  enter(c: ApiContext): string
}

/**
 * @param tokens the valid tokens: at least one, several during a rotation
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
        throw new ApiError('an admin token is required: send it as Authorization: Bearer', {
          status: 401,
          code: 'UNAUTHORIZED',
        })
      }
      const digest = digestOf(token)
      // Compares with all tokens in constant time: timing must not reveal anything about them.
      const matches = known.filter((valid) => timingSafeEqual(valid, digest))
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
