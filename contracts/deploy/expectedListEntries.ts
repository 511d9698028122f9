import type { Abi, Address } from 'viem'
import type { Artifacts } from '../artifacts.ts'
import type { Expectation, Finding } from './checkChainDeployment.ts'
import type { DeploymentAddresses } from './deploymentAddresses.ts'
import type { DeploymentSettings, ReadClient } from './deploymentSettings.ts'
import { reportUnreadableEvents } from './reportUnreadableEvents.ts'

/** The expected entries of a list. */
export function listExpectedListEntries(
  { tokens, destinations }: DeploymentSettings,
  { vault, gateway }: DeploymentAddresses,
): Expectation[] {
  const contract = 'BridgeIntentV2'
  return [
    ...tokens.map(({ token, minEscrow, maxEscrow, quorum }) => ({
      contract,
      getter: 'tokenListing',
      args: [token],
      value: [true, minEscrow, maxEscrow, quorum],
    })),
    ...destinations.map((id) => ({
      contract,
      getter: 'isDestinationListed',
      args: [BigInt(id)],
      value: true,
    })),
    ...[vault, gateway].map((address) => ({
      contract,
      getter: 'isPeripheryListed',
      args: [address],
      value: true,
    })),
  ] as Expectation[]
}

type List = {
  contract: 'BridgeIntentV2' | 'EnclaveKeyRegistry'
  /** The event that adds an entry, and the argument that identifies it. */
  added: string
  removed: string
  argument: string
  expected: readonly (string | number)[]
}

function lists(
  { tokens, destinations, registry }: DeploymentSettings,
  { vault, gateway }: DeploymentAddresses,
): List[] {
  const bridge = 'BridgeIntentV2'
  const list = (
    contract: List['contract'],
    name: string,
    past: [string, string],
    argument: string,
  ) => ({
    contract,
    added: `${name}${past[0]}`,
    removed: `${name}${past[1]}`,
    argument,
  })
  const listed: [string, string] = ['Listed', 'Delisted']
  return [
    { ...list(bridge, 'Token', listed, 'token'), expected: tokens.map(({ token }) => token) },
    { ...list(bridge, 'Destination', listed, 'destChainId'), expected: destinations },
    { ...list(bridge, 'Periphery', listed, 'periphery'), expected: [vault, gateway] },
    {
      ...list('EnclaveKeyRegistry', 'Operator', ['Listed', 'Removed'], 'operator'),
      expected: registry.operators,
    },
    {
      ...list('EnclaveKeyRegistry', 'Measurement', ['Allowed', 'Removed'], 'measurement'),
      expected: registry.measurements,
    },
  ]
}

/** Entries on chain (announced operators and measurements included) that are missing from the file. */
export async function findUnexpectedListEntries(
  client: ReadClient,
  deployment: DeploymentSettings,
  addresses: DeploymentAddresses,
  artifacts: Artifacts,
): Promise<Finding[]> {
  const found = await Promise.all(
    lists(deployment, addresses).map((list) => {
      const at = list.contract === 'BridgeIntentV2' ? addresses.bridge : addresses.registry
      const fromBlock = BigInt(deployment.startBlock ?? 0)
      const about = { contract: list.contract, event: list.added, fromBlock }
      const { abi } = artifacts[list.contract]
      return reportUnreadableEvents(about, async () =>
        differences(list, await entriesOf(client, at, abi, list, fromBlock)),
      )
    }),
  )
  return found.flat()
}

async function entriesOf(
  client: ReadClient,
  address: Address,
  abi: Abi,
  { added, removed, argument }: List,
  fromBlock: bigint,
): Promise<Set<string>> {
  const events = abi.filter(
    (entry) => entry.type === 'event' && (entry.name === added || entry.name === removed),
  )
  const logs = await client.getContractEvents({ address, abi: events, fromBlock, strict: true })
  const entries = new Set<string>()
  for (const log of logs as unknown as { eventName: string; args: Record<string, unknown> }[]) {
    const entry = String(log.args[argument]).toLowerCase()
    if (log.eventName === added) entries.add(entry)
    if (log.eventName === removed) entries.delete(entry)
  }
  return entries
}

function differences({ contract, added, expected }: List, actual: Set<string>): Finding[] {
  const requested = new Set(expected.map((entry) => String(entry).toLowerCase()))
  const what = (entry: string) => `${added}: ${entry}`
  return [
    ...[...actual]
      .filter((entry) => !requested.has(entry))
      .map((entry) => ({ contract, what: what(entry), expected: 'not listed', actual: 'listed' })),
    ...[...requested]
      .filter((entry) => !actual.has(entry))
      .map((entry) => ({ contract, what: what(entry), expected: 'listed', actual: 'not listed' })),
  ]
}
