import { z } from 'zod'
import { eventProofSchema } from '../../src/proof/proofDocument.ts'
import * as field from './fields.ts'

/** What the sender wants done with the money; addresses in lower case, amounts in tokenB base units. */
const bundle = z.strictObject({
  recipients: z.array(field.address).max(field.MAX_RECIPIENTS),
  amounts: z.array(field.uint256).max(field.MAX_RECIPIENTS),
  metadata: field.metadata.optional(),
  viewers: z.array(field.address).max(field.MAX_VIEWERS).optional(),
})

/** What makes one ciphertext serve one intent only: SHA-256 of it, and of the 65-byte key at its front. */
const ciphertextDigests = z.strictObject({
  digest: field.bytes32,
  ephemeralKeyDigest: field.bytes32,
})

/** A recipient that is a Safe of ours: whose it is, and which derivation gave its owner. */
const shieldedRecipient = z.strictObject({
  /** Position in `recipients`. */
  position: z.int().min(0),
  /** The registered wallet. */
  wallet: field.address,
  /** 0 unless one wallet is paid more than once in an intent. */
  index: z.int().min(0).max(0xff_ff),
})

/** Everything in a recovery blob. An appended blob may have no recipients, only what came later. */
const blobContents = bundle.extend({
  sourceChainId: field.chainId,
  bridge: field.address,
  /** The intent's sender. */
  user: field.address,
  /** See `paramsHash` in src/blob. */
  paramsHash: field.bytes32,
  /** Absent in a blob that was made before the intent had an id. */
  intentId: field.uint256.optional(),
  createdAt: field.unixSeconds,
  /** How the recipients came: in the creation's own blob, as a ciphertext, or in the clear. */
  origin: z.enum(['blob', 'encrypted', 'plaintext']),
  ciphertext: ciphertextDigests.optional(),
  shielded: z.array(shieldedRecipient).max(field.MAX_RECIPIENTS).optional(),
})

const blobBindings = z.strictObject({
  sourceChainId: field.chainId,
  bridge: field.address,
  user: field.address,
  paramsHash: field.bytes32,
  intentId: field.uint256,
})

/** Why a blob can't be used. Nothing of this is an error: anybody may put anything on chain. */
export const BLOB_PROBLEMS = [
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

const settlement = z.strictObject({
  intentId: field.uint256,
  solver: field.address,
  destChainId: field.uint256,
  chain2IntentId: field.uint256,
  solveTxHash: field.bytes32,
  amountB: field.uint256,
  feeBps: z.int().min(0).max(10_000),
  deadline: field.uint256,
})

/** Which delivery a stealth address is for; `index` as in `shielded`. */
const delivery = {
  /** Where the money arrives. */
  chainId: field.chainId,
  intentId: field.uint256,
  index: z.int().min(0).max(0xff_ff).optional(),
}

/** A wallet that is a key, the same on every chain, or a contract on one of them. */
const recipient = {
  recipientAddress: field.address,
  /** The chain of a wallet that is a contract; absent for one that is a key. */
  contractOn: field.chainId.optional(),
}

/** An address in a message that was signed: as it was sent, in any letter case. */
const spelled = z.string().regex(/^0x[0-9a-fA-F]{40}$/)

/** What a delivery to a recipient is made out to. */
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
  /** The delivery, sealed by the enclave for itself: `signTransaction` wants it. */
  ticket: field.bytes,
})

const none = z.strictObject({})

/** Every operation of the enclave: what it is asked, and what it answers. */
export const OPERATIONS = {
  publicKeys: {
    request: none,
    response: z.strictObject({
      /** 65 bytes, uncompressed. */
      eciesPublicKey: field.publicKey,
      /** First 4 bytes of keccak256 of the 65 bytes. */
      keyId: field.bytes4,
      /** Signs settlements; to be registered in `EnclaveKeyRegistry`. */
      attester: field.address,
      /** The relayer's account on every chain: has the bridges' relayer role and pays gas. */
      relayer: field.address,
      /** Of the older keys, which open but no longer seal; newest first. */
      previousKeyIds: z.array(field.bytes4),
    }),
  },
  openBundle: {
    request: z.strictObject({
      /** The sender's ECIES ciphertext of the bundle's JSON. */
      ciphertext: field.bytes,
      sourceChainId: field.chainId,
      intentId: field.uint256,
      /** The intent's sender, if a `sender` inside the bundle is to be compared with it. */
      sender: field.address.optional(),
    }),
    response: bundle.extend({ ciphertext: ciphertextDigests }),
  },
  sealBlob: {
    request: blobContents.extend({
      /** Blobs of 512 bytes at most; 1 for a creation's. Default: as many as it takes, up to 64. */
      maxBlocks: z.int().min(1).max(64).optional(),
    }),
    response: z.strictObject({ blob: field.bytes }),
  },
  openBlob: { request: blobToOpen, response: openedBlob },
  openBlobs: {
    request: z.strictObject({ blobs: z.array(blobToOpen).max(1_000) }),
    response: z.strictObject({ opened: z.array(openedBlob) }),
  },
  sealFor: {
    request: z.strictObject({ publicKey: field.publicKey, bytes: field.bytes }),
    response: z.strictObject({ ciphertext: field.bytes }),
  },
  attestSettlement: {
    request: z.strictObject({
      sourceChainId: field.chainId,
      intentId: field.uint256,
      /** Proofs of `IntentCreated`, `IntentAnchored`, `SolverDeposited`, `IntentSolved`, and every `BlobAppended` in between. */
      events: z.array(eventProofSchema).min(4).max(16),
    }),
    response: z.strictObject({
      settlement,
      /** EIP-712, 65 bytes: what `settleIntent` takes. */
      signature: field.signature,
      signer: field.address,
    }),
  },
  signTransaction: {
    request: z.strictObject({
      chainId: field.chainId,
      nonce: z.int().min(0),
      to: field.address,
      data: field.bytes,
      /** Wei; only 0 is signed. */
      value: field.uint256.optional(),
      gas: field.uint256,
      maxFeePerGas: field.uint256,
      maxPriorityFeePerGas: field.uint256,
      /** For a transaction about a Safe: the `ticket` of the delivery that the Safe is of. */
      ticket: field.bytes.optional(),
    }),
    response: z.strictObject({
      /** The signed EIP-1559 transaction, ready for `eth_sendRawTransaction`. */
      serialized: field.bytes,
      hash: field.bytes32,
      from: field.address,
    }),
  },
  provePossession: {
    request: z.strictObject({
      chainId: field.chainId,
      evidenceHash: field.bytes32,
      /** Unix seconds. */
      deadline: field.uint256,
    }),
    response: z.strictObject({ signature: field.signature, signer: field.address }),
  },
  registerRecipient: {
    request: z.strictObject({
      /** As the wallet wrote it in the message that it signed. */
      recipientAddress: spelled,
      /** Of `REGISTER_STEALTH:<recipientAddress>`, or its EIP-712 form. */
      signature: field.signature,
      /** Where a wallet that is a contract lives; without it only keys can sign. */
      contractOn: field.chainId.optional(),
    }),
    response: z.strictObject({
      spendPubKey: field.publicKey,
      viewPubKey: field.publicKey,
      /** As `tagRecipients` gives them. */
      tags: z.array(field.bytes32).min(1),
    }),
  },
  tagRecipients: {
    request: z.strictObject({ recipients: z.array(z.strictObject(recipient)).max(1_000) }),
    response: z.strictObject({
      /** For each recipient what stands for it, by each root, the newest first. */
      tags: z.array(z.array(field.bytes32).min(1)),
    }),
  },
  tagCaller: {
    request: z.strictObject({ caller: z.string().max(128) }),
    response: z.strictObject({ tag: field.bytes32 }),
  },
  deriveStealth: {
    request: z.strictObject({ ...recipient, ...delivery }),
    response: stealth,
  },
  findStealths: {
    request: z.strictObject({
      deliveries: z
        .array(
          z.strictObject({
            recipientAddress: field.address,
            ...delivery,
            /** What was paid. */
            safeAddress: field.address,
          }),
        )
        .max(1_000),
    }),
    /** In their order; null where the Safe is none of the delivery's. */
    response: z.strictObject({
      found: z.array(
        stealth.extend({ spendPubKey: field.publicKey, viewPubKey: field.publicKey }).nullable(),
      ),
    }),
  },
  openTickets: {
    request: z.strictObject({ tickets: z.array(field.bytes).max(1_000) }),
    /** In their order; null for what is no ticket of the enclave's. */
    response: z.strictObject({
      deliveries: z.array(
        z.strictObject({ ...recipient, ...delivery, index: z.int().min(0) }).nullable(),
      ),
    }),
  },
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
      /** Where a wallet that is a contract lives. */
      contractOn: field.chainId.optional(),
    }),
    response: z.strictObject({ stealthPrivateKey: field.bytes32 }),
  },
  quote: {
    request: z.strictObject({ nonce: field.bytes32 }),
    response: z.strictObject({
      /** `software`: no hardware vouches for anything; the signature only shows who holds the key. */
      kind: z.literal('software'),
      nonce: field.bytes32,
      eciesPublicKey: field.publicKey,
      attester: field.address,
      relayer: field.address,
      /** By the attester, over keccak256 of the four above, EIP-191. */
      signature: field.signature,
    }),
  },
} as const

export type OperationName = keyof typeof OPERATIONS

/** What an operation is asked, before it is checked: letter case and decimal text are still free. */
export type RequestOf<Name extends OperationName> = z.input<(typeof OPERATIONS)[Name]['request']>

/** What an operation answers. */
export type ResponseOf<Name extends OperationName> = z.output<(typeof OPERATIONS)[Name]['response']>

export type BundleContents = z.output<typeof bundle>
export type BlobContents = z.output<typeof blobContents>
export type BlobBindings = z.output<typeof blobBindings>
export type BlobProblem = (typeof BLOB_PROBLEMS)[number]
export type OpenedBlob = z.output<typeof openedBlob>
export type Settlement = z.output<typeof settlement>

/** A request after its check: the form that operations are written for. */
export type CheckedRequest<Name extends OperationName> = z.output<
  (typeof OPERATIONS)[Name]['request']
>
