/** Confirmations, by chain, and by token for large amounts. */
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
 * Confirmations required of a deposit on the source chain, by what its intent holds in escrow. Here and below: the chain's
 * number, or more for a large amount of a token with a table of its own. Relayer and enclaves count alike, or the one
 * would show the other evidence that is never deep enough.
 *
 * @param intent token in lower case, amounts in its base units
 */
export function findDepositConfirmations(
  source: Confirmations,
  { tokenA, amountA, reward }: { tokenA: string; amountA: bigint; reward: bigint },
): number {
  return findRequiredConfirmations(source, tokenA, amountA + reward)
}

/** Confirmations required on the destination chain of a delivery, or of its absence, by what the winner owes. */
export function findDeliveryConfirmations(
  destination: Confirmations,
  { tokenB, winningAmountB }: { tokenB: string; winningAmountB: bigint | null },
): number {
  return findRequiredConfirmations(destination, tokenB, winningAmountB ?? 0n)
}

function findRequiredConfirmations(chain: Confirmations, token: string, amount: bigint): number {
  const config = Object.values(chain.tokens ?? {}).find(
    ({ address }) => address.toLowerCase() === token,
  )
  const steps = config?.confirmations ?? []
  const reached = steps.filter(({ from }) => amount >= BigInt(from)).map(({ blocks }) => blocks)
  return Math.max(chain.confirmations, ...reached)
}
