import { encodeFunctionData, type Hex, keccak256 } from 'viem'
import { type DevnetAccount, devnetAccounts } from '../../devnet/accounts.ts'
import { blobFor } from '../../devnet/traffic/blobFor.ts'
import type { TrafficChain } from '../../devnet/traffic/trafficChain.ts'
import {
  type AttestationKind,
  type Attestations,
  attestation,
} from '../../sdk/intent/attestations.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'

type At = Pick<TrafficChain, 'client' | 'chainId' | 'contracts'>

/** What an intent's source chain says of it now. */
export function intentOn({ client, contracts }: At, id: bigint) {
  return client.readContract({
    address: contracts.bridge,
    abi: bridgeIntentV2Abi,
    functionName: 'getIntent',
    args: [id],
  })
}

/**
 * Calldata of the calls that carry enclaves' signatures, made by keys of the test's own that the registry
 * knows. Terms, blobs and winner are the chain's, as of the moment of asking.
 *
 * @param keys who signs; default: the first of the devnet's attesters, which a quorum of one needs
 */
export function attestedCalls(
  chain: At,
  keys: readonly DevnetAccount[] = devnetAccounts().attesters.slice(0, 1),
) {
  const { chainId, contracts } = chain
  const { bridge } = contracts
  /** Sorted by signer, as the bridge wants them. */
  const signAll = <Kind extends AttestationKind>(kind: Kind, message: Attestations[Kind]) => {
    const typed = attestation({ chainId, bridge }, kind, message)
    const sorted = [...keys].sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1))
    return Promise.all(sorted.map((key) => key.signTypedData(typed as never)))
  }
  const winnerOf = async (id: bigint) => {
    const { paramsHash, blobsHash, solver, amountB, fillDeadline } = await intentOn(chain, id)
    return { about: { intentId: id, paramsHash, blobsHash, solver, amountB }, fillDeadline }
  }
  const encode = (functionName: string, args: readonly unknown[]): Hex =>
    encodeFunctionData({ abi: bridgeIntentV2Abi, functionName, args } as never)

  return {
    anchor: async (
      id: bigint,
      {
        feeBps = 250,
        recipientClass = 1,
        blob = blobFor(1, chainId, id),
      }: { feeBps?: number; recipientClass?: number; blob?: Hex } = {},
    ): Promise<Hex> => {
      const { paramsHash, blobsHash: blobsHashBefore } = await intentOn(chain, id)
      const about = { intentId: id, paramsHash, blobsHashBefore, feeBps, recipientClass }
      const [signature] = await signAll('Anchor', { ...about, blobHash: keccak256(blob) })
      const terms = [id, paramsHash, blobsHashBefore, feeBps, recipientClass]
      return encode('anchorIntent', [...terms, blob, signature])
    },
    append: async (id: bigint, blob: Hex = blobFor(2, chainId, id)): Promise<Hex> => {
      const { paramsHash, blobsHash: blobsHashBefore } = await intentOn(chain, id)
      const about = { intentId: id, paramsHash, blobsHashBefore }
      const [signature] = await signAll('Append', { ...about, blobHash: keccak256(blob) })
      return encode('appendBlob', [id, paramsHash, blobsHashBefore, blob, signature])
    },
    /** @param sealed whatever the winner is to be told */
    reveal: async (id: bigint, sealed: Hex): Promise<Hex> =>
      encode('revealRecipients', [id, sealed, await signaturesOfReveal(id, sealed)]),
    signaturesOfReveal,
    settle: async (id: bigint, chain2IntentId: bigint): Promise<Hex> => {
      const settlement = { ...(await winnerOf(id)).about, chain2IntentId }
      return encode('settleIntent', [settlement, await signAll('Settlement', settlement)])
    },
    refundUndelivered: async (id: bigint): Promise<Hex> => {
      const { about, fillDeadline } = await winnerOf(id)
      const notDelivered = { ...about, fillDeadline }
      return encode('refundUndelivered', [
        notDelivered,
        await signAll('NotDelivered', notDelivered),
      ])
    },
  }

  async function signaturesOfReveal(id: bigint, sealed: Hex): Promise<Hex[]> {
    return signAll('Reveal', { ...(await winnerOf(id)).about, sealedHash: keccak256(sealed) })
  }
}
