import pg from 'pg'
import type { DevnetRole } from '../../devnet/devnetOptions.ts'
import { createStateDirectory } from '../../devnet/stateDirectory.ts'
import { connectEnclave } from '../../services/enclave/socket/connectEnclave.ts'
import type { ReactionsStatus } from '../../services/relayer/reconciler/readReactionsHealth.ts'
import type { MoneyTestbed } from '../e2e/money/moneyTestbed.ts'
import type { Victim } from './killableProcesses.ts'
import type { OrderTraffic } from './orderTraffic.ts'
import type { PushWatch } from './pushWatch.ts'

/** Snapshots the state before a kill; the returned function checks whether new work has been done since. */
export type ResumeProbe = () => Promise<() => Promise<boolean>>

type ResumeProbes = Record<Victim, ResumeProbe> & { close(): Promise<void> }

/** Detects from outside whether a process is working again. */
export async function createResumeProbes(
  testbed: MoneyTestbed,
  { orders, pushed }: { orders: OrderTraffic; pushed: PushWatch },
): Promise<ResumeProbes> {
  const client = new pg.Client({ connectionString: testbed.devnet.file.databaseUrl })
  client.on('error', () => {})
  await client.connect()
  const index = indexProbe(testbed, client)
  return {
    enclave: enclaveProbe(testbed),
    indexer: index,
    ponder: index,
    reactions: reactionsProbe(client),
    api: apiProbe(testbed),
    push: pushProbe(client, pushed),
    'solver-1': solverProbe(testbed, 'solver-1'),
    'solver-2': solverProbe(testbed, 'solver-2'),
    orders: ordersProbe(orders),
    close: () => client.end(),
  }
}

/** The enclave answers, so it has its root secret and keys. */
function enclaveProbe({ directory }: MoneyTestbed): ResumeProbe {
  const { enclaveSocket } = createStateDirectory(directory)
  return async () => async () => {
    const enclave = connectEnclave(enclaveSocket, { timeoutMs: 1_000, retryMs: 25 })
    try {
      return (await enclave.publicKeys()).relayer.startsWith('0x')
    } catch {
      return false
    } finally {
      enclave.close()
    }
  }
}

/** Blocks a killed Ponder may already have handed to the database, with a margin. */
const ON_THEIR_WAY = 3n

/** Each chain's index has passed the head at the time of the kill, by `ON_THEIR_WAY` blocks. */
function indexProbe({ chains }: MoneyTestbed, client: pg.Client): ResumeProbe {
  return async () => {
    const heads = await Promise.all(
      chains.map(async ({ chainId, client }) => {
        return [chainId, await client.getBlockNumber({ cacheTime: 0 })] as const
      }),
    )
    return async () => {
      const { rows } = await client
        .query('select chain_id, block_number from cairn.chain_clock')
        .catch(() => ({ rows: [] }))
      const indexed = new Map(rows.map((row) => [Number(row.chain_id), BigInt(row.block_number)]))
      return heads.every(([chainId, head]) => (indexed.get(chainId) ?? 0n) > head + ON_THEIR_WAY)
    }
  }
}

/** A new instance sends on every chain and reaches the enclave. */
function reactionsProbe(client: pg.Client): ResumeProbe {
  const read = async () => {
    const { rows } = await client.query(
      `select instance, status from app.role_status where role = 'reactions'`,
    )
    return rows as { instance: string; status: ReactionsStatus }[]
  }
  return async () => {
    const before = new Set((await read()).map(({ instance }) => instance))
    return async () =>
      (await read()).some(
        ({ instance, status }) =>
          !before.has(instance) &&
          status.enclave === 'ok' &&
          status.senders.length > 0 &&
          status.senders.every(({ isLeading }) => isLeading),
      )
  }
}

/** The API answers a request for intents. */
function apiProbe({ devnet }: MoneyTestbed): ResumeProbe {
  return async () => async () => {
    const answer = await ask(`${devnet.file.api}/intents?limit=1`)
    return answer !== null && answer.notIndexedYet === undefined
  }
}

/** A new instance runs and has delivered an event written since the kill. */
function pushProbe(client: pg.Client, pushed: PushWatch): ResumeProbe {
  const instances = async () => {
    const { rows } = await client.query(`select instance from app.role_status where role = 'push'`)
    return rows.map((row) => row.instance as string)
  }
  return async () => {
    const before = await instances()
    let top: number | null = null
    return async () => {
      if (top === null) {
        const { rows } = await client.query('select max(sequence) as top from app.push_event')
        top = Number(rows[0].top)
      }
      const written = top
      const isAfter = (id: string) => Number(id.slice('evt_'.length)) > written
      if (![...pushed.ids()].some(isAfter)) return false
      return (await instances()).some((instance) => !before.includes(instance))
    }
  }
}

/** An owner's order has been funded and closed since the kill. */
function ordersProbe(orders: OrderTraffic): ResumeProbe {
  return async () => {
    const before = orders.done()
    return async () => orders.done() > before
  }
}

/** The solver has read the chains and finished its due work since the kill. */
function solverProbe({ devnet }: MoneyTestbed, name: DevnetRole): ResumeProbe {
  return async () => {
    const began = Date.now()
    const { url } = devnet.file.solvers.find((one) => one.name === name) ?? {}
    return async () => {
      const answer = await ask(`${url}/status`)
      return Date.parse(answer?.stats.lastRoundAt ?? '') > began
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: fields are checked where they are read
async function ask(url: string): Promise<any> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) })
    return response.ok ? await response.json() : null
  } catch {
    return null
  }
}
