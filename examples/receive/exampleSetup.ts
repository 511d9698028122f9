import type { Address, Hex } from 'viem'
import type { DevnetFile } from '../../devnet/devnetFile.ts'

/** A chain as an integrator sees it. */
export type ExampleChain = {
  name: string
  chainId: number
  rpc: string
  bridge: Address
  tokens: Record<string, Address>
}

/** Where the example runs. */
export type ExampleSetup = {
  /** Base URL of the relayer. */
  api: string
  source: ExampleChain
  destination: ExampleChain
  /** Key of an account with USDC and gas on the source chain. */
  senderKey: Hex
}

/** The example on a devnet: from Horizen to Base, by a guest that nothing else uses. */
export function sceneOf({ api, chains, accounts }: DevnetFile, guest = 0): ExampleSetup {
  const chain = (name: string) => {
    const found = chains.find((one) => one.name === name)
    if (found === undefined) throw new Error(`the devnet has no chain ${name}`)
    return found
  }
  const senderKey = accounts.guests[guest]
  if (senderKey === undefined) throw new Error(`the devnet has no guest ${guest}`)
  return { api, source: chain('horizen_testnet'), destination: chain('base_sepolia'), senderKey }
}
