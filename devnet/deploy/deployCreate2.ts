import type { Address, Hex } from 'viem'
import type { AccountSender } from '../../services/chain/accountSender.ts'
import type { DevnetClient } from '../devnetClient.ts'
import { CREATE2_DEPLOYER, computeCreate2Address, encodeCreate2Call } from './create2.ts'

/** Close to EIP-7825's gas limit for a transaction. */
const GAS = 16_000_000n

/**
 * Deploys the initcodes that aren't deployed yet. They are sent at once and mined in order, so a constructor may rely on
 * earlier ones.
 *
 * @returns their addresses, in the order given
 * @throws when one of them has no code afterwards
 */
export async function deployCreate2(
  client: DevnetClient,
  sender: AccountSender,
  initcodes: readonly Hex[],
  deployer: Address = CREATE2_DEPLOYER,
): Promise<Address[]> {
  const addresses = initcodes.map((initcode) => computeCreate2Address(initcode, deployer))
  const present = await Promise.all(addresses.map((address) => hasCode(client, address)))
  const absent = initcodes.filter((_, position) => !present[position])
  await Promise.all(
    absent.map((initcode) =>
      sender.execute({ to: deployer, data: encodeCreate2Call(initcode), gas: GAS }),
    ),
  )
  const landed = await Promise.all(addresses.map((address) => hasCode(client, address)))
  const missing = addresses.find((_, position) => !landed[position])
  if (missing) throw new Error(`no contract was created at ${missing}`)
  return addresses
}

async function hasCode(client: DevnetClient, address: Address): Promise<boolean> {
  return (await client.getCode({ address })) !== undefined
}
