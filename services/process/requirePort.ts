import { createServer } from 'node:net'

/** Resolves if a port can be listened on now. @throws what `listen` would; see `describeListenProblem` */
export async function requirePort(host: string, port: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  await new Promise((resolve) => server.close(resolve))
}
