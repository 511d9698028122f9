import { chmodSync, chownSync, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, resolve } from 'node:path'
import { OperatorError } from '../../config/operatorError.ts'

/** The socket's path can't be used. */
export class SocketPathError extends OperatorError {
  override readonly name = 'SocketPathError'
}

/** Reads of a directory and entries to it, by its group. */
const GROUP_ACCESS = 0o050

/**
 * Prepares a path for a socket: creates its directory, requires that nobody but its owner and, if it lets them in, its
 * group has access to it, and removes the socket of a killed process.
 *
 * @throws SocketPathError also when another process listens there
 */
export async function claimSocketPath(path: string): Promise<void> {
  const directory = dirname(resolve(path))
  makeDirectory(directory)
  const { mode } = statSync(directory)
  if ((mode & 0o077 & ~GROUP_ACCESS) !== 0 && process.platform !== 'win32') {
    throw new SocketPathError(
      `the directory ${directory} of the enclave's socket is accessible to other users: run chmod 700 on it, or chmod 750 to let its group call the enclave, or choose another path in ENCLAVE_SOCKET`,
    )
  }
  if (!pathExists(path)) return
  if (!lstatSync(path).isSocket()) {
    throw new SocketPathError(`${path} is not a socket: name another path in ENCLAVE_SOCKET`)
  }
  if (await isServed(path)) {
    throw new SocketPathError(`another process already serves the enclave at ${path}`)
  }
  rmSync(path, { force: true })
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // On a read-only file system, Node says ENOENT.
    throw new SocketPathError(
      `the directory ${directory} of the enclave's socket can't be made (${code}): make it, with mode 0700, or choose another path in ENCLAVE_SOCKET`,
    )
  }
}

/**
 * Lets only this user open a newly created socket or, if its directory lets its group in, that group: callers under
 * other users can't read this one's files and memory.
 *
 * @throws SocketPathError when this user isn't in the group
 */
export function limitCallers(path: string): void {
  if (process.platform === 'win32') return
  const directory = dirname(resolve(path))
  const { mode, gid } = statSync(directory)
  const isForGroup = (mode & GROUP_ACCESS) !== 0
  if (isForGroup) giveToGroup(path, directory, gid)
  chmodSync(path, isForGroup ? 0o660 : 0o600)
}

function giveToGroup(path: string, directory: string, gid: number): void {
  try {
    chownSync(path, statSync(path).uid, gid)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new SocketPathError(
      `the enclave's socket can't be given to the group ${gid} of ${directory} (${code}): add the enclave's user to that group`,
    )
  }
}

function pathExists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const end = (served: boolean) => {
      socket.destroy()
      resolve(served)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}
