import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Hex, toHex } from 'viem'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { MEASUREMENT } from '../../../devnet/deploy/devnetContracts.ts'
import { createDevelopmentQuoter } from '../../../services/enclave/attestation/attestationQuoter.ts'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import { serveEnclave } from '../../../services/enclave/socket/serveEnclave.ts'
import type { Call, Registration } from '../../../tools/enclave/registrationCommands.ts'
import { runEnclaveTool } from '../../../tools/enclave/runEnclaveTool.ts'
import { startFaultyRpc } from '../../rig/faultyRpc.ts'
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
})
afterAll(async () => {
  await scene?.stop()
  rmSync(directory, { recursive: true })
})

/** Runs a command, as at the enclave if one is given. */
async function run(args: readonly string[], enclave?: Enclave, chains = CHAINS): Promise<string> {
  const ENCLAVE_SOCKET = join(directory, `${sockets++}.sock`)
  const served = enclave && (await serveEnclave(enclave, ENCLAVE_SOCKET, []))
  const said: string[] = []
  const say = (text: string) => void said.push(text)
  const code = await runEnclaveTool(
    args,
    { CHAINS: chains, ENCLAVE_SOCKET },
    { log: say, error: say },
  )
  await served?.stop()
  if (code !== 0) throw new Error(said.join('\n'))
  return said.join('\n')
}

/** Sends a printed call as a wallet would. */
async function send(printed: string): Promise<Hex> {
  const { to, data, value }: Call = JSON.parse(printed)
  const { transactionHash } = await scene.base.relayer.execute({ to, data, value: BigInt(value) })
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

test('an enclave switches to its next key only once that counts in every registry', async () => {
  const enclave = await scene.enclaveOf()
  await expect(run(['promote-attester'], enclave)).rejects.toThrow(
    'NO_NEXT_KEY: make the next key with prepare-attester',
  )
  const { attester, nextAttester } = JSON.parse(await run(['prepare-attester'], enclave))
  await expect(run(['promote-attester'], enclave)).rejects.toThrow(
    `the next key ${nextAttester} doesn’t count on chain ${chainId}: register it there`,
  )
  expect((await enclave.publicKeys()).attester).toBe(attester)
  const { config, contracts, node } = scene.base
  const liar = await startFaultyRpc(node.rpc)
  onTestFinished(() => liar.close())
  liar.inject(({ method }) =>
    method === 'eth_call' ? { result: toHex(1, { size: 32 }) } : undefined,
  )
  const rpcUrls = [liar.url, ...config.rpcUrls]
  const chain = { ...config, registry: contracts.registry, rpcUrls }
  const deceived = written('deceived.json', JSON.stringify({ chains: [chain] }))
  await expect(run(['promote-attester'], enclave, deceived)).rejects.toThrow('doesn’t count')
  liar.inject(() => ({ status: 503 }))
  await expect(run(['promote-attester'], enclave, deceived)).rejects.toThrow('doesn’t count')
  const path = await requested(enclave, 'next')
  const signature = await sign(await run(['registration-message', path, chainId]))
  await send(await run(['registration-call', path, signature]))
  await expect(run(['promote-attester'], enclave, deceived)).rejects.toThrow(
    `chain ${chainId}’s node ${new URL(liar.url).host} can’t be read: HTTP request failed: check it, or name another node in its place`,
  )
  expect(JSON.parse(await run(['promote-attester'], enclave)).attester).toBe(nextAttester)
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

test('a verifier that takes a fee gets what the caller names, and an outage is no refusal', async () => {
  const { client, config, contracts } = scene.base
  const path = await requested(await scene.enclaveOf())
  const { signer, eciesKey, challenge }: Registration = JSON.parse(readFileSync(path, 'utf8'))
  const signature = await sign(await run(['registration-message', path, chainId]))
  const registry = { address: contracts.registry, abi: enclaveKeyRegistryAbi } as const
  const [verifier, reportData] = await Promise.all([
    client.readContract({ ...registry, functionName: 'verifier' }),
    client.readContract({
      ...{ ...registry, functionName: 'reportDataFor' },
      args: [signer, eciesKey, challenge],
    }),
  ])
  const bytecode = (await client.getCode({ address: verifier }))!
  await client.setCode({ address: verifier, bytecode: verifierFor(5, reportData) })
  onTestFinished(() => client.setCode({ address: verifier, bytecode }))
  const call = (...wei: string[]) => run(['registration-call', path, signature, ...wei])
  await expect(call()).rejects.toThrow(
    /^chain \d+’s registry refuses this registration: .*if the chain’s verifier takes a fee, add/s,
  )
  await expect(call('4')).rejects.toThrow('registry refuses')
  await expect(call('0.1')).rejects.toThrow('0.1 is not an amount of wei')
  await send(await call('5'))
  expect(await isActive(signer)).toBe(true)
  const dead = { ...config, registry: contracts.registry, rpcUrls: ['http://127.0.0.1:9'] }
  const chains = written('dead.json', JSON.stringify({ chains: [dead] }))
  await expect(run(['registration-call', path, signature], undefined, chains)).rejects.toThrow(
    `the node of chain ${chainId} can’t be read: HTTP request failed`,
  )
  await expect(run(['registration-call', path, 'abc'])).rejects.toThrow('abc is not a signature')
})

/** The code of a verifier that reverts unless it is paid this many wei, and else returns this. */
function verifierFor(fee: number, reportData: Hex): Hex {
  const refuseIfLess = `60${toHex(fee, { size: 1 }).slice(2)}3410605257`
  const answer = `7f${MEASUREMENT.slice(2)}5f527f${reportData.slice(2)}60205260605ff3`
  return `0x${refuseIfLess}${answer}5b5f5ffd`
}

test('evidence of a program that nobody allowed is refused', async () => {
  const { quoting } = deriveDevnetAccounts()
  const quoter = createDevelopmentQuoter(`0x${'77'.repeat(32)}`, quoting.privateKey)
  const path = await requested(await scene.enclaveOf({ quoter }))
  const signature = await sign(await run(['registration-message', path, chainId]))
  await expect(run(['registration-call', path, signature])).rejects.toThrow(
    `MeasurementNotAllowed(0x${'77'.repeat(32)}, 0): the registry’s owner must allow`,
  )
})

test('an enclave without the verifier’s quoting key is told which variable it lacks', async () => {
  const quoter = createDevelopmentQuoter(MEASUREMENT, `0x${'66'.repeat(32)}`)
  const path = await requested(await scene.enclaveOf({ quoter }))
  const signature = await sign(await run(['registration-message', path, chainId]))
  await expect(run(['registration-call', path, signature])).rejects.toThrow(
    /NotSignedByQuotingKey\(.*\): start the enclave with ENCLAVE_QUOTING_KEY/,
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
