/** Blocks on top of a payment's block before it is acted on, by chain, and by token for large amounts. */
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
 * Blocks on top of a payment's block before it is acted on: the chain's number, or more for a large
 * amount of a token that has its own table.
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
