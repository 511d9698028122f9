import type { Address } from 'viem'
import { findSafeContracts, type SafeContracts } from '../../core/safe/safeContracts.ts'
import type { SafeCall } from '../../sdk/safe/safeTransaction.ts'
import { NATIVE } from '../../sdk/safe/transferCall.ts'
import { type Choice, chooseTransferableHoldings } from './chooseTransferableHoldings.ts'
import { type Batch, composeBatches } from './composeBatches.ts'
import type { SweepChain } from './connectChain.ts'
import { isUnreachable } from './contractAnswerOrNull.ts'
import { describeFailure } from './describeFailure.ts'
import { findTokens } from './findTokens.ts'
import { findUnmoved, type Unmoved } from './findUnmoved.ts'
import { inspectSafe, type SweptSafe } from './inspectSafe.ts'
import { predictOwnedSafe } from './predictOwnedSafe.ts'
import { readHoldings } from './readHoldings.ts'
import type { SweepAccounts } from './readPrivateKeys.ts'
import { readSafeContracts, requireSafeContracts } from './readSafeContracts.ts'
import { priceBatch, requireFunds, sendBatch } from './sendBatch.ts'
import { SweepError } from './sweepError.ts'
import type { SweepOptions } from './sweepOptions.ts'
import { type Report, reportSafe } from './sweepReport.ts'

type Failure = Report['failures'][number]
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
  const { found, refused } = await inspectSafes(chain, contracts, accounts, options)
  const { transactions, unmoved, unsent } = await sweepAll(
    chain,
    contracts,
    accounts,
    found,
    options,
  )
  return {
    chainId: chain.chainId,
    to: options.to,
    payer: accounts.payer.address,
    dryRun: options.dryRun,
    safes: found.map(({ safe, choice }) =>
      reportSafe(safe, leaveUnmoved(safe, choice, unmoved, unsent)),
    ),
    failures: [...refused, ...(unsent === null ? [] : [unsent])],
    transactions,
  }
}

/** Holdings that didn't move after all stay. */
function leaveUnmoved(
  { safeAddress }: SweptSafe,
  { moved, left }: Choice,
  unmoved: readonly Unmoved[],
  unsent: Failure | null,
): Choice {
  const findReason = ({ token }: Choice['moved'][number]): string | null => {
    if (unsent?.safes.includes(safeAddress)) return `not shown to have moved (${unsent.code})`
    const isUnmoved = unmoved.some((one) => one.safeAddress === safeAddress && one.token === token)
    return isUnmoved ? "the node doesn't show that its transfer moved it: run this again" : null
  }
  const stays = moved.flatMap((holding) => {
    const reason = findReason(holding)
    return reason === null ? [] : [{ ...holding, reason }]
  })
  return {
    moved: moved.filter((holding) => findReason(holding) === null),
    left: [...stays, ...left],
  }
}

async function inspectSafes(
  chain: SweepChain,
  contracts: SafeContracts,
  { owners }: SweepAccounts,
  { to, tokens, fromBlock, safe: expected }: SweepOptions,
): Promise<{ found: Found[]; refused: Failure[] }> {
  const predicted = owners.map((owner) => predictOwnedSafe(chain.chainId, owner, contracts))
  const addresses = predicted.map(({ safeAddress }) => safeAddress)
  requireExpected(addresses, expected)
  if (addresses.includes(to)) throw new SweepError('USAGE', '--to is one of the Safes themselves')
  const requested = tokens ?? [NATIVE, ...(await findTokens(chain, addresses, fromBlock))]
  const found: Found[] = []
  const refused: Failure[] = []
  for (const { owner, safeAddress, deployment } of predicted) {
    try {
      const safe = await inspectSafe(chain, owner, safeAddress)
      const holdings = await readHoldings(chain, safeAddress, requested)
      const choice = await chooseTransferableHoldings(chain, safeAddress, to, holdings)
      found.push({ safe, deployment, choice })
    } catch (error) {
      // One Safe mustn't hold back the others, unless it is the node that fails.
      if (isUnreachable(error) || predicted.length === 1) throw error
      refused.push(asFailure(error, [safeAddress]))
    }
  }
  return { found, refused }
}

function asFailure(error: unknown, safes: string[]): Failure {
  const { code, message } = describeFailure(error)
  return { code, error: message, safes }
}

/** A Safe other than the paid one would only look empty. */
function requireExpected(addresses: readonly Address[], expected: Address | null): void {
  if (expected === null || (addresses.length === 1 && addresses[0] === expected)) return
  throw new SweepError(
    'OTHER_SAFE',
    `the Safe of this key is ${addresses.join(', ')} on this chain, not ${expected}: wrong key or wrong chain`,
  )
}

type Swept = Pick<Report, 'transactions'> & {
  unmoved: Unmoved[]
  /** The batch that failed, and those after it, which weren't sent. */
  unsent: Failure | null
}

/** Simulates all batches before it sends the first. @throws SweepError if not even the first was sent */
async function sweepAll(
  chain: SweepChain,
  { multiSendCallOnly }: SafeContracts,
  { payer }: SweepAccounts,
  found: readonly Found[],
  { to, dryRun }: SweepOptions,
): Promise<Swept> {
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
  const swept: Swept = { transactions: [], unmoved: [], unsent: null }
  for (const [at, { batch, cost }] of priced.entries()) {
    try {
      const sent = dryRun ? null : await sendBatch(chain, payer, batch, cost)
      const gas = String(sent?.gasUsed ?? cost.gas)
      swept.transactions.push({ hash: sent?.hash ?? null, gas, safes: addressesOf([batch]) })
      if (sent !== null) swept.unmoved.push(...(await findUnmoved(chain, batch, sent.block)))
    } catch (error) {
      if (swept.transactions.length === 0) throw error
      swept.unsent = asFailure(error, addressesOf(batches.slice(at)))
      break
    }
  }
  return swept
}

function addressesOf(batches: readonly Batch[]): Address[] {
  return batches.flatMap(({ safes }) => safes.map(({ safeAddress }) => safeAddress))
}
