import { sumOwed } from '../replay/checkBalances.ts'
import { computeClosing } from './composeStatements.ts'
import type { Book } from './replayPeriod.ts'

/** The statements' faults, one line each; empty when all close at the contracts' balances. */
export function findBalanceMismatches(books: readonly Book[]): string[] {
  return books.flatMap(({ chain, statements }) =>
    statements.flatMap((statement) => {
      const { holder, token, closing, held } = statement
      const whose = `the ${holder} of ${chain.name}`
      const owed = sumOwed(closing)
      const expected = computeClosing(statement)
      const faults: string[] = []
      if (expected !== owed)
        faults.push(
          `${whose} owes ${owed} of ${token}, but its opening and movements add up to ${expected}`,
        )
      if (held !== null && held > owed)
        faults.push(`${whose} holds ${held - owed} more of ${token} than it owes`)
      if (held !== null && held < owed)
        faults.push(`${whose} is short of ${owed - held} of ${token}`)
      return faults
    }),
  )
}

/** Chains where no node has some balance at the period's end any more. */
export function findUncheckedChains(books: readonly Book[]): string[] {
  const unchecked = books.filter(({ statements }) => statements.some(({ held }) => held === null))
  return unchecked.map(({ chain }) => chain.name)
}
