import type { IncomingMessage } from 'node:http'

/**
 * Reads a request's body; the caller has checked its Content-Length. The app can read the body again, because
 * its server looks for `rawBody` first. Rejects if the client disconnects early.
 */
export function readWholeBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('error', reject)
    request.on('close', () => reject(new Error('the client disconnected')))
    request.on('end', () => {
      const body = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
      Object.assign(request, { rawBody: body })
      resolve(body)
    })
  })
}
