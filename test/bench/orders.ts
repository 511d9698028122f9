/**
 * `npm run bench:orders`: many open orders on a real node, so that a tranche is always due. Prints how late
 * tranches are fired, by the chain's clock, and the processor share the service takes.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toEventSelector } from 'viem'
import { startOrdersRig } from '../integration/orders/ordersRig.ts'
import { seedOrders } from '../integration/orders/seedOrders.ts'

const ORDERS = Number(process.env.ORDERS ?? 10_000)
const SECONDS = Number(process.env.SECONDS ?? 90)
/** An hour between an order's tranches, and orders spread over it. */
const PERIOD = 3_600
const PROGRAM = fileURLToPath(
  new URL('../integration/orders/orderServiceProcess.ts', import.meta.url),
)
const FIRED = toEventSelector('TrancheFired(bytes32,uint256,uint256)')

const directory = mkdtempSync(join(tmpdir(), 'cairn-bench-orders-'))
const rig = await startOrdersRig({ directory, start: false })
try {
  await bench()
} finally {
  await rig.stop()
  rmSync(directory, { recursive: true, force: true })
}

async function bench(): Promise<void> {
  const { client } = rig.base
  const seeding = performance.now()
  const from = Math.floor(Date.now() / 1_000) + Math.ceil(ORDERS / 30) + 60
  const dueOf = (at: number) => from + Math.floor((at * PERIOD) / ORDERS)
  const orders = await seedOrders(rig, ORDERS, (at) => ({
    period: PERIOD,
    startTime: dueOf(at),
    endTime: from + 30 * PERIOD,
  }))
  const due = new Map(orders.map(({ orderId }, at) => [orderId, dueOf(at)]))
  print(`${ORDERS} orders funded in ${secondsSince(seeding)} s`)
  await client.setIntervalMining({ interval: 1 })
  const began = performance.now()
  const args = ['--no-warnings', PROGRAM, rig.postgres.databaseUrl, JSON.stringify(rig.configs)]
  const child = spawn(process.execPath, [...args, directory], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [url] = await once(child, 'message')
  while (!(await fetch(`${url}/ready`)).ok) await pause(200)
  print(`read from the chain in ${secondsSince(began)} s`)
  while (Number((await client.getBlock()).timestamp) < from) await pause(500)
  const [cpu, start] = [cpuSeconds(child.pid!), Date.now()]
  const first = await client.getBlockNumber()
  await pause(SECONDS * 1_000)
  const seconds = (Date.now() - start) / 1_000
  const share = (100 * (cpuSeconds(child.pid!) - cpu)) / seconds
  const lateness = await latenessSince(first, due)
  print(
    `${lateness.length} tranches in ${seconds.toFixed(0)} s: lateness p50 ${at(lateness, 0.5)} s, p95 ${at(lateness, 0.95)} s, most ${at(lateness, 1)} s`,
  )
  print(`${share.toFixed(0)} % of a core, ${megabytes(child.pid!)} MB, enclave included`)
  child.kill('SIGKILL')
}

/** Seconds from when each tranche was due to the time of its block. */
async function latenessSince(block: bigint, due: ReadonlyMap<string, number>): Promise<number[]> {
  const { client } = rig.base
  const logs = await client.getLogs({ address: rig.vault, fromBlock: block + 1n })
  const fired = logs.filter(({ topics }) => topics[0] === FIRED)
  const late = await Promise.all(
    fired.map(async ({ topics, blockNumber }) => {
      const { timestamp } = await client.getBlock({ blockNumber: blockNumber! })
      return Number(timestamp) - (due.get(topics[1]!) ?? 0)
    }),
  )
  return late.sort((a, b) => a - b)
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Of all threads, user and system. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function megabytes(pid: number): number {
  const [, kilobytes = '0'] =
    /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1_024)
}

function secondsSince(moment: number): string {
  return ((performance.now() - moment) / 1_000).toFixed(1)
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
