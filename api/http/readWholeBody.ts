import type { IncomingMessage } from 'node:http'

/**
 * A request's body, whose size its head states. The app can read it again afterwards: its server looks
 * for `rawBody` first. Rejects when the client leaves before the end.
 */
export function readWholeBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('error', reject)
    request.on('close', () => reject(new Error('the client left')))
    request.on('end', () => {
      const body = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
      Object.assign(request, { rawBody: body })
      resolve(body)
    })
  })
}
