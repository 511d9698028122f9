import { parseAbiParameters } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { VaultEventArgs } from '../../src/event/vaultEvent.ts'

/** The EIP-712 types of the enclaves' messages about orders, as in OrderVault.sol. */
const VAULT_TYPES = {
  FundOrder: parseAbiParameters(
    'bytes32 orderId, address owner, address token, uint256 destChainId, address tokenB, uint256 expectedAmountB, uint256 totalAmount, uint256 amountPerPeriod, uint256 period, uint256 startTime, uint256 endTime, uint256 deadline',
  ),
  FireTranche: parseAbiParameters('bytes32 orderId, uint256 n, bytes32 blobHash'),
  CloseOrder: parseAbiParameters('bytes32 orderId'),
} as const

/** The terms that an order is funded with: the vault's `OrderTerms`, as in its event. */
export type OrderTerms = Omit<VaultEventArgs['OrderFunded'], 'orderId' | 'quorum' | 'encrypted'> & {
  /** Unix seconds until which the order can be funded. */
  deadline: bigint
}

/** The messages by type. */
export type VaultMessages = {
  FundOrder: OrderTerms & { orderId: Hex }
  FireTranche: { orderId: Hex; n: bigint; blobHash: Hex }
  CloseOrder: { orderId: Hex }
}

/** What an enclave signs (EIP-712) for one chain's vault, as an argument of viem's `signTypedData`. */
export function buildVaultMessage<Kind extends keyof VaultMessages>(
  { chainId, vault }: { chainId: number; vault: Hex },
  primaryType: Kind,
  message: VaultMessages[Kind],
) {
  return {
    domain: { name: 'OrderVault', version: '1', chainId, verifyingContract: vault },
    types: VAULT_TYPES,
    primaryType,
    message,
  } as const
}
