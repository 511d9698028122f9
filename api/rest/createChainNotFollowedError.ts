import { BadRequestError } from '../http/apiError.ts'

/** The failure of a request about a chain that isn't configured here. */
export function createChainNotFollowedError(): BadRequestError {
  return new BadRequestError(
    'the chain is not followed here: GET /chains lists those that are',
    'UNSUPPORTED_CHAIN',
  )
}
