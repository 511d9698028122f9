import { readFileSync } from 'node:fs'
import { EnclaveError } from '../../services/enclave/enclaveError.ts'
import { RootFileError } from '../../services/enclave/keys/rootFile.ts'
import {
  type ConnectedEnclave,
  connectEnclave,
} from '../../services/enclave/socket/connectEnclave.ts'
import { ToolError } from '../commandLine.ts'
import { acceptRoot, giveRoot, operatorMessage, registriesIn } from './handoverCommands.ts'
import {
  readStandardInput,
  restoreRootFile,
  rotateRootFile,
  shareRootFile,
} from './rootCommands.ts'
import { USAGE } from './usage.ts'

type Env = Record<string, string | undefined>
type Command = (args: readonly string[], env: Env) => unknown

const COMMANDS: Record<string, Command> = {
  'rotate-root': ([path]) => rotateRootFile(given(path, 'a root file')),
  'share-root': ([path, count, needed]) =>
    shareRootFile(
      given(path, 'a root file'),
      given(count, 'how many shares'),
      given(needed, 'how many of them are needed'),
    ),
  'restore-root': ([path]) => restoreRootFile(given(path, 'a root file'), readStandardInput()),
  'prepare-attester': (_, env) => asking(env, (one) => one.rotateAttester({ step: 'prepare' })),
  'promote-attester': (_, env) => asking(env, (one) => one.rotateAttester({ step: 'promote' })),
  'request-root': (_, env) => asking(env, (one) => one.requestRoot()),
  'operator-message': ([request, chainId], env) =>
    operatorMessage(registries(env), documentIn(request), Number(chainId)),
  'give-root': ([request, words], env) =>
    asking(env, (one) => giveRoot(one, registries(env), documentIn(request), documentIn(words))),
  'accept-root': ([gift], env) =>
    asking(env, (one) => acceptRoot(one, registries(env), documentIn(gift))),
}

/** Runs one command. @returns the exit code: 0 done, 1 refused, 2 not understood */
export async function runEnclaveTool(
  [name = '', ...args]: readonly string[],
  env: Env,
  out: Pick<Console, 'log' | 'error'>,
): Promise<number> {
  const command = COMMANDS[name]
  if (command === undefined) {
    out.error(USAGE)
    return 2
  }
  try {
    const said = await command(args, env)
    out.log(typeof said === 'string' ? said : JSON.stringify(said, null, 2))
    return 0
  } catch (error) {
    out.error(explain(error))
    return 1
  }
}

function explain(error: unknown): string {
  const isOwn = [ToolError, EnclaveError, RootFileError].some((kind) => error instanceof kind)
  if (isOwn) return (error as Error).message
  const { path, code } = error as NodeJS.ErrnoException
  if (path !== undefined) return `${path} can't be read or written: ${code}`
  // Anything else may quote a secret that it failed on.
  return 'the command failed'
}

async function asking<Answer>(
  env: Env,
  ask: (enclave: ConnectedEnclave) => Promise<Answer>,
): Promise<Answer> {
  const enclave = connectEnclave(given(env.ENCLAVE_SOCKET, 'ENCLAVE_SOCKET'), { timeoutMs: 30_000 })
  try {
    return await ask(enclave)
  } finally {
    enclave.close()
  }
}

function registries(env: Env) {
  return registriesIn(given(env.CHAINS, 'CHAINS, the path of the chains file'))
}

function documentIn<Document>(path: string | undefined): Document {
  const text = readFileSync(given(path, 'a JSON file'), 'utf8')
  try {
    return JSON.parse(text)
  } catch {
    throw new ToolError(`${path} is not JSON`)
  }
}

function given(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new ToolError(`${what} is missing\n\n${USAGE}`)
  return value
}
