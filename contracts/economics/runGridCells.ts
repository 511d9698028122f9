import { availableParallelism } from 'node:os'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { adversaries } from './adversaries.ts'
import type { CellToRun } from './listGridCells.ts'
import { type Cell, simulateAdversary } from './simulateAdversary.ts'

type Task = { cells: CellToRun[]; auctions: number }

/** Runs cells on every core; `onCell` is called with each finished one. */
export async function runGridCells(
  cells: readonly CellToRun[],
  auctions: number,
  onCell: (cell: Cell, done: number) => void,
): Promise<Cell[]> {
  const threads = availableParallelism()
  const found: Cell[] = []
  // Cells of one scenario stay together: they share the honest auctions.
  const scenarios = [...new Set(cells.map(({ scenario }) => scenario))]
  const shares = Array.from({ length: threads }, (_, thread) =>
    cells.filter(({ scenario }) => scenarios.indexOf(scenario) % threads === thread),
  )
  await Promise.all(
    shares.map(async (share) => {
      const worker = new Worker(new URL(import.meta.url), {
        workerData: { cells: share, auctions } satisfies Task,
      })
      await new Promise<void>((resolve, reject) => {
        worker.on('message', (cell: Cell) => onCell(cell, found.push(cell)))
        worker.once('error', reject)
        worker.once('exit', () => resolve())
      })
    }),
  )
  return found
}

if (!isMainThread && parentPort !== null) {
  const { cells, auctions } = workerData as Task
  for (const { family, scenario } of cells) {
    const played = adversaries[family]
    if (played !== undefined) parentPort.postMessage(simulateAdversary(played, scenario, auctions))
  }
}
