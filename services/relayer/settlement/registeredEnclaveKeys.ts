import { LRUCache } from 'lru-cache'
import { type PublicClient, zeroAddress } from 'viem'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import type { AttestationKind } from '../../../sdk/intent/attestationTypedData.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { createChainNodes } from '../../chain/transactions/chainNodes.ts'
import { findMajority } from '../../chain/transactions/medianAndMajority.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { findKeyOperatorByMajority } from '../../quorum/findKeyOperatorByMajority.ts'

/** Looks up enclaves' keys in a chain's registry. */
export type RegisteredEnclaveKeys = {
  /** A key's operator in lower case, which never changes; null for an unregistered key. */
  operatorOf(signer: Hex): Promise<Hex | null>
  /**
   * Whether the bridge accepts a key's signature where one is enough: for anchors and appends, an active key's; after a
   * deposit, any but a revoked key's. Up to a few seconds old.
   */
  countsAlone(signer: Hex, kind: AttestationKind): Promise<boolean>
}

/** Milliseconds for which an answer is cached; shorter if the key may soon count. */
const FRESH_FOR = 15_000
const INACTIVE_FRESH_FOR = 1_000
/** More keys than a registry's enclaves have. */
const MOST_KEYS = 1_000

type Key = { operator: Hex; isRevoked: boolean; isActive: boolean }

/** Reads a chain's registry from all of its nodes; without a registry every key counts. */
export function createRegisteredEnclaveKeys(chain: ChainConfig): RegisteredEnclaveKeys {
  const known = new LRUCache<Hex, Promise<Key>>({ max: MOST_KEYS, ttl: FRESH_FOR })
  const { queryAll } = createChainNodes(chain.rpcUrls)
  const { registry: address } = chain

  async function readAt(client: PublicClient, signer: Hex): Promise<Key> {
    const contract = { address: address!, abi: enclaveKeyRegistryAbi, args: [signer] } as const
    const [{ operator, revocation }, isActive] = await Promise.all([
      client.readContract({ ...contract, functionName: 'keyOf' }),
      client.readContract({ ...contract, functionName: 'isActive' }),
    ])
    return { operator: operator.toLowerCase() as Hex, isRevoked: revocation !== 0, isActive }
  }

  function keyOf(signer: Hex): Promise<Key> {
    const found = known.get(signer)
    if (found !== undefined) return found
    const key = queryAll((client) => readAt(client, signer), JSON.stringify).then((said) =>
      agreedKey(said, signer),
    )
    known.set(signer, key)
    key.then(
      ({ isActive }) => !isActive && known.set(signer, key, { ttl: INACTIVE_FRESH_FOR }),
      () => known.delete(signer),
    )
    return key
  }

  return {
    async operatorOf(signer) {
      if (address === undefined) return null
      const { operator } = await keyOf(signer)
      return operator === zeroAddress ? null : operator
    },
    async countsAlone(signer, kind) {
      if (address === undefined) return true
      // The bridge decides in the end, so an unreadable registry doesn't prevent the attempt.
      const key = await keyOf(signer).catch(() => null)
      if (key === null) return true
      return kind === 'Anchor' || kind === 'Append' ? key.isActive : !key.isRevoked
    },
  }
}

/** A key by majority of the nodes. In a tie it counts, since the bridge decides in the end. */
function agreedKey(said: readonly Key[], signer: Hex): Key {
  const operators = said.map(({ operator }) => operator)
  const most = (read: (key: Key) => boolean) => findMajority(said.map(read), String)
  return {
    operator: findKeyOperatorByMajority(operators, signer),
    isRevoked: most((key) => key.isRevoked) ?? false,
    isActive: most((key) => key.isActive) ?? true,
  }
}
