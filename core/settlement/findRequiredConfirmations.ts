/** Confirmations required of a payment, by chain, and by token for large amounts. */
type Confirmations = {
  confirmations: number
  tokens?:
    | Record<
        string,
        { address: string; confirmations?: { from: string; blocks: number }[] | undefined }
      >
    | undefined
}

/**
 * Confirmations required of a payment before anyone acts on it: the chain's number, or more for a large amount of a
 * token with a table of its own.
 *
 * @param token lower case
 * @param amount base units of the token
 */
export function findRequiredConfirmations(
  chain: Confirmations,
  token: string,
  amount: bigint,
): number {
  const config = Object.values(chain.tokens ?? {}).find(
    ({ address }) => address.toLowerCase() === token,
  )
  const steps = config?.confirmations ?? []
  const reached = steps.filter(({ from }) => amount >= BigInt(from)).map(({ blocks }) => blocks)
  return Math.max(chain.confirmations, ...reached)
}
