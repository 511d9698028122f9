import type { Address } from 'viem'
import { findSafeContracts, type SafeContracts } from '../../core/safe/safeContracts.ts'
import type { SafeCall } from '../../sdk/safe/safeTransaction.ts'
import { NATIVE } from '../../sdk/safe/transferCall.ts'
import { type Choice, chooseTransferableHoldings } from './chooseTransferableHoldings.ts'
import { composeBatches } from './composeBatches.ts'
import type { SweepChain } from './connectChain.ts'
import { findTokens } from './findTokens.ts'
import { inspectSafe, type SweptSafe } from './inspectSafe.ts'
import { predictOwnedSafe } from './predictOwnedSafe.ts'
import { readHoldings } from './readHoldings.ts'
import type { SweepAccounts } from './readPrivateKeys.ts'
import { readSafeContracts, requireSafeContracts } from './readSafeContracts.ts'
import { priceBatch, requireFunds, sendBatch } from './sendBatch.ts'
import { SweepError } from './sweepError.ts'
import type { SweepOptions } from './sweepOptions.ts'
import { type Report, reportSafe } from './sweepReport.ts'

type Found = { safe: SweptSafe; deployment: SafeCall; choice: Choice }

/**
 * Empties the Safes of these keys.
 *
 * @throws SweepError
 */
export async function sweep(
  chain: SweepChain,
  accounts: SweepAccounts,
  options: SweepOptions,
): Promise<Report> {
  const contracts = findSafeContracts(chain.chainId, readSafeContracts(options.safeContractsFile))
  await requireSafeContracts(chain, contracts)
  const found = await inspectSafes(chain, contracts, accounts, options)
  const transactions = await sweepAll(chain, contracts, accounts, found, options)
  return {
    chainId: chain.chainId,
    to: options.to,
    payer: accounts.payer.address,
    dryRun: options.dryRun,
    safes: found.map(({ safe, choice }) => reportSafe(safe, choice)),
    transactions,
  }
}

async function inspectSafes(
  chain: SweepChain,
  contracts: SafeContracts,
  { owners }: SweepAccounts,
  { to, tokens, fromBlock, safe: expected }: SweepOptions,
): Promise<Found[]> {
  const predicted = owners.map((owner) => predictOwnedSafe(chain.chainId, owner, contracts))
  const addresses = predicted.map(({ safeAddress }) => safeAddress)
  requireExpected(addresses, expected)
  if (addresses.includes(to)) throw new SweepError('USAGE', '--to is one of the Safes themselves')
  const requested = tokens ?? [NATIVE, ...(await findTokens(chain, addresses, fromBlock))]
  const found: Found[] = []
  for (const { owner, safeAddress, deployment } of predicted) {
    const safe = await inspectSafe(chain, owner, safeAddress)
    const holdings = await readHoldings(chain, safeAddress, requested)
    const choice = await chooseTransferableHoldings(chain, safeAddress, to, holdings)
    found.push({ safe, deployment, choice })
  }
  return found
}

/** A Safe other than the paid one would only look empty. */
function requireExpected(addresses: readonly Address[], expected: Address | null): void {
  if (expected === null || (addresses.length === 1 && addresses[0] === expected)) return
  throw new SweepError(
    'OTHER_SAFE',
    `the Safe of this key is ${addresses.join(', ')} on this chain, not ${expected}: wrong key or wrong chain`,
  )
}

/** Simulates all batches before it sends the first. */
async function sweepAll(
  chain: SweepChain,
  { multiSendCallOnly }: SafeContracts,
  { payer }: SweepAccounts,
  found: readonly Found[],
  { to, dryRun }: SweepOptions,
): Promise<Report['transactions']> {
  const batches = await composeBatches(
    { chainId: chain.chainId, to, multiSendCallOnly },
    found
      .filter(({ choice }) => choice.moved.length > 0)
      .map(({ safe, deployment, choice }) => ({ ...safe, deployment, moved: choice.moved })),
  )
  const priced = []
  for (const batch of batches) priced.push({ batch, cost: await priceBatch(chain, batch) })
  if (!dryRun) {
    await requireFunds(
      chain,
      payer,
      priced.map(({ cost }) => cost),
    )
  }
  const transactions: Report['transactions'] = []
  for (const { batch, cost } of priced) {
    const sent = dryRun ? null : await sendBatch(chain, payer, batch, cost)
    const safes = batch.safes.map(({ safeAddress }) => safeAddress)
    transactions.push({ hash: sent?.hash ?? null, gas: String(sent?.gasUsed ?? cost.gas), safes })
  }
  return transactions
}
