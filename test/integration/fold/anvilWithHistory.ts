import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { packIntentId } from '../../../core/intent/intentId.ts'
import { deriveDevnetAccounts, FUNDED_ACCOUNTS } from '../../../devnet/accounts.ts'
import { DEVNET_WINDOWS } from '../../../devnet/bridgeWindows.ts'
import { buildDevnetContracts } from '../../../devnet/deploy/devnetContracts.ts'
import { setUpDevnetChain } from '../../../devnet/deploy/setUpDevnetChain.ts'
import { stakeAccount } from '../../../devnet/deploy/stakeAccount.ts'
import { worth } from '../../../devnet/tokens.ts'
import { createTrafficChainClient } from '../../../devnet/traffic/trafficChainClient.ts'
import { createAccountSender } from '../../../services/chain/accountSender.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { callRpc } from '../../bench/backfill/growChain.ts'
import { attestedCalls, readIntentOn } from '../../rig/attestedCalls.ts'
import { readCompiledContracts } from '../../run/compiledContracts.ts'
import { trustStandIn } from '../indexer/bridgePair.ts'

const chainId = 84532
const destination = 2651420
/** More than Ponder's finality depth, so that everything before is final. */
const tail = 40

export type AnvilWithHistory = { anvil: RunningAnvil; chain: ChainConfig }

/**
 * A chain with the real contracts and a history that has what Ponder's cache could differ in: blocks where
 * the bridge's transactions are mixed with strangers', several logs in a transaction, transactions of the
 * types 0, 1 and 2, quiet stretches, and blocks above finality.
 */
export async function startAnvilWithHistory(): Promise<AnvilWithHistory> {
  const anvil = await startAnvil({
    chainId,
    blockTime: 0,
    extraArguments: ['--accounts', String(FUNDED_ACCOUNTS)],
  })
  const accounts = deriveDevnetAccounts()
  const contracts = buildDevnetContracts(await readCompiledContracts(), accounts, DEVNET_WINDOWS)
  const played = createTrafficChainClient(
    { name: 'base_sepolia', chainId, rpc: anvil.rpc },
    contracts,
    accounts,
  )
  const { client } = played
  await setUpDevnetChain(client, contracts, accounts, [destination])
  await trustStandIn(played)
  for (const [position, one] of played.solvers.entries())
    await stakeAccount(client, one, accounts.solvers[position]!, contracts)
  const call = (method: string, ...params: unknown[]) => callRpc(anvil.rpc, method, params)
  const { bridge, tokens } = contracts
  const usdc = tokens.USDC
  const bridgeCall = (functionName: string, args: unknown[]) =>
    encodeFunctionData({ abi: bridgeIntentV2Abi, functionName, args } as never) as Hex
  const create = bridgeCall('createIntent', [
    ...[usdc, tokens.USDT, worth('USDC', 10_000), worth('USDT', 9_000), worth('USDC', 100)],
    ...[BigInt(destination), 60n],
  ])
  const { relayer, senders, solvers } = played
  const [sender, otherSender] = senders
  const [solver, otherSolver] = solvers
  const guest = createAccountSender(client, accounts.guests[0]!, 20)
  const attested = attestedCalls(played)
  const to = (data: Hex) => ({ to: bridge, data })
  const id = (sequence: number) => packIntentId(chainId, BigInt(sequence))

  await sender!.execute(to(create))
  await sender!.execute(to(bridgeCall('cancelIntent', [id(1)])))

  // One block with several creations among strangers' transfers.
  const transfer = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'transfer',
    args: [bridge, 5n],
  })
  await call('evm_setAutomine', false)
  const gas = 400_000n
  await guest.send({ to: usdc, data: transfer, gas })
  await sender!.send({ ...to(create), gas })
  await otherSender!.send({ ...to(create), gas })
  const third = accounts.senders[2]!.address
  const quantity = (value: bigint) => `0x${value.toString(16)}`
  const plain = { from: third, to: bridge, data: create, gas: quantity(gas) }
  const nonce = Number(await call('eth_getTransactionCount', third, 'latest'))
  const price = { gasPrice: quantity(3_000_000_000n) }
  await call('eth_sendTransaction', { ...plain, ...price, nonce: quantity(BigInt(nonce)) })
  const accessList = [{ address: usdc, storageKeys: [`0x${'00'.repeat(32)}`] }]
  const listed = { ...plain, ...price, accessList, type: '0x1', nonce: quantity(BigInt(nonce + 1)) }
  await call('eth_sendTransaction', listed)
  await call('anvil_mine', '0x1')
  await call('evm_setAutomine', true)

  await call('anvil_mine', '0x46')
  for (const sequence of [2, 3, 4]) {
    await relayer.execute(to(await attested.anchor(id(sequence))))
    await solver!.execute(to(bridgeCall('placeBid', [id(sequence), worth('USDT', 9_100)])))
    await otherSolver!.execute(to(bridgeCall('placeBid', [id(sequence), worth('USDT', 9_200)])))
  }
  await call('evm_increaseTime', 62)
  await call('anvil_mine', '0x1')
  const { paramsHash, blobsHash, amountB } = await readIntentOn(played, id(2))
  const pickup = bridgeCall('depositAndPickup', [id(2), paramsHash, blobsHash, amountB])
  await otherSolver!.execute(to(pickup))
  await call('evm_increaseTime', 60)
  await call('anvil_mine', '0x1')
  await guest.execute(to(bridgeCall('refund', [id(2)])))
  await guest.execute(to(bridgeCall('refund', [id(3)])))
  await call('anvil_mine', `0x${tail.toString(16)}`)
  await sender!.execute(to(create))

  const chain = {
    name: 'base_sepolia',
    chainId,
    rpcUrls: [anvil.rpc],
    bridge,
    startBlock: 0,
    confirmations: 1,
  }
  return { anvil, chain }
}
