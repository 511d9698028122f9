import type { Hex } from '../../src/event/bridgeEvent.ts'
import { shareSurplus } from '../money/shareSurplus.ts'
import type { BlobPlaintext, RegisteredRecipient } from '../recoveryBlob/plaintextFormat.ts'

/**
 * The first index of a bundle's own derivations. Lower ones are for requested addresses, whose requester would
 * otherwise recognise the Safe when it is paid.
 */
export const BUNDLE_INDEX = 0x80_00

/** A registered wallet of a bundle, and which of its derivations is paid. */
type ReplacedWallet = RegisteredRecipient & { wallet: Hex; index: number }

/** The derivations of a bundle's registered wallets: each wallet's first is `BUNDLE_INDEX`. */
export function listReplacedWallets(
  { recipients }: Pick<BlobPlaintext, 'recipients'>,
  registered: readonly RegisteredRecipient[],
): ReplacedWallet[] {
  const paid = new Map<Hex, number>()
  return registered.map(({ position, isContract }) => {
    const wallet = recipients[position]!
    const before = paid.get(wallet) ?? 0
    paid.set(wallet, before + 1)
    return { position, isContract, wallet, index: BUNDLE_INDEX + before }
  })
}

/**
 * Whom a winner pays, and how much: Safes replace registered wallets, and each amount includes its share of what the
 * winner committed to beyond their sum.
 *
 * @param safes by position
 * @param amountB base units of tokenB, at least the amounts' sum
 */
export function calculatePayments(
  { recipients, amounts }: Pick<BlobPlaintext, 'recipients' | 'amounts'>,
  safes: ReadonlyMap<number, Hex>,
  amountB: bigint,
): { recipients: Hex[]; amounts: bigint[] } {
  return {
    recipients: recipients.map((recipient, position) => safes.get(position) ?? recipient),
    amounts: shareSurplus(amounts, amountB),
  }
}
