import { type IncomingHttpHeaders, request } from 'node:http'

export type RawResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer }

/** Sends a request and returns the response unchanged; `fetch` would decompress it. */
export function requestRaw(
  url: string,
  {
    headers,
    method,
    body,
  }: { headers: Record<string, string>; method: string; body?: string | undefined },
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers, agent: false }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part) => parts.push(part))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(parts),
        }),
      )
    })
      .on('error', reject)
      .end(body)
  })
}
