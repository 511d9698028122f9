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
    case 'ENOTFOUND':
      return `${setting}: this machine has no address ${address} to listen on`
    default:
      return null
  }
}
