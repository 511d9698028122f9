import { hashTypedData } from 'viem'
import {
  type AttestationKind,
  type Attestations,
  attestation,
} from '../../../sdk/intent/attestationTypedData.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import {
  createStorageProofReader,
  type StorageProofReader,
} from '../../chain/proof/storageProofReader.ts'
import { createRpcPool } from '../../chain/rpcPool/rpcPool.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { Enclave } from '../../enclave/enclaveInterface.ts'
import type { SignatureJudge } from '../../quorum/collectSignatures.ts'
import { isGenuineSignature } from '../../quorum/isGenuineSignature.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { createIntentProver, type IntentProver } from '../evidence/intentProver.ts'
import { createRegisteredEnclaveKeys, type RegisteredEnclaveKeys } from './registeredEnclaveKeys.ts'

/** The enclaves that sign, and the sources of their evidence. */
export type Signing = {
  db: Db
  /** In the order in which they are asked if one is enough. */
  enclaves: readonly Enclave[]
  /** Proves intents of a source chain. @throws for an unconfigured chain */
  proverOn(chainId: number): IntentProver
  /** Proves deliveries on a destination chain. @throws for an unconfigured chain */
  readerOn(chainId: number): StorageProofReader
  /** Judges signatures for a chain's bridge. @throws for an unconfigured chain */
  judgeOn<Kind extends AttestationKind>(
    chainId: number,
    kind: Kind,
    needed: NeededSignatures,
  ): SignatureJudge<Attested<Kind>>
}

/** How many signatures an intent needs. The keys that count are those active at its deposit, or now. */
type NeededSignatures = { quorum: number; depositedAt?: number | null }

type OnChain = {
  chainId: number
  bridge: Hex
  reader: StorageProofReader
  prover: IntentProver
  keys: RegisteredEnclaveKeys
}

/** Creates the context from the configured chains and enclaves. */
export function createSigning(
  db: Db,
  chains: readonly ChainConfig[],
  enclaves: readonly Enclave[],
): Signing {
  const known = new Map(chains.map((chain) => [chain.chainId, onChain(db, chain)]))
  const on = (chainId: number): OnChain => {
    const chain = known.get(chainId)
    if (!chain) throw new Error(`chain ${chainId} is not configured`)
    return chain
  }
  return {
    db,
    enclaves,
    proverOn: (chainId) => on(chainId).prover,
    readerOn: (chainId) => on(chainId).reader,
    judgeOn: (chainId, kind, needed) => createBridgeSignatureJudge(on(chainId), kind, needed),
  }
}

function onChain(db: Db, chain: ChainConfig): OnChain {
  const bridge = chain.bridge.toLowerCase() as Hex
  const pool = createRpcPool(chain)
  const reader = createStorageProofReader(pool, bridge)
  return {
    chainId: chain.chainId,
    bridge,
    reader,
    prover: createIntentProver({ db, pool, reader }, bridge),
    keys: createRegisteredEnclaveKeys(chain),
  }
}

/** A message that an enclave has signed. */
type Attested<Kind extends AttestationKind> = {
  message: Attestations[Kind]
  signature: Hex
  signer: Hex
}

/** Checks signatures of one kind of message as a chain's bridge does. */
export function createBridgeSignatureJudge<Kind extends AttestationKind>(
  { chainId, bridge, keys }: { chainId: number; bridge: Hex; keys: RegisteredEnclaveKeys },
  kind: Kind,
  { quorum, depositedAt = null }: NeededSignatures,
): SignatureJudge<Attested<Kind>> {
  return {
    quorum,
    isGenuine: (answer) =>
      isGenuineSignature(
        hashTypedData(attestation({ chainId, bridge }, kind, answer.message) as never),
        answer,
      ),
    async operatorOf(signer) {
      if (quorum > 1) return keys.operatorOf(signer, depositedAt)
      // One signature's operator doesn't matter, only whether its key counts.
      return (await keys.countsAlone(signer, kind, depositedAt)) ? signer : null
    },
  }
}
