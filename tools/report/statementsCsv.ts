import { sumOwed } from '../replay/checkBalances.ts'
import { type Cell, csvLines } from './csv.ts'
import { formatAmount } from './formatAmount.ts'
import type { TokenNames } from './readTokenNames.ts'
import type { Book, CheckedStatement } from './replayPeriod.ts'

const COLUMNS = [
  ...(['chain', 'holder', 'address', 'symbol', 'token', 'entry', 'count'] as const),
  ...(['in', 'out', 'balance', 'in_base', 'out_base', 'balance_base'] as const),
] as const

/** A line of a statement. Amounts are never negative: a shortfall is a `missing` entry. */
export type StatementLine = Record<(typeof COLUMNS)[number], Cell>

/** `statements.csv`: for each contract and token the opening, each kind of movement, the closing, the check. */
export function formatStatementsCsv(lines: Iterable<StatementLine>): Iterable<string> {
  return csvLines(COLUMNS, lines)
}

/** The lines of one statement, in order. */
export function composeStatementLines(
  { chain }: Book,
  statement: CheckedStatement,
  names: TokenNames,
): StatementLine[] {
  const { holder, token, opening, movements, closing, heldAtOpening, held } = statement
  const name = names.find(chain.chainId, token)
  const account = {
    chain: chain.name,
    holder,
    address: holder === 'vault' ? (chain.vault ?? null) : chain.bridge,
    symbol: name?.symbol ?? null,
    token,
  }
  const line = (entry: string, amounts: Amounts): StatementLine => ({
    ...account,
    entry,
    count: amounts.count ?? null,
    in: formatAmount(amounts.in ?? null, name),
    out: formatAmount(amounts.out ?? null, name),
    balance: formatAmount(amounts.balance ?? null, name),
    in_base: amounts.in ?? null,
    out_base: amounts.out ?? null,
    balance_base: amounts.balance ?? null,
  })
  return [
    line('opening', { balance: sumOwed(opening) }),
    ...(heldAtOpening === null ? [] : [line('held at opening', { balance: heldAtOpening })]),
    ...movements.map(({ kind, count, in: into, out }) => line(kind, { count, in: into, out })),
    line('closing', { balance: sumOwed(closing) }),
    ...Object.entries(closing).map(([part, balance]) => line(`of which ${part}`, { balance })),
    ...(held === null ? [line('held: unknown', {})] : [line('held', { balance: held })]),
    ...differenceLines(statement).map(([entry, balance]) => line(entry, { balance })),
  ]
}

type Amounts = Partial<Record<'in' | 'out' | 'balance', bigint>> & { count?: number }

function differenceLines({ closing, held }: CheckedStatement): [string, bigint][] {
  const difference = held === null ? 0n : held - sumOwed(closing)
  if (difference === 0n) return []
  return [difference > 0n ? ['surplus', difference] : ['missing', -difference]]
}
