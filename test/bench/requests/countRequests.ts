/**
 * Preloaded into every process of a devnet: counts the JSON-RPC calls that it sends by `fetch`, and writes the totals once a
 * second to `$REQUEST_COUNTS/<pid>.json`.
 */
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** What a process has sent so far. */
export type RequestCounts = {
  role: string
  /** HTTP requests to nodes; each may hold several calls. */
  requests: number
  /** JSON-RPC calls by method. */
  calls: Record<string, number>
}

const folder = process.env.REQUEST_COUNTS
const [, script = '', command = ''] = process.argv
const role = basename(script) === 'main.ts' ? command : basename(script, '.ts')
const counts: RequestCounts = { role, requests: 0, calls: {} }
const send = globalThis.fetch

globalThis.fetch = (...args) => {
  count(args[1]?.body)
  return send(...args)
}

function count(body: unknown): void {
  if (typeof body !== 'string' || !body.includes('"jsonrpc"')) return
  counts.requests++
  for (const { method } of [JSON.parse(body)].flat())
    counts.calls[method] = (counts.calls[method] ?? 0) + 1
}

if (folder !== undefined)
  setInterval(() => {
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(counts))
  }, 1_000).unref()
