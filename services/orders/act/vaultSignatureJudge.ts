import { type Address, hashTypedData, type PublicClient, zeroAddress } from 'viem'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { buildVaultMessage, type VaultMessages } from '../../../core/order/enclaveVaultMessages.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { recoverSigner } from '../../chain/recoverSigner.ts'
import { findMajority } from '../../chain/transactions/medianAndMajority.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import type { SignatureJudge } from './collectEnclaveSignatures.ts'

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
    isGenuine({ message, signature, signer }) {
      const hash = hashTypedData(buildVaultMessage(chain, kind, message) as never)
      return recoverSigner(hash, signature) === signer.toLowerCase()
    },
    operatorOf: (signer) => operatorOf(chain, signer, quorum),
    onRejected: (signer, why) => events.wrongSignature(chain.name, signer, why),
  }
}

const registries = new WeakMap<PublicClient, Address>()

/**
 * A key's operator by majority of the nodes. In a tie the key counts, since the vault decides in the end: as the operator
 * that nodes name, or as its own operator if they name several. Two keys of one operator count once.
 */
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
  const [named, another] = new Set(answers.filter((answer) => answer !== zeroAddress))
  const operator = findMajority(answers, String) ?? (another === undefined ? named : signer)
  return operator === undefined || operator === zeroAddress ? null : operator
}
