import { totalOf } from '../replay/checkBalances.ts'
import { expectedClosing } from './composeStatements.ts'
import type { Book } from './keepBook.ts'

/** What is wrong with the statements, one line each; empty when all close at the contracts' balances. */
export function faultsOf(books: readonly Book[]): string[] {
  return books.flatMap(({ chain, statements }) =>
    statements.flatMap((statement) => {
      const { holder, token, closing, held } = statement
      const whose = `the ${holder} of ${chain.name}`
      const owed = totalOf(closing)
      const expected = expectedClosing(statement)
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

/** Chains for which no node still knows some balance at the period's end. */
export function uncheckedChains(books: readonly Book[]): string[] {
  const unchecked = books.filter(({ statements }) => statements.some(({ held }) => held === null))
  return unchecked.map(({ chain }) => chain.name)
}
