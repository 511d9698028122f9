import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { createDevelopmentQuoter } from '../../../services/enclave/attestation/attestationQuoter.ts'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import { serveEnclave } from '../../../services/enclave/socket/serveEnclave.ts'
import type { Call, Registration } from '../../../tools/enclave/registrationCommands.ts'
import { runEnclaveTool } from '../../../tools/enclave/runEnclaveTool.ts'
import { type EnclaveTestbed, startEnclaveTestbed } from './enclaveTestbed.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-registration-'))
const CHAINS = join(directory, 'chains.json')
const [OPERATOR] = deriveDevnetAccounts().operators
let scene: EnclaveTestbed
let chainId: string
let sockets = 0

beforeAll(async () => {
  scene = await startEnclaveTestbed()
  const { config, contracts } = scene.base
  chainId = String(config.chainId)
  writeFileSync(CHAINS, JSON.stringify({ chains: [{ ...config, registry: contracts.registry }] }))
}, 240_000)
afterAll(async () => {
  await scene?.stop()
  rmSync(directory, { recursive: true })
})

/** Runs a command, as at the enclave if one is given. */
async function run(args: readonly string[], enclave?: Enclave): Promise<string> {
  const ENCLAVE_SOCKET = join(directory, `${sockets++}.sock`)
  const served = enclave && (await serveEnclave(enclave, ENCLAVE_SOCKET, []))
  const said: string[] = []
  const say = (text: string) => void said.push(text)
  const code = await runEnclaveTool(args, { CHAINS, ENCLAVE_SOCKET }, { log: say, error: say })
  await served?.stop()
  if (code !== 0) throw new Error(said.join('\n'))
  return said.join('\n')
}

/** Sends a printed call as a wallet would. */
async function send(printed: string): Promise<Hex> {
  const { to, data }: Call = JSON.parse(printed)
  const { transactionHash } = await scene.base.relayer.execute({ to, data })
  return transactionHash
}

/** A document's path. */
function written(name: string, text: string): string {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}

async function newChallenge(): Promise<Hex> {
  return send(await run(['challenge-call', chainId]))
}

/** What an operator's wallet makes of a printed message: `eth_signTypedData_v4` needs the domain's type. */
async function sign(printed: string, account = OPERATOR): Promise<Hex> {
  const message = JSON.parse(printed)
  expect(message.types.EIP712Domain.map(({ name }: { name: string }) => name)).toEqual([
    'name',
    'version',
    'chainId',
    'verifyingContract',
  ])
  return account.signTypedData!(message)
}

async function requested(enclave: Enclave, ...more: string[]): Promise<string> {
  const request = ['request-registration', chainId, OPERATOR.address, await newChallenge(), ...more]
  return written('registration.json', await run(request, enclave))
}

function isActive(signer: Hex): Promise<boolean> {
  const { client, contracts } = scene.base
  return client.readContract({
    ...{ address: contracts.registry, abi: enclaveKeyRegistryAbi },
    ...{ functionName: 'isActive', args: [signer] },
  })
}

test.each([
  'current',
  'next',
] as const)('an operator registers an enclave’s %s key with its wallet alone', async (which) => {
  const enclave = await scene.enclaveOf()
  const { nextAttester } = await enclave.rotateAttester({ step: 'prepare' })
  const { attester } = await enclave.publicKeys()
  const signer = which === 'next' ? (nextAttester as Hex) : attester
  const path = await requested(enclave, ...(which === 'next' ? ['next'] : []))
  const signature = await sign(await run(['registration-message', path, chainId]))
  expect(await isActive(signer)).toBe(false)
  await send(await run(['registration-call', path, signature]))
  expect(await isActive(signer)).toBe(true)
})

test('a registration that the registry would refuse is refused with its reason, before it costs gas', async () => {
  const enclave = await scene.enclaveOf()
  const path = await requested(enclave)
  const message = await run(['registration-message', path, chainId])
  const [, other] = deriveDevnetAccounts().operators
  const call = async (signature: Hex) => run(['registration-call', path, signature])
  await expect(call(await sign(message, other))).rejects.toThrow(
    `chain ${chainId}’s registry refuses this registration: WrongOperatorSignature(`,
  )
  await scene.base.client.increaseTime({ seconds: 86_401 })
  await scene.base.client.mine({ blocks: 1 })
  await expect(call(await sign(message))).rejects.toThrow('RegistrationExpired(')
})

test('evidence of a program that nobody allowed is refused', async () => {
  const { quoting } = deriveDevnetAccounts()
  const quoter = createDevelopmentQuoter(`0x${'77'.repeat(32)}`, quoting.privateKey)
  const path = await requested(await scene.enclaveOf({ quoter }))
  const signature = await sign(await run(['registration-message', path, chainId]))
  await expect(run(['registration-call', path, signature])).rejects.toThrow(
    `MeasurementNotAllowed(0x${'77'.repeat(32)}, 0)`,
  )
})

test('a transaction that issued no challenge is named, and one that isn’t mined', async () => {
  const { enclave, base } = scene
  const ask = (transaction: string) =>
    run(['request-registration', chainId, OPERATOR.address, transaction], enclave)
  const { transactionHash } = await base.relayer.execute({ to: OPERATOR.address, data: '0x' })
  await expect(ask(transactionHash)).rejects.toThrow(`${transactionHash} issued no challenge`)
  const unknown = `0x${'ab'.repeat(32)}`
  await expect(ask(unknown)).rejects.toThrow(`${unknown} isn’t mined on chain ${chainId}`)
  await expect(ask('0xabc')).rejects.toThrow('0xabc is not a transaction’s hash')
})

test('another chain’s registration isn’t signed for this one', async () => {
  const path = await requested(await scene.enclaveOf())
  const registration: Registration = JSON.parse(readFileSync(path, 'utf8'))
  const moved = written('moved.json', JSON.stringify({ ...registration, chainId: 1 }))
  await expect(run(['registration-message', moved, chainId])).rejects.toThrow(
    `the registration is for chain 1, not ${chainId}`,
  )
  await expect(run(['registration-message', path, '1'])).rejects.toThrow(
    'no registry of chain 1 is configured',
  )
})
