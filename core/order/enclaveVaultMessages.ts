import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { VaultEventArgs } from '../../src/event/vaultEvent.ts'

/** The EIP-712 types of the enclaves' messages about orders, as in OrderVault.sol. */
const VAULT_TYPES = {
  FundOrder: [
    { name: 'orderId', type: 'bytes32' },
    { name: 'owner', type: 'address' },
    { name: 'token', type: 'address' },
    { name: 'destChainId', type: 'uint256' },
    { name: 'tokenB', type: 'address' },
    { name: 'expectedAmountB', type: 'uint256' },
    { name: 'totalAmount', type: 'uint256' },
    { name: 'amountPerPeriod', type: 'uint256' },
    { name: 'period', type: 'uint256' },
    { name: 'startTime', type: 'uint256' },
    { name: 'endTime', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
  FireTranche: [
    { name: 'orderId', type: 'bytes32' },
    { name: 'n', type: 'uint256' },
    { name: 'blobHash', type: 'bytes32' },
  ],
  CloseOrder: [{ name: 'orderId', type: 'bytes32' }],
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
