import { formatRoundedAmount } from '../../parts/amount.ts'
import { shortenHex } from '../../parts/shortenHex.ts'

/** A token that the operator or a bridge vouches for: see `isVouchedFor`. */
type PageToken = {
  chainId: number
  address: string
  symbol: string | null
  decimals: number | null
}

/** An amount with its token's symbol. For other tokens, base units and address. */
export function formatTokenAmount(
  tokens: readonly PageToken[],
  { chainId, token, amount }: { chainId: number; token: string; amount: bigint },
): string {
  const address = token.toLowerCase()
  const known = tokens.find(
    (one) => one.chainId === chainId && one.address.toLowerCase() === address,
  )
  if (known?.symbol == null || known.decimals === null)
    return `${amount} base units of ${shortenHex(token)}`
  return `${formatRoundedAmount(amount, known.decimals)} ${known.symbol}`
}
