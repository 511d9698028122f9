import { readFileSync, statSync } from 'node:fs'
import { ConfigurationError } from './configurationError.ts'
import { isReadableByOthers } from './isReadableByOthers.ts'

/** Variables with a password or key in their values. */
export const SECRET_VARIABLES = [
  ...['DATABASE_URL', 'SOLVER_DATABASE_URL', 'ORDERS_DATABASE_URL'],
  ...['ADMIN_TOKENS', 'SERVICE_TOKENS', 'SOLVER_ADMIN_TOKENS', 'ENCLAVE_QUOTING_KEY'],
]

const NAMES = new RegExp(String.raw`^(${SECRET_VARIABLES.join('|')}|RPC_URL_\d+)_FILE$`)

/**
 * Replaces each variable `<name>_FILE` of a secret `<name>` with `<name>`, which is what the file contains: Docker and
 * Kubernetes mount secrets as files. Accepts a file that others may read, unlike a key's: both mount secrets so by default,
 * into containers that nobody else uses.
 *
 * @param env is changed
 * @param warn gets a line for each file that others may read. Default: prints it to stderr
 * @throws ConfigurationError listing all problems; they name the files but never their content
 */
export function readSecretFiles(
  env: NodeJS.ProcessEnv,
  warn: (line: string) => void = (line) => void process.stderr.write(`${line}\n`),
): void {
  const problems: string[] = []
  for (const [variable, path] of Object.entries(env)) {
    const name = NAMES.exec(variable)?.[1]
    if (name === undefined || !path?.trim()) continue
    if (env[name]?.trim()) problems.push(`${variable}: ${name} is set too; keep one of them`)
    else env[name] = readSecret(variable, path, { problems, warn })
    delete env[variable]
  }
  if (problems.length > 0) throw new ConfigurationError(problems)
}

function readSecret(
  variable: string,
  path: string,
  { problems, warn }: { problems: string[]; warn: (line: string) => void },
): string {
  try {
    const text = readFileSync(path, 'utf8').trim()
    if (text === '') problems.push(`${variable} (${path}): the file is empty`)
    if (isReadableByOthers(statSync(path)))
      warn(`${variable} (${path}): others on this machine may read it; run chmod 600 on it`)
    return text
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    problems.push(`${variable} (${path}): can't be read: ${code ?? 'unknown reason'}`)
    return ''
  }
}
