import { concat, encodeFunctionData, type Hex, pad, parseAbi } from 'viem'
import type { TrafficChain } from '../../devnet/traffic/trafficChainClient.ts'
import type { AccountSender } from '../../services/chain/accountSender.ts'
import type { Hex as LowerHex } from '../../src/event/bridgeEvent.ts'

/**
 * A contract that accepts any ERC-1271 signature until it is called with `0xdeadbeef`, and rejects all of them
 * afterwards. Other calldata is one word with an address, then a call to forward to it.
 */
const RUNTIME: Hex = `0x${[
  ...['5f3560e01c', '80631626ba7e14603657', '63deadbeef14604957'],
  // Forward, passing on a revert's reason.
  ...['602036038060205f37', '5f5f915f5f5f355af1', '603457', '3d5f5f3e3d5ffd', '5b00'],
  // Valid while the first slot is empty.
  ...['5b5f5415631626ba7e0260e01b5f5260205ff3', '5b60015f5500'],
].join('')}`

const CREATION: Hex = concat(['0x604f8060095f395ff3', RUNTIME])

const abi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
])

/** Deploys one and mints tokens to it. */
export async function deployRevocableWallet({
  base,
}: {
  base: Pick<TrafficChain, 'client' | 'contracts' | 'relayer'> & { rogue: AccountSender }
}) {
  const { client, contracts, rogue } = base
  const { contractAddress } = await rogue.execute({ to: null, data: CREATION, gas: 500_000n })
  const turncoat = contractAddress?.toLowerCase() as LowerHex
  const args = [turncoat, 10n ** 15n] as const
  const data = encodeFunctionData({ abi, functionName: 'mint', args })
  await rogue.execute({ to: contracts.tokens.USDC, data })
  return {
    turncoat,
    /** Makes it call another contract. */
    through: (to: Hex, call: Hex) =>
      rogue.execute({ to: turncoat, data: concat([pad(to), call]), gas: 3_000_000n }),
    turn: () => rogue.execute({ to: turncoat, data: '0xdeadbeef' }),
    async accepts(): Promise<boolean> {
      const answer = await client.readContract({
        address: turncoat,
        abi,
        functionName: 'isValidSignature',
        args: [pad('0x01'), '0x02'],
      })
      return answer === '0x1626ba7e'
    },
  }
}
