import { type Address, isAddress } from 'viem'
import { parseOrderId } from '../../core/order/apiOrderId.ts'
import { CairnError } from './cairnError.ts'

/** Above every amount and id that a contract can hold. */
const TOO_LARGE = 2n ** 256n
const DECIMAL_OR_HEX = /^(\d{1,78}|0x[0-9a-fA-F]{1,64})$/

/** The error for an invalid argument. It doesn't quote the value: one pasted by mistake may be a secret. */
export function invalidArgument(field: string, expected: string): CairnError {
  return new CairnError('INVALID_REQUEST', `${field}: expected ${expected}`, {
    details: { field, expected },
  })
}

/** Above every intent's id, which begins with its chain's. In 64 digits, signed, it could be an order's hash. */
const NO_INTENT = 2n ** 192n

/**
 * An intent's id as a bigint. JavaScript's numbers are refused, because they round ids.
 *
 * @throws CairnError `INVALID_REQUEST`
 */
export function requireIntentId(id: bigint | string, field = 'intentId'): bigint {
  const isText = typeof id === 'string' && DECIMAL_OR_HEX.test(id)
  const value = typeof id === 'bigint' || isText ? BigInt(id) : 0n
  if (value > 0n && value < NO_INTENT) return value
  throw invalidArgument(
    field,
    'an intent’s whole id, such as 1559340170038815817203713n or the same as text',
  )
}

/**
 * An order's id as it was given.
 *
 * @throws CairnError `INVALID_REQUEST`
 */
export function requireOrderId(id: string, field = 'orderId'): string {
  if (typeof id === 'string' && parseOrderId(id) !== null) return id
  throw invalidArgument(
    field,
    'an order’s id: twap- and 32 hex digits, or the vault’s, 0x and 64 hex digits',
  )
}

/**
 * @param strict whether mixed case must be a correct checksum, as viem demands of an address in a call
 * @throws CairnError `INVALID_REQUEST`
 */
export function requireAddress(address: Address, field: string, strict = true): Address {
  if (isAddress(address, { strict })) return address
  throw invalidArgument(
    field,
    'an address: 0x and 40 hex digits, in lower case or with a correct checksum',
  )
}

/**
 * An amount as it was given, which may be negative.
 *
 * @throws CairnError `INVALID_REQUEST`
 */
export function requireAmount(amount: bigint, field: string): bigint {
  if (typeof amount === 'bigint' && amount < TOO_LARGE) return amount
  throw invalidArgument(field, 'an amount in base units, as a bigint such as 100_000_000n')
}
