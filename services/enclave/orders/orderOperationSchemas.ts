import { z } from 'zod'
import * as field from '../fieldSchemas.ts'

/** Text as its owner signed it by EIP-191: only its length is checked. */
const message = z.string().max(4_096)

/** An order as submitted; its keccak256 is its id in the vault. */
const encrypted = field.bytes

const tranche = z.strictObject({ sourceChainId: field.chainId, encrypted, n: z.int().min(0) })

/** The enclave's operations for scheduled orders, with their requests and answers. */
export const ORDER_OPERATIONS = {
  /** The key that scheduled orders are encrypted to, and the account that pays their gas. */
  orderKeys: {
    request: field.none,
    response: z.strictObject({
      /** Orders are encrypted to it; 65 bytes. Not the relayer's. */
      eciesPublicKey: field.publicKey,
      /** Pays the gas of orders and has no other rights. */
      account: field.address,
      /** The attestation key's, over `OrderKey(eciesKey)`, so that owners can tell this key from anyone else's. */
      ...field.signed,
    }),
  },
  /**
   * Opens an order, verifies its owner's message and signs the terms that the vault funds it under.
   * `DECRYPTION_FAILED`, `ORDER_INVALID`, `SIGNATURE_INVALID`, `SIGNER_MISMATCH`, `MESSAGE_REFUSED`.
   */
  signFunding: {
    request: z.strictObject({
      encrypted,
      message,
      /** The owner's over `message`. */
      signature: field.signature,
      /** Unix seconds until which the order may be funded, unless `message` expires first: at most ten minutes from now. */
      deadline: field.unixSeconds,
    }),
    response: z.strictObject({
      sourceChainId: field.chainId,
      message: z.strictObject({
        orderId: field.bytes32,
        owner: field.address,
        token: field.address,
        destChainId: field.uint256,
        tokenB: field.address,
        expectedAmountB: field.uint256,
        totalAmount: field.uint256,
        amountPerPeriod: field.uint256,
        period: field.uint256,
        startTime: field.uint256,
        endTime: field.uint256,
        deadline: field.uint256,
      }),
      /** Offset of the order's id in the message's bytes; 0 if absent. */
      digestOffset: z.int().min(0),
      /** The owner's signature in the form that the vault accepts; a key's has only one. */
      ownerSignature: field.signature,
      ...field.signed,
    }),
  },
  /** Signs a tranche of an order, with the blob that names the order's recipients. */
  signTranche: {
    request: tranche,
    response: z.strictObject({
      message: z.strictObject({
        orderId: field.bytes32,
        n: field.uint256,
        blobHash: field.bytes32,
      }),
      /** Names the tranche's recipients; the same every time, from every enclave with the root. */
      encryptedBlob: field.bytes,
      ...field.signed,
    }),
  },
  /** Encrypts a tranche's recipients to the relayer, for `POST /store-recipients`. */
  sealTrancheBundle: {
    request: tranche.extend({ intentId: field.uint256 }),
    /** For `POST /store-recipients`. */
    response: z.strictObject({ encryptedData: field.bytes }),
  },
  /** Signs that an order may be closed, given its owner's message or the vault's storage. `WRONG_PHASE`. */
  signClose: {
    request: z.strictObject({
      sourceChainId: field.chainId,
      orderId: field.bytes32,
      /** The reason: its owner's message, with the order as submitted, or the vault's storage. */
      by: z.union([
        z.strictObject({ encrypted, message, signature: field.signature }),
        /** Of the vault. Slots: `listOrderSlots` in core/proof. */
        z.strictObject({ vault: field.storageEvidence }),
      ]),
    }),
    response: z.strictObject({
      message: z.strictObject({ orderId: field.bytes32 }),
      ...field.signed,
    }),
  },
  /** Returns an order's recipients to its owner. */
  readOrder: {
    request: z.strictObject({
      sourceChainId: field.chainId,
      encrypted,
      /** The owner's over `TWAP_READ:<orderId>:<unix seconds>`. */
      message,
      signature: field.signature,
    }),
    response: z.strictObject({
      recipients: z.array(field.address),
      /** Base units of tokenB. */
      amounts: z.array(field.uint256),
    }),
  },
  /** Signs with the orders' gas account: calls of a vault and nothing else. `TRANSACTION_NOT_ALLOWED`. */
  signOrderTransaction: { request: field.transaction, response: field.signedTransaction },
} as const
