/** Milliseconds for one answer. */
const TIMEOUT_MS = 5_000

/** Size limit of an answer in bytes: a block lists its transactions, and a call may return anything. */
const MAX_BYTES = 4 * 1024 * 1024

/** A provider's JSON-RPC error. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal'
  readonly code: number

  constructor(code: number) {
    super(`the provider refused with ${code}`)
    this.code = code
  }
}

/** Sends one JSON-RPC request. Rejects without an answer; with ProviderRefusal when the answer is an error. */
export async function requestFromProvider(
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  try {
    return await exchange(url, body, signal)
  } catch (error) {
    // The server may close a kept-alive connection just as it is reused.
    if (error instanceof ProviderRefusal || signal.aborted) throw error
    return exchange(url, body, signal)
  }
}

async function exchange(url: string, body: string, signal: AbortSignal): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' })
  const answer = JSON.parse(await readText(response))
  if (answer?.error !== undefined) throw new ProviderRefusal(Number(answer.error?.code))
  return answer?.result
}

async function readText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  const reader = response.body?.getReader()
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done || value === undefined) return Buffer.concat(pieces).toString('utf8')
    size += value.length
    if (size > MAX_BYTES) {
      await reader?.cancel()
      throw new Error('the answer is too long')
    }
    pieces.push(value)
  }
}
