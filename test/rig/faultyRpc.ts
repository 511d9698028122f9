import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type RpcCall = { method: string; params: unknown[] }

/**
 * What the proxy does with a call instead of passing it on: an answer of its own, a change of the node's
 * answer, or an HTTP-level fault that takes the whole exchange down.
 */
export type Fault =
  | { result: unknown }
  | { error: { code: number; message: string } }
  | { change: (result: unknown) => unknown }
  | { status: number; headers?: Record<string, string> }
  | { drop: true }
  /** Passes the call on when the promise resolves. */
  | { hold: Promise<unknown>; change?: (result: unknown) => unknown }

export type FaultyRpc = {
  url: string
  /** Calls received, in order, each element of a batch counted. */
  calls: RpcCall[]
  count(method: string): number
  /** Decides about each call; undefined passes it on. */
  inject(fault: ((call: RpcCall) => Fault | undefined) | undefined): void
  close(): Promise<void>
}

/** A JSON-RPC proxy in front of a real node that counts what passes and injects faults. */
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
    const refused = faults.find((fault) => fault && 'status' in fault)
    if (refused && 'status' in refused) {
      response.writeHead(refused.status, refused.headers).end('refused')
      return
    }
    for (const fault of faults) if (fault && 'hold' in fault) await fault.hold
    const answers = await ask(
      target,
      batch.filter((_, at) => isPassedOn(faults[at])),
    )
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
  // An idle connection that ends just as it is used again would be a fault that no test asked for.
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

/** The ranges of blocks of which logs were asked, each once. */
export function rangesAsked(calls: readonly RpcCall[]): string[] {
  const ranges = calls.flatMap(({ method, params }) => {
    const { fromBlock, toBlock } = (params?.[0] ?? {}) as Record<string, string>
    return method === 'eth_getLogs' && fromBlock ? [`${fromBlock} to ${toBlock}`] : []
  })
  return [...new Set(ranges)]
}

/** A call that is answered here never comes to the node: it sees no transaction that was refused. */
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
