import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { readProcessTime } from '../api/readProcessTime.ts'

/** CPU seconds of every process in the benchmark, by kind. */
export type ProcessTimes = Record<'relayer' | 'source' | 'destination' | 'PostgreSQL', number>

/**
 * `relayer` is this process: index, reactions, enclave, senders, and the load itself.
 *
 * @param nodes process ids of the two chains' nodes
 */
export async function readProcessTimes(
  client: pg.Client,
  [source, destination]: readonly [number, number],
): Promise<ProcessTimes> {
  const { rows } = await client.query('select pg_backend_pid() as pid')
  return {
    relayer: readProcessTime(process.pid),
    PostgreSQL: readProcessTime(parentOf(rows[0].pid)),
    source: readProcessTime(source),
    destination: readProcessTime(destination),
  }
}

function parentOf(pid: number): number {
  const [, parent = ''] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(parent)
}
