import { type RunningAnvil, startAnvil } from '../contracts/anvil/startAnvil.ts'
import { FUNDED_ACCOUNTS } from './accounts.ts'
import { DEVNET_CHAINS, type DevnetEvent } from './devnetOptions.ts'
import { type StateDirectory, setChainsAside } from './stateDirectory.ts'

export type DevnetChain = RunningAnvil & { name: string }

/**
 * Starts the devnet's nodes. If one can't read its saved state, both start over: half a history would leave deliveries
 * without intents.
 */
export async function startChains(
  state: StateDirectory,
  onEvent: (event: DevnetEvent) => void,
): Promise<DevnetChain[]> {
  const first = await startAll(state)
  if (first.every(({ status }) => status === 'fulfilled')) return first.map(nodeOf)
  await stopStarted(first)
  if (!first.some(isUnreadableState)) return first.map(nodeOf)
  setChainsAside(state)
  onEvent({
    type: 'notice',
    text: 'the chains’ saved state can’t be read (kept as *.unreadable): both chains start over',
  })
  const second = await startAll(state)
  if (!second.every(({ status }) => status === 'fulfilled')) await stopStarted(second)
  return second.map(nodeOf)
}

function startAll(state: StateDirectory): Promise<PromiseSettledResult<DevnetChain>[]> {
  return Promise.allSettled(
    DEVNET_CHAINS.map(async ({ name, chainId }) => {
      const node = await startAnvil({
        chainId,
        stateFile: state.chainState(name),
        extraArguments: ANVIL_ARGUMENTS,
      })
      return { ...node, name }
    }),
  )
}

const ANVIL_ARGUMENTS = [
  ...['--accounts', String(FUNDED_ACCOUNTS), '--balance', '1000000'],
  // Mine in order of arrival: intents are numbered as they are sent.
  ...['--order', 'fifo'],
  // Large enough for the whole deployment in one block.
  ...['--gas-limit', '300000000'],
]

/** Matches anvil's complaint about its `--state` file. */
function isUnreadableState(result: PromiseSettledResult<DevnetChain>): boolean {
  return result.status === 'rejected' && /invalid value .* for '--state/.test(String(result.reason))
}

function nodeOf(result: PromiseSettledResult<DevnetChain>): DevnetChain {
  if (result.status === 'rejected') throw result.reason
  return result.value
}

async function stopStarted(results: PromiseSettledResult<DevnetChain>[]): Promise<void> {
  await Promise.all(
    results.map((result) => (result.status === 'fulfilled' ? result.value.stop() : undefined)),
  )
}
