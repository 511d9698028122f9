import { resendSigned } from '../../../services/chain/transactions/resendSigned.ts'
import {
  ACCOUNT,
  type Behaviour,
  fakeSenderPass,
  NEXT,
  signedTransaction,
  TO,
} from './fakeSenderPass.ts'

export type Described = Parameters<typeof signedTransaction>[0]

/** What one pass does about signed transactions. */
export async function resend(behaviour: Behaviour, ...described: Described[]): Promise<unknown[]> {
  const { pass, did } = fakeSenderPass(behaviour)
  await resendSigned(pass, described.map(signedTransaction))
  return did
}

export const SENT_AGAIN = ['broadcast 0x1111', 'row sent', 'sent']
const SENT_ANEW = ['broadcast 0x9999', 'row sent', 'sent']

/** What one would pay first, 12.5 % more than the earlier version, and twice as much. */
export const FIRST_FEES = { maxFeePerGas: 2_010n, maxPriorityFeePerGas: 10n }
export const HIGHER_FEES = { maxFeePerGas: 5_626n, maxPriorityFeePerGas: 20n }
export const DOUBLE_FEES = { maxFeePerGas: 10_001n, maxPriorityFeePerGas: 21n }

/** What is done to replace the call by an empty transfer, and by itself. */
export const cancelled = (fees: object, gas = 21_000n) => [
  { nonce: NEXT, to: ACCOUNT, data: '0x', value: 0n, gas, ...fees },
  'saved',
  'cancelled',
  ...SENT_ANEW,
]
export const replaced = (fees: object, gas = 100_000n) => [
  { nonce: NEXT, to: TO, data: '0x1234', value: 3n, gas, ...fees },
  'saved',
  'replaced',
  ...SENT_ANEW,
]

/** Milliseconds after which nothing is too soon. */
export const LONG = 3_600_000
export const unsent = { msSinceSent: null }
/** Calls need 125,000 gas, not the 100,000 that they needed. */
export const OTHER_GAS = { call: 100_000n } as const
