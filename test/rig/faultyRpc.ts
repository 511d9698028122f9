import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type RpcCall = { method: string; params: unknown[] }

/**
 * What the proxy does instead of forwarding a call: answers itself, alters the node's answer, or fails the whole HTTP
 * exchange.
 */
export type Fault =
  | { result: unknown }
  | { error: { code: number; message: string } }
  | { change: (result: unknown) => unknown }
  | { status: number; headers?: Record<string, string> }
  | { drop: true }
  /** Sends the headers and the beginning of a body, and then nothing. */
  | { stall: true }
  /** Forwards the call when the promise resolves. */
  | { hold: Promise<unknown>; change?: (result: unknown) => unknown }

export type FaultyRpc = {
  url: string
  /** Calls received, in order; each element of a batch counts. */
  calls: RpcCall[]
  count(method: string): number
  /** Chooses a fault for each call; undefined forwards it. */
  inject(fault: ((call: RpcCall) => Fault | undefined) | undefined): void
  close(): Promise<void>
}

/** A JSON-RPC proxy in front of a real node that records calls and injects faults. */
export async function startFaultyRpc(target: string): Promise<FaultyRpc> {
  const calls: RpcCall[] = []
  let inject: (call: RpcCall) => Fault | undefined = () => undefined
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const document = JSON.parse(body)
    const batch = (Array.isArray(document) ? document : [document]) as (RpcCall & { id: unknown })[]
    calls.push(...batch.map(({ method, params }) => ({ method, params })))
    const faults = batch.map((call) => inject(call))
    if (faults.some((fault) => fault && 'drop' in fault)) {
      response.destroy()
      return
    }
    if (faults.some((fault) => fault && 'stall' in fault)) {
      response.writeHead(200, { 'content-type': 'application/json' }).write(' ')
      return
    }
    const refused = faults.find((fault) => fault && 'status' in fault)
    if (refused && 'status' in refused) {
      response.writeHead(refused.status, refused.headers).end('refused')
      return
    }
    for (const fault of faults) if (fault && 'hold' in fault) await fault.hold
    const answers = await ask(
      target,
      batch.filter((_, at) => isPassedOn(faults[at])),
    ).catch(() => null)
    if (answers === null) {
      // The node has ended, and with it what it was asked.
      response.destroy()
      return
    }
    const changed = batch.map(({ id }, at) => {
      const fault = faults[at]
      const answer = answers.find((one) => one.id === id)
      if (fault && 'change' in fault && fault.change)
        return { ...answer, result: fault.change(answer?.result) }
      if (!fault || 'hold' in fault) return answer
      return { jsonrpc: '2.0', id, ...fault }
    })
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(document) ? changed : changed[0]))
  })
  // Never time out idle connections: one closing just as it is reused would be an unrequested fault.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    calls,
    count: (method) => calls.filter((call) => call.method === method).length,
    inject(fault) {
      inject = fault ?? (() => undefined)
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The distinct block ranges whose logs were requested. */
export function listRequestedRanges(calls: readonly RpcCall[]): string[] {
  const ranges = calls.flatMap(({ method, params }) => {
    const { fromBlock, toBlock } = (params?.[0] ?? {}) as Record<string, string>
    return method === 'eth_getLogs' && fromBlock ? [`${fromBlock} to ${toBlock}`] : []
  })
  return [...new Set(ranges)]
}

/** A call answered here never reaches the node: it sees no transaction that was refused. */
function isPassedOn(fault: Fault | undefined): boolean {
  return fault === undefined || 'hold' in fault || 'change' in fault
}

async function ask(
  target: string,
  calls: readonly RpcCall[],
): Promise<{ id: unknown; result?: unknown }[]> {
  if (calls.length === 0) return []
  const answer = await fetch(target, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls),
  })
  return (await answer.json()) as { id: unknown; result?: unknown }[]
}
