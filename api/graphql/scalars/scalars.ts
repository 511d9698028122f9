import { GraphQLScalarType } from 'graphql'
import { addressScalar } from './address.ts'
import { bigIntScalar } from './bigInt.ts'
import { blockNumberScalar } from './blockNumber.ts'
import { chainIdScalar } from './chainId.ts'
import { dateScalar } from './date.ts'
import { dateTimeScalar } from './dateTime.ts'
import { decimalScalar } from './decimal.ts'
import { hexScalar } from './hex.ts'
import { secondsScalar } from './seconds.ts'

/** Answered only, never asked for. */
const jsonScalar = new GraphQLScalarType({ name: 'JSON' })

/** Every scalar of the schema beside GraphQL's own. */
export const SCALARS = {
  Address: addressScalar,
  BigInt: bigIntScalar,
  BlockNumber: blockNumberScalar,
  ChainId: chainIdScalar,
  Date: dateScalar,
  DateTime: dateTimeScalar,
  Decimal: decimalScalar,
  Hex: hexScalar,
  JSON: jsonScalar,
  Seconds: secondsScalar,
}
