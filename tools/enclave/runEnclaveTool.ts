import { readFileSync } from 'node:fs'
import { getTypesForEIP712Domain } from 'viem'
import type { z } from 'zod'
import { OperatorError } from '../../services/config/operatorError.ts'
import { EnclaveError } from '../../services/enclave/enclaveError.ts'
import {
  type ConnectedEnclave,
  connectEnclave,
} from '../../services/enclave/socket/connectEnclave.ts'
import { addRemedy, ToolError } from '../commandLine.ts'
import { printable } from '../printable.ts'
import {
  acceptRoot,
  approvalsSchema,
  composeHandoverMessage,
  giveRoot,
  rootRequestSchema,
  sealedRootSchema,
} from './handoverCommands.ts'
import { moveFormerGas } from './moveFormerGas.ts'
import {
  composeChallengeCall,
  composeRegistrationCall,
  composeRegistrationMessage,
  promoteAttester,
  registrationSchema,
  requestRegistration,
} from './registrationCommands.ts'
import { readChain, readRegistries } from './registries.ts'
import {
  readStandardInput,
  restoreRootFile,
  rotateRootFile,
  shareRootFile,
} from './rootSecretCommands.ts'
import { USAGE } from './usage.ts'

type Env = Record<string, string | undefined>
type Command = (args: readonly string[], env: Env, say: (words: string) => void) => unknown

const COMMANDS: Record<string, Command> = {
  'rotate-root': ([path]) => rotateRootFile(requireArgument(path, 'a root file')),
  'share-root': ([path, count, needed]) =>
    shareRootFile(
      requireArgument(path, 'a root file'),
      requireArgument(count, 'how many shares'),
      requireArgument(needed, 'how many of them are needed'),
    ),
  'restore-root': ([path]) =>
    restoreRootFile(requireArgument(path, 'a root file'), readStandardInput()),
  'move-gas': ([chainId], env, say) => {
    const chain = readChain(chainsPath(env), readChainId(chainId))
    return withEnclave(env, (enclave) =>
      moveFormerGas(enclave, chain, ({ sent, from, transaction }) =>
        say(`sent ${sent} wei of ${from}: transaction ${transaction}`),
      ),
    )
  },
  'prepare-attester': (_, env) =>
    withEnclave(env, (enclave) => enclave.rotateAttester({ step: 'prepare' })),
  'promote-attester': (_, env) =>
    withEnclave(env, (enclave) => promoteAttester(enclave, registries(env))),
  'challenge-call': ([chainId], env) => composeChallengeCall(registries(env), readChainId(chainId)),
  'request-registration': ([chainId, operator, transaction, key = 'current'], env) =>
    withEnclave(env, (enclave) =>
      requestRegistration(enclave, registries(env), {
        chainId: readChainId(chainId),
        operator: requireArgument(operator, 'the operator’s address'),
        transaction: requireArgument(transaction, 'the hash of the challenge’s transaction'),
        key,
      }),
    ),
  'registration-message': ([registration, chainId], env) =>
    forWallets(
      composeRegistrationMessage(
        registries(env),
        readDocument(registration, registrationSchema),
        readChainId(chainId),
      ),
    ),
  'registration-call': ([registration, signature, value], env) =>
    composeRegistrationCall(registries(env), readDocument(registration, registrationSchema), {
      operatorSignature: requireArgument(signature, 'the operator’s signature'),
      value,
    }),
  'request-root': (_, env) => withEnclave(env, (enclave) => enclave.requestRoot()),
  'operator-message': ([request, chainId], env) =>
    forWallets(
      composeHandoverMessage(
        registries(env),
        readDocument(request, rootRequestSchema),
        readChainId(chainId),
      ),
    ),
  'give-root': ([request, approvals], env) =>
    withEnclave(env, (enclave) =>
      giveRoot(
        enclave,
        registries(env),
        readDocument(request, rootRequestSchema),
        readDocument(approvals, approvalsSchema),
      ),
    ),
  'accept-root': ([sealedRoot], env) =>
    withEnclave(env, (enclave) =>
      acceptRoot(enclave, registries(env), readDocument(sealedRoot, sealedRootSchema)),
    ),
}

/** Runs one command. @returns the exit code: 0 done, 1 failed, 2 unknown command */
export async function runEnclaveTool(
  [name = '', ...args]: readonly string[],
  env: Env,
  out: Pick<Console, 'log' | 'error'>,
): Promise<number> {
  const command = COMMANDS[name]
  if ([name, ...args].some((word) => word === '--help' || word === '-h')) {
    out.log(USAGE)
    return 0
  }
  if (command === undefined) {
    out.error(USAGE)
    return 2
  }
  try {
    const say = (words: string) => out.error(printable(words))
    const result = await command(args, env, say)
    out.log(typeof result === 'string' ? result : JSON.stringify(result, null, 2))
    return 0
  } catch (error) {
    // Nodes and contracts choose parts of it.
    out.error(printable(explain(error)))
    return 1
  }
}

function explain(error: unknown): string {
  if (error instanceof OperatorError || error instanceof EnclaveError) return addRemedy(error)
  const { path, code } = error as NodeJS.ErrnoException
  if (path !== undefined) return `${path} can't be read or written: ${code}`
  // Anything else may quote a secret that it failed on.
  return 'the command failed'
}

async function withEnclave<Answer>(
  env: Env,
  ask: (enclave: ConnectedEnclave) => Promise<Answer>,
): Promise<Answer> {
  const enclave = connectEnclave(requireArgument(env.ENCLAVE_SOCKET, 'ENCLAVE_SOCKET'), {
    timeoutMs: 30_000,
    reconnects: false,
  })
  try {
    return await ask(enclave)
  } finally {
    enclave.close()
  }
}

/** The same message with its domain's type, which browser wallets need. */
function forWallets<Message extends { domain: object; types: object }>(message: Message) {
  const { domain, types } = message
  return { ...message, types: { EIP712Domain: getTypesForEIP712Domain({ domain }), ...types } }
}

function registries(env: Env) {
  return readRegistries(chainsPath(env))
}

function chainsPath(env: Env): string {
  return requireArgument(env.CHAINS, 'CHAINS, the path of the chains file')
}

function readChainId(given: string | undefined): number {
  const text = requireArgument(given, 'the chain’s id')
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new ToolError(`${text} is not a chain’s id`)
  return Number(text)
}

/** A document that another command, or its reader, wrote. Errors name what is wrong, and show none of it. */
function readDocument<Document>(path: string | undefined, schema: z.ZodType<Document>): Document {
  const text = readFileSync(requireArgument(path, 'a JSON file'), 'utf8')
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new ToolError(`${path} is not JSON`)
  }
  const { data, error } = schema.safeParse(parsed)
  if (error === undefined) return data
  const [{ path: at, message }] = error.issues as [z.core.$ZodIssue]
  throw new ToolError(`${path} is not this command’s document: ${[...at, ''].join(': ')}${message}`)
}

function requireArgument(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new ToolError(`${what} is missing\n\n${USAGE}`)
  return value
}
