import { z } from 'zod'
import * as field from '../fieldSchemas.ts'

const none = z.strictObject({})

/** `eth_getProof` of the vault at one block, as a node answers it. Slots: `orderSlots` in core/proof. */
const vaultEvidence = z.strictObject({
  blockNumber: field.blockNumber,
  accountProof: z.array(field.octets).max(64),
  storageProofs: z
    .array(z.strictObject({ slot: field.bytes32, proof: z.array(field.octets).max(64) }))
    .max(64),
})

const signed = {
  /** EIP-712, for the vault; 65 bytes. */
  signature: field.signature65,
  signer: field.address,
}

/** Text as its owner signed it by EIP-191: only its length is checked. */
const message = z.string().max(4_096)

/** An order as it was submitted: its keccak256 is the vault's id of it. */
const encrypted = field.bytes

const orderTerms = z.strictObject({
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
})

/** The enclave's operations for scheduled orders, with requests and answers. */
export const ORDER_OPERATIONS = {
  orderKeys: {
    request: none,
    response: z.strictObject({
      /** Orders are encrypted to it; 65 bytes. Not the relayer's. */
      eciesPublicKey: field.publicKey,
      /** Pays the gas of orders and has no other right. */
      account: field.address,
    }),
  },
  signFunding: {
    request: z.strictObject({
      encrypted,
      message,
      /** The owner's over `message`. */
      signature: field.signature,
      /** Unix seconds: until when the order may be funded, ten minutes from now at most. */
      deadline: field.unixSeconds,
    }),
    response: z.strictObject({
      sourceChainId: field.chainId,
      message: orderTerms.extend({ orderId: field.bytes32 }),
      /** Where in the message's bytes the order's id begins; 0 where it isn't named. */
      digestOffset: z.int().min(0),
      /** The owner's signature as the vault takes it: a key's in its one form. */
      ownerSignature: field.signature,
      ...signed,
    }),
  },
  signTranche: {
    request: z.strictObject({
      sourceChainId: field.chainId,
      encrypted,
      n: z.int().min(0),
    }),
    response: z.strictObject({
      message: z.strictObject({
        orderId: field.bytes32,
        n: field.uint256,
        blobHash: field.bytes32,
      }),
      /** Names the tranche's recipients; the same every time, from every enclave with the root. */
      encryptedBlob: field.bytes,
      ...signed,
    }),
  },
  sealTrancheBundle: {
    request: z.strictObject({
      sourceChainId: field.chainId,
      encrypted,
      n: z.int().min(0),
      intentId: field.uint256,
    }),
    /** For `POST /store-recipients`. */
    response: z.strictObject({ encryptedData: field.bytes }),
  },
  signClose: {
    request: z.strictObject({
      sourceChainId: field.chainId,
      orderId: field.bytes32,
      /** Why: its owner's message, with the order as it was submitted, or the vault's storage. */
      by: z.union([
        z.strictObject({ encrypted, message, signature: field.signature }),
        z.strictObject({ vault: vaultEvidence }),
      ]),
    }),
    response: z.strictObject({ message: z.strictObject({ orderId: field.bytes32 }), ...signed }),
  },
  readOrder: {
    request: z.strictObject({
      sourceChainId: field.chainId,
      encrypted,
      /** The owner's over `TWAP_READ:<orderId or owner>:<unix seconds>`. */
      message,
      signature: field.signature,
    }),
    response: z.strictObject({
      recipients: z.array(field.address),
      /** Base units of tokenB. */
      amounts: z.array(field.uint256),
    }),
  },
  signOrderTransaction: {
    request: z.strictObject({
      chainId: field.chainId,
      nonce: z.int().min(0),
      to: field.address,
      data: field.bytes,
      gas: field.uint256,
      maxFeePerGas: field.uint256,
      maxPriorityFeePerGas: field.uint256,
    }),
    response: z.strictObject({
      serialized: field.bytes,
      hash: field.bytes32,
      from: field.address,
    }),
  },
} as const
