import { z } from 'zod'
import { MAX_RECIPIENTS } from '../../core/recoveryBlob/blobSize.ts'
import { MAX_VIEWERS } from './bundleLimits.ts'
import * as field from './fieldSchemas.ts'
import { ORDER_OPERATIONS } from './orders/orderOperationSchemas.ts'

/** The sender's recipients; addresses in lower case, amounts in base units of tokenB. */
const bundle = z.strictObject({
  recipients: z.array(field.address).max(MAX_RECIPIENTS),
  amounts: z.array(field.uint96).max(MAX_RECIPIENTS),
  /** The sender's own number: the highest on chain counts. A creation's is 0. */
  n: z.int().min(0),
  salt: field.bytes32,
  metadata: field.metadata.optional(),
  viewers: z.array(field.address).max(MAX_VIEWERS).optional(),
})

/** Hashes that bind a ciphertext to one intent: SHA-256 of it, and of its first 65 bytes, the key. */
const ciphertextDigests = z.strictObject({
  digest: field.bytes32,
  ephemeralKeyDigest: field.bytes32,
})

/** A recipient that was a registered wallet when an enclave signed for the blob: paid at its Safe. */
const registeredRecipient = z.strictObject({
  position: z.int().min(0),
  /** Whether it is a contract on the destination chain rather than a key. */
  isContract: z.boolean(),
})

/** The content of a recovery blob. An appended blob may have no recipients, only additions. */
const blobContents = bundle.extend({
  sourceChainId: field.chainId,
  bridge: field.address,
  /** The intent's sender. */
  user: field.address,
  /** See `paramsHash` in src/event. */
  paramsHash: field.bytes32,
  /** Absent in a blob from before the intent had an id. */
  intentId: field.uint256.optional(),
  /** Counts only in a blob that an enclave signed. */
  registered: z.array(registeredRecipient).max(MAX_RECIPIENTS),
  createdAt: field.unixSeconds,
  /** The sender's signature of `storeRecipientsMessage` (EIP-191, 65 bytes). */
  signature: field.signature65.optional(),
})

const blobBindings = z.strictObject({
  sourceChainId: field.chainId,
  bridge: field.address,
  user: field.address,
  paramsHash: field.bytes32,
  intentId: field.uint256,
})

/** Why a blob can't be used. None of these is an error, since anyone may put anything on chain. */
const BLOB_PROBLEMS = [
  'NOT_A_BLOB',
  'UNKNOWN_KEY',
  'NOT_DECRYPTABLE',
  'BAD_PLAINTEXT',
  'OTHER_CHAIN',
  'OTHER_BRIDGE',
  'OTHER_USER',
  'OTHER_PARAMS',
  'OTHER_INTENT',
] as const

const openedBlob = z.union([
  z.strictObject({ ok: z.literal(true), keyId: field.bytes4, contents: blobContents }),
  z.strictObject({ ok: z.literal(false), reason: z.enum(BLOB_PROBLEMS) }),
])

const blobToOpen = z.strictObject({ blob: field.octets, expected: blobBindings })

/**
 * An intent as its source bridge stores it, and its blobs from before `firmAt` in the chain's order, which hash to the
 * record's `blobsHash`. Slots: `listIntentSlots` in core/proof.
 */
const intentEvidence = field.storageEvidence.extend({
  sourceChainId: field.chainId,
  intentId: field.uint256,
  blobs: z
    .array(
      z.strictObject({
        /** 1 creation (omitted when empty), 2 anchor (even when empty), 3 append, 4 the sender's own call. */
        kind: z.int().min(1).max(4),
        blob: field.octets,
      }),
    )
    .max(4_096),
})

/** Tickets of recipients: registered wallets, and deliveries whose Safe is a recipient. */
const tickets = z.array(field.bytes).max(2 * MAX_RECIPIENTS)

/** A new bundle that isn't on chain: a blob from `sealBlob`, with its `signature` inside if there is one. */
const proposal = field.octets

/** The delivery of a stealth address. */
const delivery = {
  /** The destination chain. */
  chainId: field.chainId,
  intentId: field.uint256,
  /**
   * Default 0. A bundle's registered wallets have `BUNDLE_INDEX` (0x8000) and up, in the order of the wallets' first
   * positions; lower ones are for addresses requested individually.
   */
  index: z.int().min(0).max(0xff_ff).optional(),
}

/** The chain of a contract wallet; absent for a key. */
const contractOn = field.chainId.optional()

/** A wallet that is a key, the same on every chain, or a contract on one of them. */
const recipient = { recipientAddress: field.address, contractOn }

/** An address in a signed message: as sent, in any case. */
const spelled = z.string().regex(/^0x[0-9a-fA-F]{40}$/)

/** Destination address of a delivery to a recipient. */
const stealth = z.strictObject({
  stealthAddress: field.address,
  /** 65 bytes. */
  ephemeralPubKey: field.publicKey,
  /** 0 to 255. */
  viewTag: z.int().min(0).max(255),
  /** The Safe whose only owner is the stealth address, deployed or not. */
  safeAddress: field.address,
  saltNonce: field.uint256,
  /** The recipient's tag, from `tagRecipients`. */
  tag: field.bytes32,
  /** The delivery, sealed by the enclave for itself; input of `signTransaction`, `signAnchor` and `signAppend`. */
  ticket: field.bytes,
  /** The recipient's. */
  spendPubKey: field.publicKey,
  viewPubKey: field.publicKey,
})

/** A bundle's registered wallet, and the Safe that the winner pays instead. */
const replaced = stealth.extend({
  position: z.int().min(0),
  index: z.int().min(0).max(0xff_ff),
})

const anchorMessage = z.strictObject({
  intentId: field.uint256,
  paramsHash: field.bytes32,
  blobsHashBefore: field.bytes32,
  /** 250 or 700. */
  feeBps: z.int(),
  /** A power of two, 1 to 256. */
  recipientClass: z.int(),
  blobHash: field.bytes32,
})

const appendMessage = anchorMessage.omit({ feeBps: true, recipientClass: true })

/** Common fields of the messages about a winner. */
const aboutWinner = z.strictObject({
  intentId: field.uint256,
  paramsHash: field.bytes32,
  blobsHash: field.bytes32,
  solver: field.address,
  /** The winner's commitment. */
  amountB: field.uint256,
})

/** Proofs of both chains: the intent's, and the delivery's slot, or its absence, on the destination chain. */
const evidenceOfDelivery = z.strictObject({
  intent: intentEvidence,
  /**
   * Only chooses the call's lane, so that it doesn't wait behind calls about a silent chain. The intent's own chain is
   * proven.
   */
  destChainId: field.chainId.optional(),
  /** Slot: `findDeliverySlot` in core/proof of the key from `revealToWinner`. */
  delivery: field.storageEvidence,
})

/** A registry's record of an enclave's key. Slots: `listEnclaveKeySlots` in core/proof. */
const registryEvidence = z.strictObject({ chainId: field.chainId, evidence: field.storageEvidence })

const whichKey = {
  /** `next` is a key that a rotation has created and that isn't in use yet. Default `current`. */
  key: z.enum(['current', 'next']).optional(),
}

/** The public halves of the keys in use. */
const publicKeys = z.strictObject({
  /** 65 bytes, uncompressed. */
  eciesPublicKey: field.publicKey,
  /** First 4 bytes of keccak256 of the 65 bytes. */
  keyId: field.bytes4,
  /** Signs attestations; must be registered in every `EnclaveKeyRegistry`. */
  attester: field.address,
  /** Created by a rotation, to be registered before it is used. */
  nextAttester: field.address.nullable(),
  /** The relayer's account on every chain: pays gas and has no other rights. */
  relayer: field.address,
  /** Ids of the older keys, which open but no longer seal; newest first. */
  previousKeyIds: z.array(field.bytes4),
})

/**
 * Every operation of the enclave, with its request and answer.
 *
 * Operations with evidence reject with `EVIDENCE_INVALID` (its field says which part), `PROVIDERS_UNREACHABLE`,
 * `BLOCK_NOT_AGREED`, `NOT_CONFIRMED` (these three may pass later) or `CHAIN_NOT_CONFIGURED`; those that need an
 * intent's recipients with `KEY_MISSING` or `RECIPIENTS_UNKNOWN`; and all of them with `WRONG_PHASE` in another phase.
 */
export const OPERATIONS = {
  /** The public halves of the keys in use. */
  publicKeys: { request: field.none, response: publicKeys },
  /**
   * Opens a sender's bundle and checks its rules: equal lengths, no zero recipients, amounts above zero; `intentId`,
   * `chainId` and `sender` inside it are the intent's; in compat they may be absent. Rejects with `DECRYPTION_FAILED`,
   * `BUNDLE_MALFORMED`, `RECIPIENTS_INVALID`, `METADATA_TOO_LARGE` or `BUNDLE_OF_ANOTHER_INTENT`.
   */
  openBundle: {
    request: z.strictObject({
      /** The sender's ECIES ciphertext of the bundle's JSON. */
      ciphertext: field.bytes,
      sourceChainId: field.chainId,
      intentId: field.uint256,
      /** The intent's sender, to compare with a `sender` inside the bundle. */
      sender: field.address.optional(),
    }),
    /** `n` defaults to 1 and `salt` to zero. */
    response: bundle.extend({ ciphertext: ciphertextDigests }),
  },
  /** Seals a recovery blob to the current key, different each time. `BLOB_TOO_LARGE`. */
  sealBlob: {
    request: blobContents.extend({
      registered: z.array(registeredRecipient).max(MAX_RECIPIENTS).optional(),
      /** Recipient class that determines the blob's minimum size; default: that of its recipients. */
      recipientClass: z.int().min(1).max(256).optional(),
    }),
    response: z.strictObject({ blob: field.bytes }),
  },
  /** Opens a recovery blob and compares its bindings. A fault in a blob is an answer, not an error. */
  openBlob: { request: blobToOpen, response: openedBlob },
  /** `openBlob` for many; answers in the order of the requests. */
  openBlobs: {
    request: z.strictObject({ blobs: z.array(blobToOpen).max(1_000) }),
    response: z.strictObject({ opened: z.array(openedBlob) }),
  },
  /**
   * Signs an intent's anchor if a bundle counts, including the proposal. This fixes fee tier, class and registered
   * wallets. Rejects with `RECIPIENTS_UNKNOWN`, `RECIPIENTS_INVALID`, `SIGNATURE_REQUIRED`, `SIGNATURE_INVALID` or
   * `TOO_EARLY` (compat: may pass later).
   */
  signAnchor: {
    request: z.strictObject({
      /** Of any block, even the latest: the signature binds the terms and the earlier blobs. */
      intent: intentEvidence,
      proposal: proposal.optional(),
      tickets,
    }),
    response: z.strictObject({
      message: anchorMessage,
      /** The blob of the call; empty (`0x`) when the chain already says everything. */
      encryptedBlob: field.bytes,
      /** The wallets that the winner will pay at their Safes. */
      replaced: z.array(replaced),
      ...field.signed,
    }),
  },
  /**
   * Signs another blob: a replacement with the sender's signature, metadata and viewers for the bundle that counts, or
   * its registered wallets. Besides the above, rejects with `CLASS_EXCEEDED`, `FEE_TIER_FIXED`, `N_TOO_LOW`,
   * `TOO_MANY_BLOBS` or `NOTHING_TO_APPEND`.
   */
  signAppend: {
    request: z.strictObject({
      intent: intentEvidence,
      /** Absent: only `registered`, for recipients that the sender named by its own call. */
      proposal: proposal.optional(),
      tickets,
    }),
    response: z.strictObject({
      message: appendMessage,
      encryptedBlob: field.bytes,
      replaced: z.array(replaced),
      ...field.signed,
    }),
  },
  /** Seals the recipients to the winner; every enclave with the root gives the same bytes. `NO_SEALING_KEY`. */
  revealToWinner: {
    /** Includes the solver's sealing key: two more slots. */
    request: z.strictObject({ intent: intentEvidence }),
    response: z.strictObject({
      message: aboutWinner.extend({ sealedHash: field.bytes32 }),
      /** The recipients for `revealRecipients`, sealed to the winner and padded to their class. */
      sealed: field.bytes,
      /** The winner's payments: Safes for registered wallets, surplus shared. */
      recipients: z.array(field.address),
      amounts: z.array(field.uint256),
      /** Key of the delivery in the destination bridge's `deliveryAt`. */
      deliveryKey: field.bytes32,
      replaced: z.array(replaced),
      /** `hashNaming` (core/recipientBundle) of the bundle that counts. */
      namingHash: field.bytes32,
      ...field.signed,
    }),
  },
  /** Attests that the winner paid the recipients revealed to it. `NOT_DELIVERED`. */
  attestSettlement: {
    request: evidenceOfDelivery,
    response: z.strictObject({
      message: aboutWinner.extend({ chain2IntentId: field.uint256 }),
      ...field.signed,
    }),
  },
  /** Attests that the winner didn't pay in time. `DELIVERED`; `NOT_CONFIRMED` before the deadline. */
  attestNotDelivered: {
    request: evidenceOfDelivery,
    response: z.strictObject({
      message: aboutWinner.extend({ fillDeadline: field.uint256 }),
      ...field.signed,
    }),
  },
  /** Signs with the relayer's gas account what its policy allows; `TRANSACTION_NOT_ALLOWED`. */
  signTransaction: {
    request: field.transaction.extend({
      /** Wei; only 0 is signed. */
      value: field.uint256.optional(),
      /** For a transaction about a Safe: the `ticket` of the Safe's delivery. */
      ticket: field.bytes.optional(),
    }),
    response: field.signedTransaction,
  },
  /** The gas accounts of earlier roots, and those that have taken their place. */
  formerGasAccounts: {
    request: field.none,
    response: z.strictObject({
      accounts: z.array(z.strictObject({ address: field.address, successor: field.address })),
    }),
  },
  /** Signs a payment from one of them to its successor, and to nobody else; `TRANSACTION_NOT_ALLOWED`. */
  signFormerGasTransfer: {
    request: field.transaction.omit({ to: true, data: true }).extend({
      from: field.address,
      /** Wei. */
      value: field.uint256,
    }),
    response: field.signedTransaction,
  },
  /** Signs `Registration` for the chain's key registry, to register the attester. */
  provePossession: {
    /** Fields of the registry's `Registration`; signer and ECIES key are the enclave's own. */
    request: z.strictObject({
      chainId: field.chainId,
      operator: field.address,
      evidenceHash: field.bytes32,
      challenge: field.bytes32,
      /** Unix seconds. */
      deadline: field.uint256,
      ...whichKey,
    }),
    response: z.strictObject({ eciesPublicKey: field.publicKey, ...field.signed }),
  },
  /** Evidence about this program and its keys, for the chain's key registry. */
  quote: {
    request: z.strictObject({
      chainId: field.chainId,
      /** From the chain's registry: `newChallenge()`. */
      challenge: field.bytes32,
      /** The chain's development verifier; evidence from hardware suits any. */
      verifier: field.address.optional(),
      ...whichKey,
    }),
    response: z.strictObject({
      /** Argument of `register`. */
      evidence: field.bytes,
      measurement: field.bytes32,
      /** Equals the registry's `reportDataFor(signer, eciesKey, challenge)`. */
      reportData: field.bytes32,
      signer: field.address,
      eciesPublicKey: field.publicKey,
    }),
  },
  /** Quote, measurement, configuration and keys, for anyone. */
  attestation: {
    request: field.none,
    response: z.strictObject({
      /** `software`: no hardware isolation. */
      kind: z.enum(['software', 'tdx']),
      /** Covers keccak256 of configuration digest and keys. */
      quote: field.bytes,
      measurement: field.bytes32,
      /** The measured configuration: the JSON text that the digest covers. */
      configuration: z.string(),
      /** keccak256 of that text. */
      configurationDigest: field.bytes32,
      keys: publicKeys,
    }),
  },
  /** A recipient's public keys and ticket, in exchange for its signature: `SIGNATURE_INVALID`. */
  registerRecipient: {
    request: z.strictObject({
      /** As written in the signed message. */
      recipientAddress: spelled,
      /** Over `REGISTER_STEALTH:<recipientAddress>`, or its EIP-712 form. */
      signature: field.signature,
      contractOn,
    }),
    response: z.strictObject({
      spendPubKey: field.publicKey,
      viewPubKey: field.publicKey,
      /** As from `tagRecipients`. */
      tags: z.array(field.bytes32).min(1),
      /** Proof of registration for `signAnchor` and `signAppend`. Store it. */
      ticket: field.bytes,
    }),
  },
  /** Tags of recipients, for places that must not contain their wallets. */
  tagRecipients: {
    request: z.strictObject({ recipients: z.array(z.strictObject(recipient)).max(1_000) }),
    response: z.strictObject({
      /** Each recipient's tags, one per root, newest first. */
      tags: z.array(z.array(field.bytes32).min(1)),
    }),
  },
  /** A caller's tag, in the same way. */
  tagCaller: {
    request: z.strictObject({ caller: z.string().max(128) }),
    response: z.strictObject({ tag: field.bytes32 }),
  },
  /** A delivery's stealth address and Safe, the same on every call. */
  deriveStealth: {
    request: z.strictObject({ ...recipient, ...delivery }),
    response: stealth,
  },
  /** The same for many, under any root: for recovery. */
  deriveStealths: {
    request: z.strictObject({
      deliveries: z
        .array(
          z.strictObject({
            ...recipient,
            ...delivery,
            /** Key id of the root to derive from: the intent's. Default: the current one. */
            keyId: field.bytes4.optional(),
          }),
        )
        .max(1_000),
    }),
    /** In the order of the requests; null for a key that the enclave lacks or a chain that isn't configured. */
    response: z.strictObject({ derived: z.array(stealth.nullable()) }),
  },
  /** A stealth address's private key, for its owner: `SIGNATURE_INVALID`, `NOT_YOUR_ADDRESS`, `CHALLENGE_REQUIRED`. */
  exportStealthKey: {
    request: z.strictObject({
      ...delivery,
      recipientAddress: spelled,
      stealthAddress: spelled,
      /** Over `DERIVE_STEALTH_KEY:<recipientAddress>:<stealthAddress>`, or its EIP-712 form. */
      signature: field.signature,
      /**
       * Over `DERIVE_STEALTH_KEY:<recipientAddress>:<stealthAddress>:<timestamp>`; required in strict mode. With `sealTo`, a public
       * key to encrypt the stealth key to, the message ends in `:<sealTo>`.
       */
      challenge: z
        .strictObject({
          timestamp: field.unixSeconds,
          signature: field.signature,
          sealTo: field.publicKey.optional(),
        })
        .optional(),
      contractOn,
    }),
    /** The key, encrypted if the request has `sealTo`. */
    response: z.strictObject({ stealthPrivateKey: field.bytes }),
  },
  /** Creates the next attestation key, or starts using it: `NO_NEXT_KEY`. */
  rotateAttester: {
    request: z.strictObject({
      /** `prepare` creates the next key (once); `promote` starts using it. */
      step: z.enum(['prepare', 'promote']),
    }),
    response: z.strictObject({
      attester: field.address,
      nextAttester: field.address.nullable(),
    }),
  },
  /** Requests the roots from another enclave. */
  requestRoot: {
    request: field.none,
    /** Input of `handOverRoot` at an enclave with the roots. */
    response: z.strictObject({
      transportKey: field.publicKey,
      /** Signed by the attester: `RootRequest(transportKey)`. */
      ...field.signed,
    }),
  },
  /** Gives the roots to an enclave for which key registries and operators vouch: `HANDOVER_REFUSED`. */
  handOverRoot: {
    request: z.strictObject({
      transportKey: field.publicKey,
      ...field.signed,
      /** One per registry that must list the key. */
      registries: z
        .array(
          registryEvidence.extend({
            /** Signed by the registry's operators: `RootHandover(signer, transportKey)`. */
            operatorSignatures: z.array(field.signature65).max(16),
          }),
        )
        .max(64),
    }),
    response: z.strictObject({
      sealedRoots: field.bytes,
      /** Signed by the giver's attester: `RootGift(transportKey, sealedRoots)`. */
      ...field.signed,
    }),
  },
  /** Accepts the roots from another enclave: `DECRYPTION_FAILED`. */
  acceptRoots: {
    request: z.strictObject({
      sealedRoots: field.bytes,
      ...field.signed,
      /** Proves that the giver is an enclave. */
      registries: z.array(registryEvidence).max(64),
    }),
    response: z.strictObject({ keyIds: z.array(field.bytes4) }),
  },
  ...ORDER_OPERATIONS,
} as const

export type OperationName = keyof typeof OPERATIONS

/** A request before validation: in any case, with integers as decimal text or bigints. */
export type RequestOf<Name extends OperationName> = z.input<(typeof OPERATIONS)[Name]['request']>

export type ResponseOf<Name extends OperationName> = z.output<(typeof OPERATIONS)[Name]['response']>

export type BundleContents = z.output<typeof bundle>
export type BlobContents = z.output<typeof blobContents>
export type BlobBindings = z.output<typeof blobBindings>
export type BlobProblem = (typeof BLOB_PROBLEMS)[number]
export type OpenedBlob = z.output<typeof openedBlob>
export type Replaced = z.output<typeof replaced>

/** Evidence from a caller: a node's answers, in hex. */
export type StorageEvidence = z.input<typeof field.storageEvidence>
export type IntentEvidence = z.input<typeof intentEvidence>

/** Evidence after validation. */
export type CheckedStorageEvidence = z.output<typeof field.storageEvidence>
export type CheckedIntentEvidence = z.output<typeof intentEvidence>

/** A request after validation: the input of operations. */
export type CheckedRequest<Name extends OperationName> = z.output<
  (typeof OPERATIONS)[Name]['request']
>
