import { existsSync, readFileSync } from 'node:fs'
import { openKeyring } from '../../services/enclave/keys/keyring.ts'
import { readOrCreateRoots, rotateRoot, writeRoots } from '../../services/enclave/keys/rootFile.ts'
import { ToolError } from '../commandLine.ts'
import { combineShares, shareRoots } from './rootShares.ts'

/** Puts a new root in front of a file's. @returns the message for the operator */
export function rotateRootFile(path: string): string {
  const [newest, previous] = [...openKeyring(rotateRoot(path)).byId.keys()]
  return `new blobs are sealed to ${newest} from the next start on; ${previous} still opens old ones. Make new backup shares now.`
}

/** A file's roots as shares, one a line. */
export async function shareRootFile(path: string, count: string, needed: string): Promise<string> {
  if (!existsSync(path)) throw new ToolError(`there is no root file ${path}`)
  const { roots } = readOrCreateRoots(path)
  return (await shareRoots(roots, Number(count), Number(needed))).join('\n')
}

/** Makes a root file of shares, and never over another. */
export async function restoreRootFile(path: string, shares: string): Promise<string> {
  if (existsSync(path)) throw new ToolError(`${path} already exists: name another file`)
  const roots = await combineShares(shares.split('\n'))
  writeRoots(path, roots)
  return `${path} holds ${roots.length} roots; the newest has key id ${openKeyring(roots).current.id}`
}

/** All of standard input, as text. */
export function readStandardInput(): string {
  return readFileSync(0, 'utf8')
}
