import { type Address, hashTypedData, type PublicClient, zeroAddress } from 'viem'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { buildVaultMessage, type VaultMessages } from '../../../core/order/enclaveVaultMessages.ts'
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

async function operatorOf({ vault, nodes }: Vault, signer: Hex, quorum: number) {
  const operatorAt = async (client: PublicClient): Promise<Hex> => {
    const registry =
      registries.get(client) ??
      (await client.readContract({ address: vault, abi: orderVaultAbi, functionName: 'REGISTRY' }))
    registries.set(client, registry)
    const [counts, operator] = await client.readContract({
      address: registry,
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
