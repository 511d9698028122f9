import { classifyRpcError, RpcError } from './rpcError.ts'

export type RpcAnswer = { result: unknown } | { error: RpcError }

/** Reads what a node answered to one request. */
export function readAnswer(parsed: unknown): RpcAnswer {
  if (typeof parsed !== 'object' || parsed === null)
    return { error: new RpcError('unreachable', 'the answer is not JSON-RPC') }
  if ('error' in parsed && parsed.error) return { error: classifyRpcError(parsed.error) }
  if ('result' in parsed) return { result: parsed.result }
  return { error: new RpcError('unreachable', 'the answer has neither result nor error') }
}

/** Sorts a batch's answers by request. They may come in any order, and some may be missing. */
export function inRequestOrder(parsed: readonly unknown[], count: number): RpcAnswer[] {
  const answers: RpcAnswer[] = Array.from({ length: count }, () => ({
    error: new RpcError('unreachable', 'the batch answer lacks this request'),
  }))
  for (const document of parsed) {
    const id = (document as { id?: unknown } | null)?.id
    if (typeof id === 'number' && id >= 0 && id < count) answers[id] = readAnswer(document)
  }
  return answers
}
