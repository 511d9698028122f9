import { createServer } from 'node:net'

/**
 * A loopback TCP port that was free a moment ago. The caller must still expect that another program takes it
 * first.
 */
export async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free TCP port')
  return address.port
}
