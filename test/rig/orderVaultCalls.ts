import { encodeFunctionData, type Hex, keccak256, stringToHex } from 'viem'
import type { OrderTerms } from '../../core/order/enclaveVaultMessages.ts'
import { type DevnetAccount, deriveDevnetAccounts } from '../../devnet/accounts.ts'
import type { TrafficChain } from '../../devnet/traffic/trafficChainClient.ts'
import { orderVaultAbi as abi } from '../../src/event/abi/orderVault.ts'
import { decodeVaultLog } from '../../src/event/decodeVaultLog.ts'
import type { VaultEventOf, VaultEventType } from '../../src/event/vaultEvent.ts'

type At = Pick<TrafficChain, 'client' | 'contracts'>

/**
 * Calldata for the vault calls that need enclave signatures, signed with a test key that the registry trusts.
 */
export function vaultCalls(
  { client, contracts }: At,
  enclave: DevnetAccount = deriveDevnetAccounts().attesters[0],
) {
  const { vault } = contracts
  const read = (functionName: string, args: readonly unknown[]) =>
    client.readContract({ address: vault, abi, functionName, args } as never) as Promise<Hex>
  const sign = async (digest: Promise<Hex>) => [await enclave.sign!({ hash: await digest })]
  const encode = (functionName: string, args: readonly unknown[]): Hex =>
    encodeFunctionData({ abi, functionName, args } as never)
  return {
    /** @param encrypted stands for the submitted order; must be unique */
    fund: async (terms: OrderTerms, encrypted: Hex, owner: DevnetAccount): Promise<Hex> => {
      const orderId = keccak256(encrypted)
      const message = `TWAP_ORDER:${orderId.slice(2)}`
      const [ownerSignature, signatures] = await Promise.all([
        owner.signMessage({ message }),
        sign(read('fundingDigest', [orderId, terms])),
      ])
      const request = { terms, digestOffset: 11n }
      return encode('fundOrder', [
        request,
        encrypted,
        stringToHex(message),
        ownerSignature,
        signatures,
      ])
    },
    fire: async (orderId: Hex, n: number, blob: Hex): Promise<Hex> => {
      const signatures = sign(read('trancheDigest', [orderId, BigInt(n), keccak256(blob)]))
      return encode('fireTranche', [orderId, BigInt(n), blob, await signatures])
    },
    closeSigned: async (orderId: Hex): Promise<Hex> =>
      encode('closeOrderSigned', [orderId, await sign(read('closeDigest', [orderId]))]),
    close: (orderId: Hex): Hex => encode('closeOrder', [orderId]),
  }
}

/** Finds the vault's event of this type among a transaction's logs. */
export function findVaultEvent<Type extends VaultEventType>(
  { logs }: { logs: readonly { address: string }[] },
  type: Type,
): VaultEventOf<Type> {
  for (const log of logs) {
    const event = decodeVaultLog(log as never, {} as never)
    if (event?.type === type) return event as unknown as VaultEventOf<Type>
  }
  throw new Error(`no ${type} in this transaction`)
}
