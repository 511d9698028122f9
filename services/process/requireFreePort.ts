import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Resolves if a port can be listened on now. @throws `listen`'s error; see `describeListenProblem` */
export async function requireFreePort(host: string, port: number): Promise<AddressInfo> {
  const server = createServer().listen(port, host)
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return address
}
