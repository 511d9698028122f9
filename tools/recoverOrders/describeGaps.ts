import type { recoverOrders } from './recoverOrders.ts'

type Certificate = Pick<
  Awaited<ReturnType<typeof recoverOrders>>,
  | 'hasDeployment'
  | 'missingIntents'
  | 'unreadable'
  | 'tranches'
  | 'contradicted'
  | 'ledger'
  | 'fromBlock'
>

/** Says why a certificate isn't complete and what to do, one line each. */
export function describeGaps(certificate: Certificate): string[] {
  const { hasDeployment, missingIntents, unreadable, tranches, contradicted, ledger, fromBlock } =
    certificate
  const unknown = tranches.fired - tranches.recognised
  const short = ledger.filter(({ difference }) => difference < 0n)
  return [
    ...line(
      !hasDeployment,
      `block ${fromBlock} is after the bridge’s deployment: name an earlier startBlock`,
    ),
    ...line(
      missingIntents > 0,
      `${missingIntents} intents that the bridge has counted weren’t found: name an earlier startBlock, or another node`,
    ),
    ...line(
      unreadable.length > 0,
      `the enclave can’t open ${unreadable.length} orders: if one of your roots isn’t in its root file, add it; their owners can close them`,
    ),
    ...line(unreadable.length === 0 && unknown > 0, `${unknown} tranches carry another blob`),
    ...line(
      contradicted.length > 0,
      `the vault’s storage differs from the events of ${contradicted.length} orders: name another node`,
    ),
    ...line(
      short.length > 0,
      `the vault holds less than it owes of ${short.length} tokens: compare with another node`,
    ),
  ]
}

function line(isSo: boolean, words: string): string[] {
  return isSo ? [`  NOT COMPLETE: ${words}`] : []
}
