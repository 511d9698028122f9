import { readFileSync, statSync } from 'node:fs'
import type { Hex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { SweepError } from './sweepError.ts'

/** Keys per run. */
const MAX_KEYS = 1_000

/** The owners of the Safes to sweep, and the account that pays for gas. */
export type SweepAccounts = { owners: readonly PrivateKeyAccount[]; payer: PrivateKeyAccount }

/**
 * Reads the keys from the options' files, or from the environment.
 *
 * @throws SweepError `KEY_UNREADABLE`, which names the place but never its content
 */
export function readPrivateKeys(
  { keyFile, payerFile }: { keyFile: string | null; payerFile: string | null },
  env: NodeJS.ProcessEnv,
): SweepAccounts {
  const owners = readKeyLines(keyFile, env, 'STEALTH_PRIVATE_KEY', '--key-file')
  if (owners === null) {
    throw unreadable('no stealth key was given: use --key-file, or set STEALTH_PRIVATE_KEY')
  }
  const payers = readKeyLines(payerFile, env, 'PAYER_PRIVATE_KEY', '--payer-file')
  if (payers !== null && payers.length > 1) throw unreadable('--payer-file: expected one key')
  return { owners: removeDuplicates(owners), payer: (payers ?? owners)[0]! }
}

function readKeyLines(
  file: string | null,
  env: NodeJS.ProcessEnv,
  variable: string,
  option: string,
): [PrivateKeyAccount, ...PrivateKeyAccount[]] | null {
  const text = file === null ? env[variable] : readKeyFile(file, option)
  if (text === undefined || text === '') return null
  const place = file === null ? variable : option
  const lines = text.split('\n').map((line) => line.trim())
  const [first, ...more] = lines
    .flatMap((line, position) => (line === '' ? [] : [{ line, position }]))
    .map(({ line, position }) => parseKey(line, `${place}, line ${position + 1}`))
  if (first === undefined) throw unreadable(`${place} contains no key`)
  if (more.length >= MAX_KEYS) throw unreadable(`${place} contains more than ${MAX_KEYS} keys`)
  return [first, ...more]
}

function readKeyFile(file: string, option: string): string {
  try {
    if (file === '-') return readFileSync(0, 'utf8')
    requirePrivate(file, option)
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof SweepError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw unreadable(`${option} (${file}) can't be read: ${code ?? 'unknown reason'}`)
  }
}

/** Only the owner may read a key file. The modes of pipes and `<(…)` mean nothing. */
function requirePrivate(file: string, option: string): void {
  const stat = statSync(file)
  if (process.platform === 'win32' || !stat.isFile() || (stat.mode & 0o077) === 0) return
  throw unreadable(`${option} (${file}): others on this machine may read it; run chmod 600 on it`)
}

/** Drops the library's error for a bad key, which may quote the key. */
function parseKey(line: string, place: string): PrivateKeyAccount {
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(line)?.[1]
  if (digits === undefined) throw unreadable(`${place}: expected 64 hex digits and nothing else`)
  try {
    return privateKeyToAccount(`0x${digits}` as Hex)
  } catch {
    throw unreadable(`${place}: these digits are not a private key`)
  }
}

function removeDuplicates(accounts: readonly PrivateKeyAccount[]): PrivateKeyAccount[] {
  return [...new Map(accounts.map((account) => [account.address, account])).values()]
}

function unreadable(message: string): SweepError {
  return new SweepError('KEY_UNREADABLE', message)
}
