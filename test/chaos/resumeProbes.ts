import pg from 'pg'
import type { DevnetRole } from '../../devnet/devnetOptions.ts'
import { stateDirectory } from '../../devnet/stateDirectory.ts'
import { connectEnclave } from '../../services/enclave/socket/connectEnclave.ts'
import type { ReactionsStatus } from '../../services/relayer/reconciler/readReactionsHealth.ts'
import type { MoneyStage } from '../e2e/money/moneyStage.ts'
import type { OrderTraffic } from './orderTraffic.ts'
import type { PushWatch } from './pushWatch.ts'
import type { Victim } from './victims.ts'

/** Looks at what is there before a kill; what it answers tells whether new work has been done since. */
export type ResumeProbe = () => Promise<() => Promise<boolean>>

type ResumeProbes = Record<Victim, ResumeProbe> & { close(): Promise<void> }

/** How to see, from outside, that a process does its work again. */
export async function resumeProbes(
  stage: MoneyStage,
  { orders, pushed }: { orders: OrderTraffic; pushed: PushWatch },
): Promise<ResumeProbes> {
  const client = new pg.Client({ connectionString: stage.devnet.file.databaseUrl })
  client.on('error', () => {})
  await client.connect()
  const index = indexProbe(stage, client)
  return {
    enclave: enclaveProbe(stage),
    indexer: index,
    ponder: index,
    reactions: reactionsProbe(client),
    api: apiProbe(stage),
    push: pushProbe(client, pushed),
    'solver-1': solverProbe(stage, 'solver-1'),
    'solver-2': solverProbe(stage, 'solver-2'),
    orders: ordersProbe(orders),
    close: () => client.end(),
  }
}

/** It answers: it has its root secret and its keys. */
function enclaveProbe({ directory }: MoneyStage): ResumeProbe {
  const { enclaveSocket } = stateDirectory(directory)
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

/** Blocks that a killed Ponder may have handed to the database before it died, and some more. */
const ON_THEIR_WAY = 3n

/** Each chain's index is past the block that was the chain's latest at the kill, by more than a few. */
function indexProbe({ chains }: MoneyStage, client: pg.Client): ResumeProbe {
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

/** An instance that wasn't there before sends on every chain, and hears the enclave. */
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

/** Whoever asks for intents gets them. */
function apiProbe({ devnet }: MoneyStage): ResumeProbe {
  return async () => async () => {
    const answer = await ask(`${devnet.file.api}/intents?limit=1`)
    return answer !== null && answer.notIndexedYet === undefined
  }
}

/** An instance that wasn't there before runs, and an event has come that nobody had written at the kill. */
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

/** An owner's order was funded and closed since the kill. */
function ordersProbe(orders: OrderTraffic): ResumeProbe {
  return async () => {
    const before = orders.done()
    return async () => orders.done() > before
  }
}

/** It has looked at the chains, and done what was due, since the kill. */
function solverProbe({ devnet }: MoneyStage, name: DevnetRole): ResumeProbe {
  return async () => {
    const began = Date.now()
    const { url } = devnet.file.solvers.find((one) => one.name === name) ?? {}
    return async () => {
      const answer = await ask(`${url}/status`)
      return Date.parse(answer?.stats.lastRoundAt ?? '') > began
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: looked at field by field
async function ask(url: string): Promise<any> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) })
    return response.ok ? await response.json() : null
  } catch {
    return null
  }
}
