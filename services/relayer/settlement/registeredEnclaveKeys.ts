import { LRUCache } from 'lru-cache'
import { type PublicClient, zeroAddress } from 'viem'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import type { AttestationKind } from '../../../sdk/intent/attestationTypedData.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { createChainNodes } from '../../chain/transactions/chainNodes.ts'
import { findMajority } from '../../chain/transactions/medianAndMajority.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { findKeyOperatorByMajority } from '../../quorum/findKeyOperatorByMajority.ts'

/** Looks up enclaves' keys in a chain's registry. */
export type RegisteredEnclaveKeys = {
  /**
   * The operator, in lower case, for whom the bridge counts a key's signature where it needs several; null for any other
   * key, as one that expired or was revoked before the deposit. Up to a few seconds old.
   *
   * @param fillDeadline unix seconds; null without a deposit
   */
  operatorOf(signer: Hex, fillDeadline: number | null): Promise<Hex | null>
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
/** Any quorum but one: there, a revoked key counts for what was deposited before. */
const SEVERAL = 2n

type Key = { isRevoked: boolean; isActive: boolean }

/** Reads a chain's registry from all of its nodes; without a registry every key counts. */
export function createRegisteredEnclaveKeys(chain: ChainConfig): RegisteredEnclaveKeys {
  const known = new LRUCache<string, Promise<Key>>({ max: MOST_KEYS, ttl: FRESH_FOR })
  const operators = new LRUCache<string, Promise<Hex>>({ max: MOST_KEYS, ttl: FRESH_FOR })
  const { queryAll } = createChainNodes(chain.rpcUrls)
  const { registry: address } = chain

  async function readAt(client: PublicClient, signer: Hex): Promise<Key> {
    const contract = { address: address!, abi: enclaveKeyRegistryAbi, args: [signer] } as const
    const [{ revocation }, isActive] = await Promise.all([
      client.readContract({ ...contract, functionName: 'keyOf' }),
      client.readContract({ ...contract, functionName: 'isActive' }),
    ])
    return { isRevoked: revocation !== 0, isActive }
  }

  function keyOf(signer: Hex): Promise<Key> {
    const read = () => queryAll((client) => readAt(client, signer), JSON.stringify).then(agreedKey)
    return remember(known, signer, read, ({ isActive }) => isActive)
  }

  async function operatorAt(client: PublicClient, signer: Hex, fillDeadline: number | null) {
    const bridge = { address: chain.bridge, abi: bridgeIntentV2Abi } as const
    const window = await client.readContract({ ...bridge, functionName: 'EXECUTION_WINDOW' })
    const depositedAt = BigInt(Math.max(0, (fillDeadline ?? 0) - window))
    const [counts, operator] = await client.readContract({
      address: address!,
      abi: enclaveKeyRegistryAbi,
      functionName: 'countsFor',
      args: [signer, depositedAt, SEVERAL],
    })
    return counts ? (operator.toLowerCase() as Hex) : zeroAddress
  }

  return {
    async operatorOf(signer, fillDeadline) {
      if (address === undefined) return null
      const read = async () => {
        const said = await queryAll((client) => operatorAt(client, signer, fillDeadline), String)
        return findKeyOperatorByMajority(said, signer)
      }
      const name = `${signer} ${fillDeadline}`
      const operator = await remember(operators, name, read, (found) => found !== zeroAddress)
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

/** The cached answer, or a new one: cached for a shorter time unless the key counts, and not if it fails. */
function remember<Answer>(
  cache: LRUCache<string, Promise<Answer>>,
  name: string,
  read: () => Promise<Answer>,
  counts: (answer: Answer) => boolean,
): Promise<Answer> {
  const found = cache.get(name)
  if (found !== undefined) return found
  const answer = read()
  cache.set(name, answer)
  answer.then(
    (known) => !counts(known) && cache.set(name, answer, { ttl: INACTIVE_FRESH_FOR }),
    () => cache.delete(name),
  )
  return answer
}

/** A key by majority of the nodes. In a tie it counts, since the bridge decides in the end. */
function agreedKey(said: readonly Key[]): Key {
  const most = (read: (key: Key) => boolean) => findMajority(said.map(read), String)
  return {
    isRevoked: most((key) => key.isRevoked) ?? false,
    isActive: most((key) => key.isActive) ?? true,
  }
}
