import { z } from 'zod'
import { MAX_RECIPIENTS, MAX_VIEWERS } from './bundleLimits.ts'
import * as field from './fieldSchemas.ts'
import { ORDER_OPERATIONS } from './orders/orderOperationSchemas.ts'

/** Whom the sender pays; addresses in lower case, amounts in tokenB base units. */
const bundle = z.strictObject({
  recipients: z.array(field.address).max(MAX_RECIPIENTS),
  amounts: z.array(field.uint96).max(MAX_RECIPIENTS),
  /** The sender's own number: the highest on chain counts. A creation's is 0. */
  n: z.int().min(0),
  salt: field.bytes32,
  metadata: field.metadata.optional(),
  viewers: z.array(field.address).max(MAX_VIEWERS).optional(),
})

/** What makes one ciphertext serve one intent only: SHA-256 of it, and of the 65-byte key at its front. */
const ciphertextDigests = z.strictObject({
  digest: field.bytes32,
  ephemeralKeyDigest: field.bytes32,
})

/** A recipient that was a registered wallet when an enclave signed for the blob: paid at its Safe. */
const registeredRecipient = z.strictObject({
  /** Position in `recipients`. */
  position: z.int().min(0),
  /** Whether it is a contract on the destination chain; else it is a key. */
  isContract: z.boolean(),
})

/** Everything in a recovery blob. An appended blob may have no recipients, only what came later. */
const blobContents = bundle.extend({
  sourceChainId: field.chainId,
  bridge: field.address,
  /** The intent's sender. */
  user: field.address,
  /** See `paramsHash` in src/event. */
  paramsHash: field.bytes32,
  /** Absent in a blob that was made before the intent had an id. */
  intentId: field.uint256.optional(),
  /** Counts only in a blob that an enclave signed for. */
  registered: z.array(registeredRecipient).max(MAX_RECIPIENTS),
  createdAt: field.unixSeconds,
  /** The sender's, over `storeRecipientsMessage` (EIP-191, 65 bytes). */
  signature: field.signature65.optional(),
})

const blobBindings = z.strictObject({
  sourceChainId: field.chainId,
  bridge: field.address,
  user: field.address,
  paramsHash: field.bytes32,
  intentId: field.uint256,
})

/** Why a blob can't be used. None of these is an error: anyone may put anything on chain. */
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
 * An intent as its source bridge stores it, and its blobs in the chain's order: those of before
 * `firmAt`, which fold to the record's `blobsHash`. Slots: `listIntentSlots` in core/proof.
 */
const intentEvidence = field.storageEvidence.extend({
  sourceChainId: field.chainId,
  intentId: field.uint256,
  blobs: z
    .array(
      z.strictObject({
        /** 1 creation (left out when empty), 2 anchor (an empty one too), 3 append, 4 named by the sender's call. */
        kind: z.int().min(1).max(4),
        blob: field.octets,
      }),
    )
    .max(4_096),
})

/** Of recipients: a registered wallet's ticket, or that of a delivery whose Safe is named. */
const tickets = z.array(field.bytes).max(2 * MAX_RECIPIENTS)

/** A new bundle that isn't on chain: a blob by `sealBlob`, its `signature` inside where there is one. */
const proposal = field.octets

/** Which delivery a stealth address is for. */
const delivery = {
  /** Where the money arrives. */
  chainId: field.chainId,
  intentId: field.uint256,
  /**
   * Default 0. Replaced wallets of a bundle have `BUNDLE_INDEX` (0x8000) and up, the wallet's first
   * position first; anything below is for addresses that are asked for.
   */
  index: z.int().min(0).max(0xff_ff).optional(),
}

/** The chain of a wallet that is a contract; absent for one that is a key. */
const contractOn = field.chainId.optional()

/** A wallet that is a key, the same on every chain, or a contract on one of them. */
const recipient = { recipientAddress: field.address, contractOn }

/** An address in a message that was signed: as it was sent, in any letter case. */
const spelled = z.string().regex(/^0x[0-9a-fA-F]{40}$/)

/** The address that a delivery to a recipient goes to. */
const stealth = z.strictObject({
  stealthAddress: field.address,
  /** 65 bytes. */
  ephemeralPubKey: field.publicKey,
  /** 0 to 255. */
  viewTag: z.int().min(0).max(255),
  /** The Safe whose only owner is the stealth address, deployed or not. */
  safeAddress: field.address,
  saltNonce: field.uint256,
  /** Of the recipient, as `tagRecipients` gives it. */
  tag: field.bytes32,
  /** The delivery, sealed by the enclave for itself: `signTransaction`, `signAnchor` and `signAppend` want it. */
  ticket: field.bytes,
  /** The recipient's. */
  spendPubKey: field.publicKey,
  viewPubKey: field.publicKey,
})

/** A registered wallet of a bundle, and the Safe that the winner pays in its place. */
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

/** What the messages about a winner have in common. */
const aboutWinner = z.strictObject({
  intentId: field.uint256,
  paramsHash: field.bytes32,
  blobsHash: field.bytes32,
  solver: field.address,
  /** The winner's commitment. */
  amountB: field.uint256,
})

/** Proofs of both chains: the intent's, and the delivery's slot (or its absence) where the money arrives. */
const evidenceOfDelivery = z.strictObject({
  intent: intentEvidence,
  /** Slot: `findDeliverySlot` in core/proof of the key that `revealToWinner` answers. */
  delivery: field.storageEvidence,
})

/** What a registry says of an enclave's key. Slots: `listEnclaveKeySlots` in core/proof. */
const registryEvidence = z.strictObject({ chainId: field.chainId, evidence: field.storageEvidence })

const whichKey = {
  /** `next` is a key that a rotation has made and not yet taken into use. Default `current`. */
  key: z.enum(['current', 'next']).optional(),
}

/** The public halves of the keys in use. */
const publicKeys = z.strictObject({
  /** 65 bytes, uncompressed. */
  eciesPublicKey: field.publicKey,
  /** First 4 bytes of keccak256 of the 65 bytes. */
  keyId: field.bytes4,
  /** Signs attestations; to be registered in every `EnclaveKeyRegistry`. */
  attester: field.address,
  /** Made by a rotation, to be registered before it is taken into use. */
  nextAttester: field.address.nullable(),
  /** The relayer's account on every chain: pays gas and has no other right. */
  relayer: field.address,
  /** Of the older keys, which open but no longer seal; newest first. */
  previousKeyIds: z.array(field.bytes4),
})

/**
 * Every operation of the enclave, with its request and answer.
 *
 * Whatever takes evidence rejects with `EVIDENCE_INVALID` (its field says which part),
 * `PROVIDERS_UNREACHABLE`, `BLOCK_NOT_AGREED`, `NOT_CONFIRMED` (these three may pass) or
 * `CHAIN_NOT_CONFIGURED`; whatever needs an intent's recipients with `KEY_MISSING` or
 * `RECIPIENTS_UNKNOWN`; and with `WRONG_PHASE` when the intent isn't where it must be.
 */
export const OPERATIONS = {
  /** The public halves of the keys in use. */
  publicKeys: { request: field.none, response: publicKeys },
  /**
   * Opens a sender's bundle and checks its rules: lengths equal, recipients not zero, amounts above
   * zero, `intentId`, `chainId` and `sender` inside it, where present, those of the intent. Rejects
   * with `DECRYPTION_FAILED`, `BUNDLE_MALFORMED`, `RECIPIENTS_INVALID`, `METADATA_TOO_LARGE` or
   * `BUNDLE_OF_ANOTHER_INTENT`.
   */
  openBundle: {
    request: z.strictObject({
      /** The sender's ECIES ciphertext of the bundle's JSON. */
      ciphertext: field.bytes,
      sourceChainId: field.chainId,
      intentId: field.uint256,
      /** The intent's sender, if a `sender` inside the bundle is to be compared with it. */
      sender: field.address.optional(),
    }),
    /** `n` is 1 and `salt` zero where the bundle has none. */
    response: bundle.extend({ ciphertext: ciphertextDigests }),
  },
  /** Seals a recovery blob to the current key: different each time. `BLOB_TOO_LARGE`. */
  sealBlob: {
    request: blobContents.extend({
      registered: z.array(registeredRecipient).max(MAX_RECIPIENTS).optional(),
      /** The class whose size the blob gets at least; default: of its recipients. */
      recipientClass: z.int().min(1).max(256).optional(),
    }),
    response: z.strictObject({ blob: field.bytes }),
  },
  /** Opens a recovery blob and compares its bindings. A fault in a blob is an answer, not an error. */
  openBlob: { request: blobToOpen, response: openedBlob },
  /** `openBlob` for many, answers in the order of the questions. */
  openBlobs: {
    request: z.strictObject({ blobs: z.array(blobToOpen).max(1_000) }),
    response: z.strictObject({ opened: z.array(openedBlob) }),
  },
  /**
   * Signs the anchor of an intent for which a bundle counts, the proposal included: fee tier, class
   * and registered wallets are decided here, once. `RECIPIENTS_UNKNOWN` without one,
   * `RECIPIENTS_INVALID`, `SIGNATURE_REQUIRED`, `SIGNATURE_INVALID`, `TOO_EARLY` (compat: may pass).
   */
  signAnchor: {
    request: z.strictObject({
      /** Any block will do, the latest too: what is signed binds the terms and the blobs of before. */
      intent: intentEvidence,
      proposal: proposal.optional(),
      tickets,
    }),
    response: z.strictObject({
      message: anchorMessage,
      /** For the call; empty (`0x`) when what is on chain says everything. */
      encryptedBlob: field.bytes,
      /** The wallets that the winner will pay at their Safes. */
      replaced: z.array(replaced),
      ...field.signed,
    }),
  },
  /**
   * Signs a further blob: a replacement by the sender's signature, metadata and viewers for the
   * bundle that counts, or its registered wallets. Besides the above `CLASS_EXCEEDED`,
   * `FEE_TIER_FIXED`, `N_TOO_LOW`, `NOTHING_TO_APPEND`.
   */
  signAppend: {
    request: z.strictObject({
      intent: intentEvidence,
      /** Without it: `registered` for recipients that the sender named by its own call. */
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
  /**
   * Seals the recipients to the winner: the same bytes from every enclave with the root.
   * `NO_SEALING_KEY`.
   */
  revealToWinner: {
    /** The solver's sealing key is proven too: two more slots. */
    request: z.strictObject({ intent: intentEvidence }),
    response: z.strictObject({
      message: aboutWinner.extend({ sealedHash: field.bytes32 }),
      /** The recipients, sealed to the winner and padded to their class: for `revealRecipients`. */
      sealed: field.bytes,
      /** As the winner must pay them: Safes for registered wallets, surplus shared. */
      recipients: z.array(field.address),
      amounts: z.array(field.uint256),
      /** Key of the delivery in the destination bridge's `deliveryAt`. */
      deliveryKey: field.bytes32,
      replaced: z.array(replaced),
      /** `hashNaming` in core/bundle of the bundle that counts. */
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
  /** Attests that it didn't in time. `DELIVERED`; `NOT_CONFIRMED` while the deadline isn't past. */
  attestNotDelivered: {
    request: evidenceOfDelivery,
    response: z.strictObject({
      message: aboutWinner.extend({ fillDeadline: field.uint256 }),
      ...field.signed,
    }),
  },
  /** Signs as the relayer's gas account what its policy allows, else `TRANSACTION_NOT_ALLOWED`. */
  signTransaction: {
    request: field.transaction.extend({
      /** Wei; only 0 is signed. */
      value: field.uint256.optional(),
      /** For a transaction about a Safe: the `ticket` of the delivery that the Safe is of. */
      ticket: field.bytes.optional(),
    }),
    response: field.signedTransaction,
  },
  /** Signs `Registration` for the chain's key registry, so that the attester can be registered. */
  provePossession: {
    /** The fields of the registry's `Registration`; signer and ECIES key are the enclave's own. */
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
      /** By the chain's registry: `newChallenge()`. */
      challenge: field.bytes32,
      /** The chain's development verifier; hardware's evidence is for any. */
      verifier: field.address.optional(),
      ...whichKey,
    }),
    response: z.strictObject({
      /** For `register`. */
      evidence: field.bytes,
      measurement: field.bytes32,
      /** As the registry's `reportDataFor(signer, eciesKey, challenge)`. */
      reportData: field.bytes32,
      signer: field.address,
      eciesPublicKey: field.publicKey,
    }),
  },
  /** Quote, measurement, configuration and keys, for anybody. */
  attestation: {
    request: field.none,
    response: z.strictObject({
      /** `software`: no hardware isolation. */
      kind: z.enum(['software', 'tdx']),
      /** Over keccak256 of configuration digest and keys. */
      quote: field.bytes,
      measurement: field.bytes32,
      /** The measured configuration, as the JSON text that the digest is of. */
      configuration: z.string(),
      /** keccak256 of that text. */
      configurationDigest: field.bytes32,
      keys: publicKeys,
    }),
  },
  /** A recipient's public keys and ticket, against its signature: `SIGNATURE_INVALID`. */
  registerRecipient: {
    request: z.strictObject({
      /** As the wallet wrote it in the message that it signed. */
      recipientAddress: spelled,
      /** Of `REGISTER_STEALTH:<recipientAddress>`, or its EIP-712 form. */
      signature: field.signature,
      contractOn,
    }),
    response: z.strictObject({
      spendPubKey: field.publicKey,
      viewPubKey: field.publicKey,
      /** As `tagRecipients` gives them. */
      tags: z.array(field.bytes32).min(1),
      /** That this wallet is registered, for `signAnchor` and `signAppend`. Keep it. */
      ticket: field.bytes,
    }),
  },
  /** Tags of recipients, for where their wallets must not be readable. */
  tagRecipients: {
    request: z.strictObject({ recipients: z.array(z.strictObject(recipient)).max(1_000) }),
    response: z.strictObject({
      /** Each recipient's tags, one per root, the newest first. */
      tags: z.array(z.array(field.bytes32).min(1)),
    }),
  },
  /** A caller's tag, likewise. */
  tagCaller: {
    request: z.strictObject({ caller: z.string().max(128) }),
    response: z.strictObject({ tag: field.bytes32 }),
  },
  /** The stealth address of one delivery, and its Safe. The same on every call. */
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
            /** Of the root to derive from: the intent's. Default: the current one. */
            keyId: field.bytes4.optional(),
          }),
        )
        .max(1_000),
    }),
    /** In their order; null for a key that the enclave doesn't have or a chain it doesn't know. */
    response: z.strictObject({ derived: z.array(stealth.nullable()) }),
  },
  /** The private key of a stealth address, for its owner: `SIGNATURE_INVALID`, `NOT_YOUR_ADDRESS`, `CHALLENGE_REQUIRED`. */
  exportStealthKey: {
    request: z.strictObject({
      ...delivery,
      recipientAddress: spelled,
      stealthAddress: spelled,
      /** Of `DERIVE_STEALTH_KEY:<recipientAddress>:<stealthAddress>`, or its EIP-712 form. */
      signature: field.signature,
      /** Of `DERIVE_STEALTH_KEY:<recipientAddress>:<stealthAddress>:<timestamp>`; strict mode needs it. */
      challenge: z
        .strictObject({ timestamp: field.unixSeconds, signature: field.signature })
        .optional(),
      contractOn,
    }),
    response: z.strictObject({ stealthPrivateKey: field.bytes32 }),
  },
  /** Makes the next attestation key, or takes it into use: `NO_NEXT_KEY`. */
  rotateAttester: {
    request: z.strictObject({
      /** `prepare` makes the next key (once); `promote` takes it into use. */
      step: z.enum(['prepare', 'promote']),
    }),
    response: z.strictObject({
      attester: field.address,
      nextAttester: field.address.nullable(),
    }),
  },
  /** Asks another enclave for the root. */
  requestRoot: {
    request: field.none,
    /** For `handOverRoot` of an enclave that has the roots. */
    response: z.strictObject({
      transportKey: field.publicKey,
      /** By the attester, over `RootRequest(transportKey)`. */
      ...field.signed,
    }),
  },
  /** Gives the roots to an enclave whose key registries and operators vouch for: `HANDOVER_REFUSED`. */
  handOverRoot: {
    request: z.strictObject({
      transportKey: field.publicKey,
      ...field.signed,
      /** One for each registry that must know the key. */
      registries: z
        .array(
          registryEvidence.extend({
            /** By the registry's operators, over `RootHandover(signer, transportKey)`. */
            operatorSignatures: z.array(field.signature65).max(16),
          }),
        )
        .max(64),
    }),
    response: z.strictObject({
      sealedRoots: field.bytes,
      /** By the giver's attester, over `RootGift(transportKey, sealedRoots)`. */
      ...field.signed,
    }),
  },
  /** Takes the roots that another enclave gave: `DECRYPTION_FAILED`. */
  acceptRoots: {
    request: z.strictObject({
      sealedRoots: field.bytes,
      ...field.signed,
      /** That the giver is an enclave. */
      registries: z.array(registryEvidence).max(64),
    }),
    response: z.strictObject({ keyIds: z.array(field.bytes4) }),
  },
  ...ORDER_OPERATIONS,
} as const

export type OperationName = keyof typeof OPERATIONS

/** A request before its check: in any letter case, with numbers as decimal text or bigints. */
export type RequestOf<Name extends OperationName> = z.input<(typeof OPERATIONS)[Name]['request']>

/** What an operation answers. */
export type ResponseOf<Name extends OperationName> = z.output<(typeof OPERATIONS)[Name]['response']>

export type BundleContents = z.output<typeof bundle>
export type BlobContents = z.output<typeof blobContents>
export type BlobBindings = z.output<typeof blobBindings>
export type BlobProblem = (typeof BLOB_PROBLEMS)[number]
export type OpenedBlob = z.output<typeof openedBlob>
export type Replaced = z.output<typeof replaced>

/** Evidence as a caller gives it: what a node answered, in hex. */
export type StorageEvidence = z.input<typeof field.storageEvidence>
export type IntentEvidence = z.input<typeof intentEvidence>

/** Evidence after its check. */
export type CheckedStorageEvidence = z.output<typeof field.storageEvidence>
export type CheckedIntentEvidence = z.output<typeof intentEvidence>

/** A request after its check: the form that operations are written for. */
export type CheckedRequest<Name extends OperationName> = z.output<
  (typeof OPERATIONS)[Name]['request']
>
