import { type Address, encodeFunctionData, type Hex, hexToBigInt, sliceHex } from 'viem'
import type { AccountSender } from '../../services/chain/accountSender.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import type { DevnetAccount } from '../accounts.ts'
import type { DevnetClient } from '../devnetClient.ts'
import { worth } from '../tokens.ts'
import type { DevnetContracts } from './devnetContracts.ts'

/** Stake in each token, in cents: two million dollars' worth, enough for forty of the largest intents. */
const STAKE = 200_000_000

const GAS = 200_000n

/** Registers an account's sealing key (its own public key) and stakes, unless already done. */
export async function stakeAccount(
  client: DevnetClient,
  sender: AccountSender,
  account: Pick<DevnetAccount, 'publicKey'>,
  { bridge, tokens }: Pick<DevnetContracts, 'bridge' | 'tokens'>,
): Promise<void> {
  const contract = { address: bridge, abi: bridgeIntentV2Abi } as const
  const of = sender.address
  const [x] = await client.readContract({ ...contract, functionName: 'sealingKeyOf', args: [of] })
  const stakes = await client.multicall({
    allowFailure: false,
    contracts: Object.values(tokens).map((token) => {
      return { ...contract, functionName: 'stakeOf', args: [of, token] } as const
    }),
  })
  const calls = Object.entries(tokens).flatMap(([symbol, token], position) => {
    const amount = worth(symbol as keyof typeof tokens, STAKE)
    const [staked = 0n] = stakes[position] ?? []
    return staked < amount / 2n ? [stakeCall(token, amount - staked)] : []
  })
  if (x === 0n) calls.unshift(sealingKeyCall(account.publicKey))
  await Promise.all(calls.map((data) => sender.execute({ to: bridge, data, gas: GAS })))
}

/** @param publicKey 65 bytes, uncompressed */
function sealingKeyCall(publicKey: Hex): Hex {
  const args = [
    hexToBigInt(sliceHex(publicKey, 1, 33)),
    hexToBigInt(sliceHex(publicKey, 33)),
  ] as const
  return encodeFunctionData({ abi: bridgeIntentV2Abi, functionName: 'setSealingKey', args })
}

function stakeCall(token: Address, amount: bigint): Hex {
  const args = [token, amount] as const
  return encodeFunctionData({ abi: bridgeIntentV2Abi, functionName: 'stake', args })
}
