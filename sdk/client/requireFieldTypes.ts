import { invalidArgument, requireAddress, requireAmount } from '../errors/invalidArgument.ts'
import type { IntentRequest } from './intentRequest.ts'

/**
 * Checks the types of a request's fields, for callers without TypeScript, and that its tokens and viewers are addresses.
 *
 * @throws CairnError `INVALID_REQUEST`
 */
export function requireFieldTypes(request: Omit<IntentRequest, 'deadline'>): void {
  const { tokenIn, tokenOut, amountIn, minAmountOut, reward, recipients } = request
  const { metadata = {}, viewers = [] } = request
  requireAddress(tokenIn, 'tokenIn')
  requireAddress(tokenOut, 'tokenOut')
  requireAmount(amountIn, 'amountIn')
  requireAmount(minAmountOut, 'minAmountOut')
  requireAmount(reward, 'reward')
  if (!Array.isArray(recipients)) {
    throw invalidArgument('recipients', 'a list such as [{ address: "0x…", amount: 95_000_000n }]')
  }
  for (const [at, { amount }] of recipients.entries()) {
    requireAmount(amount, `recipients.${at}.amount`)
  }
  for (const [at, viewer] of viewers.entries()) requireAddress(viewer, `viewers.${at}`)
  for (const [name, value] of Object.entries(metadata)) {
    if (typeof value !== 'string' || !value.isWellFormed()) {
      throw invalidArgument(`metadata.${name}`, 'well-formed text')
    }
  }
}
