import { encodeFunctionData, type Hex, keccak256 } from 'viem'
import { type DevnetAccount, deriveDevnetAccounts } from '../../devnet/accounts.ts'
import type { TrafficChain } from '../../devnet/traffic/trafficChainClient.ts'
import {
  type AttestationKind,
  type Attestations,
  attestation,
} from '../../sdk/intent/attestationTypedData.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import { createPlaceholderBlob } from './placeholderBlob.ts'

type At = Pick<TrafficChain, 'client' | 'chainId' | 'contracts'>

/** Reads an intent from its source chain. */
export function readIntentOn({ client, contracts }: At, id: bigint) {
  return client.readContract({
    address: contracts.bridge,
    abi: bridgeIntentV2Abi,
    functionName: 'getIntent',
    args: [id],
  })
}

/**
 * Calldata for the calls that need enclave signatures, signed with test keys that the registry trusts. Reads the
 * intent's terms, blobs and winner from the chain at the time of the call.
 *
 * @param keys the signers; default: the devnet's first attester, enough for a quorum of one
 */
export function attestedCalls(
  chain: At,
  keys: readonly DevnetAccount[] = deriveDevnetAccounts().attesters.slice(0, 1),
) {
  const { chainId, contracts } = chain
  const { bridge } = contracts
  /** Sorts by signer, as the bridge requires. */
  const signAll = <Kind extends AttestationKind>(kind: Kind, message: Attestations[Kind]) => {
    const typed = attestation({ chainId, bridge }, kind, message)
    const sorted = [...keys].sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1))
    return Promise.all(sorted.map((key) => key.signTypedData(typed as never)))
  }
  const winnerOf = async (id: bigint) => {
    const { paramsHash, blobsHash, solver, amountB, fillDeadline } = await readIntentOn(chain, id)
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
        blob = createPlaceholderBlob(1, chainId, id),
      }: { feeBps?: number; recipientClass?: number; blob?: Hex } = {},
    ): Promise<Hex> => {
      const { paramsHash, blobsHash: blobsHashBefore } = await readIntentOn(chain, id)
      const about = { intentId: id, paramsHash, blobsHashBefore, feeBps, recipientClass }
      const [signature] = await signAll('Anchor', { ...about, blobHash: keccak256(blob) })
      const terms = [id, paramsHash, blobsHashBefore, feeBps, recipientClass]
      return encode('anchorIntent', [...terms, blob, signature])
    },
    append: async (id: bigint, blob: Hex = createPlaceholderBlob(2, chainId, id)): Promise<Hex> => {
      const { paramsHash, blobsHash: blobsHashBefore } = await readIntentOn(chain, id)
      const about = { intentId: id, paramsHash, blobsHashBefore }
      const [signature] = await signAll('Append', { ...about, blobHash: keccak256(blob) })
      return encode('appendBlob', [id, paramsHash, blobsHashBefore, blob, signature])
    },
    /** @param sealed the sealed message for the winner */
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
