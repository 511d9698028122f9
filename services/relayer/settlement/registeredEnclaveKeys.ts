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
  /**
   * The operator, in lower case, of a key whose signature the bridge counts towards a quorum; null if it doesn't count, such
   * as after the key expired or was revoked before the deposit. Up to a few seconds old.
   *
   * @param depositedAt unix seconds; null without a deposit
   */
  operatorOf(signer: Hex, depositedAt: number | null): Promise<Hex | null>
  /**
   * Whether the bridge accepts a key's signature where one is enough. For anchors and appends, the key must be active; after
   * a deposit, it must have been active then or be active now, and never revoked. Up to a few seconds old.
   *
   * @param depositedAt as above
   */
  countsAlone(signer: Hex, kind: AttestationKind, depositedAt: number | null): Promise<boolean>
}

/** Milliseconds for which an answer is cached; shorter if the key may soon count. */
const FRESH_FOR = 15_000
const INACTIVE_FRESH_FOR = 1_000
/** More keys than a registry's enclaves have. */
const MOST_KEYS = 1_000
/** Stands for any quorum above one: with several signatures, a revoked key still counts for earlier deposits. */
const SEVERAL = 2

/** Reads a chain's registry from all of its nodes; without a registry every key counts. */
export function createRegisteredEnclaveKeys(chain: ChainConfig): RegisteredEnclaveKeys {
  const active = new LRUCache<string, Promise<boolean>>({ max: MOST_KEYS, ttl: FRESH_FOR })
  const operators = new LRUCache<string, Promise<Hex>>({ max: MOST_KEYS, ttl: FRESH_FOR })
  const { queryAll } = createChainNodes(chain.rpcUrls)
  const { registry: address } = chain

  /** By majority of the nodes. True in a tie, since the bridge decides in the end. */
  function isActive(signer: Hex): Promise<boolean> {
    const contract = { address: address!, abi: enclaveKeyRegistryAbi, args: [signer] } as const
    const readAt = (client: PublicClient) =>
      client.readContract({ ...contract, functionName: 'isActive' })
    const read = async () => findMajority(await queryAll(readAt, String), String) ?? true
    return remember(active, signer, read, (is) => is)
  }

  type Asked = { signer: Hex; depositedAt: number | null; quorum: number }

  async function operatorAt(client: PublicClient, { signer, depositedAt, quorum }: Asked) {
    const [counts, operator] = await client.readContract({
      address: address!,
      abi: enclaveKeyRegistryAbi,
      functionName: 'countsFor',
      args: [signer, BigInt(depositedAt ?? 0), BigInt(quorum)],
    })
    return counts ? (operator.toLowerCase() as Hex) : zeroAddress
  }

  /** Null for a key that doesn't count. */
  async function countedOperator(asked: Asked): Promise<Hex | null> {
    const read = async () => {
      const said = await queryAll((client) => operatorAt(client, asked), String)
      return findKeyOperatorByMajority(said, asked.signer)
    }
    const name = Object.values(asked).join(' ')
    const operator = await remember(operators, name, read, (found) => found !== zeroAddress)
    return operator === zeroAddress ? null : operator
  }

  return {
    async operatorOf(signer, depositedAt) {
      return address ? countedOperator({ signer, depositedAt, quorum: SEVERAL }) : null
    },
    async countsAlone(signer, kind, depositedAt) {
      if (address === undefined) return true
      const counts =
        kind === 'Anchor' || kind === 'Append'
          ? isActive(signer)
          : countedOperator({ signer, depositedAt, quorum: 1 }).then((found) => found !== null)
      // The bridge decides in the end, so an unreadable registry doesn't prevent the attempt.
      return counts.catch(() => true)
    },
  }
}

/** The cached answer, or a new one: cached for less time if the key doesn't count, and not at all if the read fails. */
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
