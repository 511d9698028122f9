import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Finds a loopback TCP port that is free now. Another program may still take it first. */
export async function findFreePort(): Promise<number> {
  return (await requireFreePort('127.0.0.1', 0)).port
}

/** Resolves if a port can be listened on now. @throws `listen`'s error; see `describeListenProblem` */
async function requireFreePort(host: string, port: number): Promise<AddressInfo> {
  const server = createServer().listen(port, host)
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return address
}

/**
 * Why a port can't be listened on, in one line; null for any other error.
 *
 * @param setting name of the port's variable, such as `API_PORT`
 */
export function describeListenProblem(error: unknown, setting: string): string | null {
  const { code, syscall, address, port } = (error ?? {}) as NodeJS.ErrnoException & {
    address?: string
    port?: number
  }
  if (syscall !== 'listen' && syscall !== 'bind') return null
  switch (code) {
    case 'EADDRINUSE':
      return `${setting}: port ${port} of ${address} is taken by another program. Choose another port, or 0 for any free one`
    case 'EACCES':
      return `${setting}: this user may not listen on port ${port}. Choose 1024 or above`
    case 'EADDRNOTAVAIL':
      return `${setting}: this machine has no address ${address} to listen on`
    default:
      return null
  }
}

/**
 * Reports that a port is taken or can't be listened on for another reason, and sets the exit code to 1, before anything
 * is loaded or opened: it is the most common reason for a failed start. The configuration checks invalid ports.
 *
 * @param setting name of the port's variable, such as `API_PORT`
 */
export async function refuseTakenPort(
  setting: string,
  host: string,
  port: string,
): Promise<boolean> {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) return false
  const problem = await requireFreePort(host, Number(port)).then(
    () => null,
    (error: NodeJS.ErrnoException) =>
      error.syscall === 'getaddrinfo'
        ? `${setting}: the host ${host} is unknown. Name an address of this machine, such as 127.0.0.1`
        : (describeListenProblem(error, setting) ?? `${setting}: ${error}`),
  )
  if (problem === null) return false
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
  return true
}
