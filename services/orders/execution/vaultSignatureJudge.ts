import {
  type Address,
  decodeFunctionData,
  hashTypedData,
  type PublicClient,
  zeroAddress,
} from 'viem'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { buildVaultMessage, type VaultMessages } from '../../../core/order/enclaveVaultMessages.ts'
import { recoverSigner } from '../../../core/recipientBundle/recoverSigner.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { SignatureJudge } from '../../quorum/collectSignatures.ts'
import { findKeyOperatorByMajority } from '../../quorum/findKeyOperatorByMajority.ts'
import { isGenuineSignature } from '../../quorum/isGenuineSignature.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'

type Judged<Kind extends keyof VaultMessages> = {
  message: VaultMessages[Kind]
  signature: Hex
  signer: Hex
}

type Vault = Pick<ServedChain, 'name' | 'chainId' | 'vault' | 'nodes'>

/** Checks signatures of one kind of message as the chain's vault does. */
export function createVaultSignatureJudge<Kind extends keyof VaultMessages>(
  { events }: Pick<OrdersContext, 'events'>,
  chain: Vault,
  kind: Kind,
  quorum: number,
): SignatureJudge<Judged<Kind>> {
  return {
    quorum,
    isGenuine: (answer) =>
      isGenuineSignature(
        hashTypedData(buildVaultMessage(chain, kind, answer.message) as never),
        answer,
      ),
    operatorOf: (signer) => operatorOf(chain, signer, quorum),
    onRejected: (signer, why) => events.wrongSignature(chain.name, signer, why),
  }
}

const registries = new WeakMap<PublicClient, Address>()

/** The vault's registry, as a node names it. */
async function readRegistry(client: PublicClient, vault: Address): Promise<Address> {
  const registry =
    registries.get(client) ??
    (await client.readContract({ address: vault, abi: orderVaultAbi, functionName: 'REGISTRY' }))
  registries.set(client, registry)
  return registry
}

async function operatorOf({ vault, nodes }: Vault, signer: Hex, quorum: number) {
  const operatorAt = async (client: PublicClient): Promise<Hex> => {
    const [counts, operator] = await client.readContract({
      address: await readRegistry(client, vault),
      abi: enclaveKeyRegistryAbi,
      functionName: 'countsFor',
      // 0: as of now.
      args: [signer, 0n, BigInt(quorum)],
    })
    return counts ? (operator.toLowerCase() as Hex) : zeroAddress
  }
  // An unreadable registry doesn't prevent the attempt.
  const answers = await nodes.queryAll(operatorAt, String).catch(() => [signer])
  const operator = findKeyOperatorByMajority(answers, signer)
  return operator === zeroAddress ? null : operator
}

/**
 * Whether the call closes an order by signatures of enclaves that were registered once, for as many operators as the order
 * needs. They signed on its owner's word, whatever has become of their keys since.
 */
export async function isSignedClose(
  { chainId, vault, nodes }: Pick<Vault, 'chainId' | 'vault' | 'nodes'>,
  { orderId, quorum }: { orderId: Hex; quorum: number },
  data: Hex,
): Promise<boolean> {
  const digest = hashTypedData(buildVaultMessage({ chainId, vault }, 'CloseOrder', { orderId }))
  const signers = readCloseSignatures(data).map((signature) => recoverSigner(digest, signature))
  const operators = await Promise.all(
    signers.map(async (signer) => {
      if (signer === null) return zeroAddress
      const operatorAt = async (client: PublicClient): Promise<Hex> => {
        const address = await readRegistry(client, vault)
        const contract = { address, abi: enclaveKeyRegistryAbi, args: [signer] } as const
        const { operator } = await client.readContract({ ...contract, functionName: 'keyOf' })
        return operator.toLowerCase() as Hex
      }
      return findKeyOperatorByMajority(await nodes.queryAll(operatorAt, String), signer)
    }),
  )
  const known = new Set(operators.filter((operator) => operator !== zeroAddress))
  return known.size >= quorum
}

/** The signatures in a call of `closeOrderSigned`; none in any other. */
function readCloseSignatures(data: Hex): readonly Hex[] {
  try {
    const { functionName, args } = decodeFunctionData({ abi: orderVaultAbi, data })
    return functionName === 'closeOrderSigned' ? args[1] : []
  } catch {
    return []
  }
}
