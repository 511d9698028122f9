import { formatUnits } from 'viem'
import type { Choice } from './chooseTransferableHoldings.ts'
import type { SweptSafe } from './inspectSafe.ts'
import type { Holding } from './readHoldings.ts'

/** The result, as `--json` prints it. Amounts in base units. */
export type Report = {
  chainId: number
  to: string
  payer: string
  dryRun: boolean
  safes: ReturnType<typeof reportSafe>[]
  /** Why some Safes weren't swept although others were. Run it again for these. */
  failures: { code: string; error: string; safes: string[] }[]
  transactions: {
    /** Null in a dry run. */
    hash: string | null
    gas: string
    safes: string[]
  }[]
}

/** One Safe's part of the report. */
export function reportSafe({ safeAddress, owner, isDeployed }: SweptSafe, { moved, left }: Choice) {
  return {
    safeAddress,
    stealthAddress: owner.address,
    isDeployed,
    moved: moved.map(describeAmount),
    left: left.map((one) => ({ ...describeAmount(one), reason: one.reason })),
  }
}

/** The report as text for a terminal, without colours. */
export function formatReport(report: Report, chainName: string): string {
  const lines = report.safes.flatMap((safe) => [
    `Safe ${safe.safeAddress} of ${safe.stealthAddress}${safe.isDeployed ? '' : ' (not deployed yet)'}`,
    ...safe.moved.map(({ text }) => `  ${report.dryRun ? 'would move' : 'moved'} ${text}`),
    ...safe.left.map(({ text, reason }) => `  left ${text}: ${reason}`),
    ...(safe.moved.length + safe.left.length === 0 ? [sayEmpty(safe.isDeployed)] : []),
  ])
  const sent = report.transactions.map(({ hash, gas, safes }) =>
    hash === null
      ? `Would send one transaction for ${safes.length} Safe(s), gas ${gas}`
      : `Transaction ${hash}, gas ${gas}`,
  )
  return [
    `${chainName} (${report.chainId}), to ${report.to}, gas paid by ${report.payer}`,
    ...['', ...lines],
    ...(sent.length === 0 ? [] : ['', ...sent]),
  ].join('\n')
}

/** Every key has a Safe, so one that was never paid may belong to another key than the one meant. */
function sayEmpty(isDeployed: boolean): string {
  const hint =
    ': if it should, check that this is the payment’s chain, and the key a stealth key, not your wallet’s'
  return `  holds nothing${isDeployed ? '' : hint}`
}

/** An amount in base units, and as text in whole tokens. The zero address is the chain's currency. */
function describeAmount({ token, symbol, decimals, amount }: Holding) {
  const name = symbol === null ? token : `${symbol} (${token})`
  const text =
    decimals === null
      ? `${amount} base units of ${name}`
      : `${formatUnits(amount, decimals)} ${name}`
  return { token, symbol, amount: String(amount), text }
}
