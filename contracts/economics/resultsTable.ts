import { acceptedGains } from './acceptedGains.ts'
import { adversaries } from './adversaries.ts'
import { floorOf, inHundredths } from './findUnacceptedGain.ts'
import type { Cell } from './simulateAdversary.ts'

/**
 * One row for each adversary and block time, as Markdown. Profits and prices are hundredths of a
 * percent of what the winner is paid; prices say how much less the recipients get.
 */
export function formatResultsTable(cells: readonly Cell[]): string {
  const rows = adversaries.flatMap(({ name }) =>
    [2, 12].flatMap((blockSeconds) => {
      const own = cells.filter(
        ({ family, scenario }) => family === name && scenario.blockSeconds === blockSeconds,
      )
      return own.length === 0 ? [] : [rowOf(name, own)]
    }),
  )
  return [
    '| adversary | blocks | profit over honest play | in its best cell | price: honest → with it | settled | time lost | remains |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function rowOf(name: string, cells: readonly Cell[]): string {
  const best = cells.reduce((a, b) => (b.profit > a.profit ? b : a))
  const { blockSeconds, floorShare, honest } = best.scenario
  const limit = acceptedGains.get(name)
  const columns = [
    name,
    `${blockSeconds} s`,
    inHundredths(mean(cells, (cell) => cell.profit)),
    `${inHundredths(best.profit)} ± ${inHundredths(best.error)} (${floorOf(floorShare)} floor, ${honest} honest)`,
    `${inHundredths(1 - mean(cells, (cell) => cell.honestPrice))} → ${inHundredths(1 - mean(cells, (cell) => cell.price))}`,
    `${percent(mean(cells, (cell) => cell.honestSettled))} → ${percent(mean(cells, (cell) => cell.settled))}`,
    `${Math.round(mean(cells, (cell) => cell.timeLost))} s`,
    limit === undefined ? '' : `≤ ${inHundredths(limit.most)}`,
  ]
  return `| ${columns.join(' | ')} |`
}

/** Every cell on a line of its own. */
export function linesOf(cells: readonly Cell[]): string {
  return cells
    .map(({ family, scenario, ...cell }) => {
      const where = `${family} · ${scenario.blockSeconds} s · ${floorOf(scenario.floorShare)} · ${scenario.honest}`
      const gain = `${inHundredths(cell.profit)} ± ${inHundredths(cell.error)}`
      const price = `${inHundredths(1 - cell.honestPrice)} → ${inHundredths(1 - cell.price)}`
      return `${where} · ${gain} · ${price} · ${Math.round(cell.timeLost)} s · ${cell.strategy}`
    })
    .join('\n')
}

function mean(cells: readonly Cell[], of: (cell: Cell) => number): number {
  const values = cells.map(of).filter((value) => !Number.isNaN(value))
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}
