import { encodeFunctionData, type Hex, numberToHex, type TransactionReceipt } from 'viem'
import { decodeRecordHead } from '../../../core/proof/storage/intentRecord.ts'
import {
  findDeliverySlot,
  listIntentSlots,
  listRecordSlots,
} from '../../../core/proof/storage/storageSlots.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { MEASUREMENT } from '../../../devnet/deploy/devnetContracts.ts'
import { registerEnclave } from '../../../devnet/deploy/registerEnclave.ts'
import { worth } from '../../../devnet/tokens.ts'
import { sealCreationBlob } from '../../../sdk/seal/sealCreationBlob.ts'
import { createDevelopmentQuoter } from '../../../services/enclave/attestation/attestationQuoter.ts'
import { createEnclave, type EnclaveOptions } from '../../../services/enclave/createEnclave.ts'
import {
  type EnclaveChain,
  type Mode,
  toEnclaveChains,
} from '../../../services/enclave/enclaveChain.ts'
import type {
  Enclave,
  IntentEvidence,
  ResponseOf,
  StorageEvidence,
} from '../../../services/enclave/enclaveInterface.ts'
import { createMemoryStorage } from '../../../services/enclave/keys/sealedStorage.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { Hex as LowerHex } from '../../../src/event/bridgeEvent.ts'
import { readIntentOn } from '../../rig/attestedCalls.ts'
import { type BridgeChain, readBridgeEvents, startBridgePair } from '../indexer/bridgePair.ts'

/** The amount `play.create` requests. */
export const AMOUNT_B = worth('ZEN', 9_000)
const AMOUNT_A = worth('USDC', 10_000)
const REWARD = worth('USDC', 100)
const AUCTION = 60

export const ROOT = new Uint8Array(32).fill(0xa7)
export const [ALICE, BOB, THIEF]: [LowerHex, LowerHex, LowerHex] = [
  `0x${'a1'.repeat(20)}`,
  `0x${'b2'.repeat(20)}`,
  `0x${'66'.repeat(20)}`,
]

/** Two real chains with bridges on them, and enclaves that the registries know. */
export async function startEnclaveTestbed(
  options: {
    mode?: Mode
    quorum?: number
    chains?: (chains: EnclaveChain[]) => EnclaveChain[]
  } = {},
) {
  const pair = await startBridgePair(options.quorum ? { quorum: options.quorum } : {})
  const { base, horizen, play } = pair
  const solver = horizen.solvers[0]!
  const sender = base.senders[0]!.address.toLowerCase() as LowerHex
  const { bridge, tokens } = base.contracts
  const configs = [base, horizen].map(({ config, contracts }) => ({
    ...config,
    registry: contracts.registry,
  }))
  const own = toEnclaveChains(configs, options.mode ?? 'strict')
  const chains = options.chains?.(own) ?? own

  /** An enclave; with an operator's position also one that both registries know. */
  async function enclaveOf(more: Partial<EnclaveOptions> = {}, operator?: number) {
    const made = await createEnclave({
      roots: [ROOT],
      chains,
      storage: createMemoryStorage(),
      quoter: createDevelopmentQuoter(MEASUREMENT, deriveDevnetAccounts().quoting.privateKey),
      ...more,
    })
    if (operator !== undefined) {
      for (const chain of [base, horizen]) await register(chain, made, operator)
    }
    return made
  }

  const enclave = await enclaveOf({}, 0)
  const { eciesPublicKey } = await enclave.publicKeys()

  const params = {
    tokenA: tokens.USDC,
    tokenB: tokens.ZEN,
    amountA: AMOUNT_A,
    reward: REWARD,
    expectedAmountB: AMOUNT_B,
    destChainId: BigInt(horizen.chainId),
    auctionDuration: BigInt(AUCTION),
  }

  /** A blob by the sender's own hand. */
  const sealed = (
    recipients: readonly Hex[],
    amounts: readonly bigint[],
    more: { publicKey?: Hex; n?: number; intentId?: bigint } = {},
  ) =>
    sealCreationBlob(more.publicKey ?? eciesPublicKey, {
      sourceChainId: base.chainId,
      bridge,
      user: sender,
      params,
      recipients,
      amounts,
      createdAt: 1_700_000_000,
      ...more,
    })

  const on = (chain: BridgeChain, data: Hex) =>
    chain.relayer.execute({ to: chain.contracts.bridge, data })

  const scene = {
    ...pair,
    chains,
    enclave,
    enclaveOf,
    solver,
    sender,
    params,
    sealed,
    register,
    /** The blobs of an intent up to now, as evidence has them. */
    async blobs(id: bigint): Promise<IntentEvidence['blobs']> {
      const events = (await readBridgeEvents(base)).filter(
        ({ args }) => 'intentId' in args && args.intentId === id,
      )
      return events.flatMap((event) => {
        if (event.type === 'IntentCreated') return blobOf(1, event.args.encryptedBlob)
        if (event.type === 'IntentAnchored') return [{ kind: 2, blob: event.args.encryptedBlob }]
        if (event.type === 'BlobAppended')
          return [{ kind: Number(event.args.kind), blob: event.args.encryptedBlob }]
        return []
      })
    },
    /** The same as `evidence`, where it is deep enough to be told and attested by. */
    deep: (id: bigint, more: Partial<IntentEvidence> = {}) => scene.evidence(id, more, 1n),
    /** Everything about an intent, proven at the head or below. */
    async evidence(
      id: bigint,
      more: Partial<IntentEvidence> = {},
      depth = 0n,
    ): Promise<IntentEvidence> {
      const [first] = listRecordSlots(id)
      const head = decodeRecordHead(await wordAt(base, first!))!
      const winner = deriveDevnetAccounts().solvers[0]!.address
      const slots = listIntentSlots({ intentId: id, ...head, solver: winner })
      const proof = await readProof(base, slots, { depth })
      return {
        ...proof,
        sourceChainId: base.chainId,
        intentId: id,
        blobs: more.blobs ?? (await scene.blobs(id)),
        ...more,
      }
    },
    /** The delivery's slot on the destination, deep enough. */
    delivery: (key: Hex, depth = 1n): Promise<StorageEvidence> =>
      readProof(horizen, [findDeliverySlot(key)], { depth }),
    /** Both, as settlements want them. */
    async settlementEvidence(id: bigint, by: Enclave = enclave) {
      const intent = await scene.deep(id)
      const { deliveryKey } = await by.revealToWinner({ intent })
      return { intent, delivery: await scene.delivery(deliveryKey) }
    },
    async anchor(id: bigint, more: { proposal?: Hex; tickets?: Hex[]; by?: Enclave } = {}) {
      const { by = enclave, tickets = [], ...rest } = more
      const signed = await by.signAnchor({ intent: await scene.evidence(id), tickets, ...rest })
      const { paramsHash, blobsHashBefore, feeBps, recipientClass } = signed.message
      const args = [id, paramsHash, blobsHashBefore, feeBps, recipientClass]
      await on(base, call('anchorIntent', [...args, signed.encryptedBlob, signed.signature]))
      return signed
    },
    async append(id: bigint, more: { proposal?: Hex; tickets?: Hex[]; by?: Enclave } = {}) {
      const { by = enclave, tickets = [], ...rest } = more
      const signed = await by.signAppend({ intent: await scene.evidence(id), tickets, ...rest })
      const { paramsHash, blobsHashBefore } = signed.message
      const args = [id, paramsHash, blobsHashBefore, signed.encryptedBlob, signed.signature]
      await on(base, call('appendBlob', args))
      return signed
    },
    /** From the anchor to the winner's deposit, deep enough on both chains. */
    async win(id: bigint, more = 1n): Promise<void> {
      await play.bid(id, more)
      await play.endAuction()
      await play.deposit(id, more)
      await deepen()
    },
    /** The winner pays, and the chains go on. */
    async deliver(id: bigint, revealed: { recipients: Hex[]; amounts: bigint[] }, from = solver) {
      const { paramsHash, fillDeadline } = await readIntentOn(base, id)
      const terms = [BigInt(base.chainId), id, paramsHash, horizen.contracts.tokens.ZEN]
      const args = [...terms, revealed.recipients, revealed.amounts, fillDeadline + 1_000_000n]
      const data = call('solveIntent', args)
      const receipt = await from.execute({ to: horizen.contracts.bridge, data })
      await deepen()
      return receipt
    },
    /** On both chains, whose clocks go each its own way. */
    async passDeadline(id: bigint): Promise<void> {
      const { fillDeadline } = await readIntentOn(base, id)
      for (const { client } of [base, horizen]) {
        const { timestamp } = await client.getBlock()
        if (timestamp > fillDeadline) continue
        await client.increaseTime({ seconds: Number(fillDeadline - timestamp) + 1 })
      }
      await deepen()
    },
    settle: (
      settled: ResponseOf<'attestSettlement'>,
      ...others: ResponseOf<'attestSettlement'>[]
    ) => on(base, call('settleIntent', [settled.message, sortSignatures(settled, ...others)])),
    refundUndelivered: (signed: ResponseOf<'attestNotDelivered'>) =>
      on(base, call('refundUndelivered', [signed.message, sortSignatures(signed)])),
    reveal: (...signed: ResponseOf<'revealToWinner'>[]) =>
      on(
        base,
        call('revealRecipients', [
          signed[0]!.message.intentId,
          signed[0]!.sealed,
          sortSignatures(...signed),
        ]),
      ),
    deepen,
  }

  async function deepen(): Promise<void> {
    for (const { client } of [base, horizen]) await client.mine({ blocks: 2 })
  }

  async function register(chain: BridgeChain, one: Enclave, operator: number) {
    await registerEnclaveOn(chain, one, operator)
  }

  return scene
}

export type EnclaveTestbed = Awaited<ReturnType<typeof startEnclaveTestbed>>

/** Registers an enclave's attestation key on a chain, under one of the devnet's operators. */
export async function registerEnclaveOn(
  chain: BridgeChain,
  enclave: Enclave,
  operator: number,
  key: 'current' | 'next' = 'current',
): Promise<void> {
  const { registry, verifier } = chain.contracts
  const { chainId } = chain
  const probe = { chainId, challenge: numberToHex(1, { size: 32 }), verifier, key }
  const { signer, eciesPublicKey: eciesKey } = await enclave.quote(probe)
  await registerEnclave(
    chain.client,
    chain.relayer,
    registry,
    {
      signer,
      eciesKey,
      quote: async ({ challenge }) =>
        (await enclave.quote({ chainId, challenge, verifier, key })).evidence,
      provePossession: async ({ operator: by, evidenceHash, challenge, deadline }) => {
        const about = { chainId, operator: by, evidenceHash, challenge, deadline, key }
        return (await enclave.provePossession(about)).signature
      },
    },
    deriveDevnetAccounts().operators[operator]!,
  )
}

/** `eth_getProof` of the bridge or another contract, so many blocks below the head. */
export async function readProof(
  { client, contracts }: Pick<BridgeChain, 'client' | 'contracts'>,
  slots: readonly Hex[],
  { address = contracts.bridge, depth = 0n }: { address?: Hex; depth?: bigint } = {},
): Promise<StorageEvidence> {
  const number = (await client.getBlock()).number - depth
  const proof = await client.getProof({ address, storageKeys: [...slots], blockNumber: number })
  return {
    blockNumber: Number(number),
    accountProof: proof.accountProof,
    storageProofs: proof.storageProof.map((one, at) => ({ slot: slots[at]!, proof: one.proof })),
  }
}

async function wordAt({ client, contracts }: BridgeChain, slot: Hex): Promise<bigint> {
  return BigInt((await client.getStorageAt({ address: contracts.bridge, slot })) ?? '0x0')
}

/** Sorted by signer, as the bridge wants them. */
export function sortSignatures(...signed: { signature: Hex; signer: Hex }[]): Hex[] {
  return [...signed]
    .sort((a, b) => (BigInt(a.signer) < BigInt(b.signer) ? -1 : 1))
    .map(({ signature }) => signature)
}

export function call(functionName: string, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi: bridgeIntentV2Abi, functionName, args } as never)
}

function blobOf(kind: number, blob: Hex) {
  return blob === '0x' ? [] : [{ kind, blob }]
}

export type { TransactionReceipt }
