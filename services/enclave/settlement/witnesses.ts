import type { Hex } from '../../../src/event/bridgeEvent.ts'

/** A block as all witnesses of its chain tell of it. */
export type WitnessedBlock = {
  hash: Hex
  /** Hashes of its transactions, in order. */
  transactions: Hex[]
}

/** What a wallet is said to have signed. */
export type WalletSignature = { wallet: Hex; message: string; signature: Hex }

/**
 * The enclave's own view of the chains: every answer is one that all witnesses of the chain give,
 * so a single provider that lies can stop the enclave but not deceive it.
 */
export type Witnesses = {
  /** The lowest of their heads, and its time. Rejects with an EnclaveError `WITNESS_UNREACHABLE`. */
  head(chainId: number): Promise<{ number: number; timestamp: number }>
  /** Rejects with `WITNESS_UNREACHABLE`, or `BLOCK_NOT_CANONICAL` when they disagree. */
  block(chainId: number, number: number): Promise<WitnessedBlock>
  /** Whether the wallet's contract accepts the signature (ERC-1271, ERC-6492). `WITNESS_UNREACHABLE`. */
  isWalletSignature(chainId: number, signed: WalletSignature): Promise<boolean>
}
