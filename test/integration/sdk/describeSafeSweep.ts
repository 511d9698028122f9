import {
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  getAddress,
  http,
  parseAbi,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { createCairnClient, type SweptSafe } from '../../../sdk/index.ts'
import { createRangeSizer } from '../../../services/chain/history/rangeSizer.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import { followTransfersOnce } from '../../../services/relayer/recipients/safeTransfers/followTransfersOnce.ts'
import { createUnreadSearch } from '../../../services/relayer/recipients/safeTransfers/listSafes.ts'
import { DEFAULT_TRANSFER_SETTINGS } from '../../../services/relayer/recipients/safeTransfers/transferFollowerContext.ts'
import { type Made, OUTSIDE, type SponsorRig } from '../recipients/sponsorRig.ts'

/** The SDK's `recipient().sweep()` on a chain with Safes: see sponsoredTransactions.test.ts. */
export function describeSafeSweep(open: () => SponsorRig): void {
  describe('sweep() of the SDK', () => {
    let rig: SponsorRig
    let wallet: PrivateKeyAccount
    beforeAll(async () => {
      rig = open()
      wallet = await rig.register('a recipient with several Safes')
    })

    const recipient = () => {
      const { name, chainId, node, contracts } = rig.chain
      const transport = http(node.rpc)
      return createCairnClient({
        relayer: { baseUrl: rig.url },
        chains: [
          {
            name,
            chainId,
            bridge: contracts.bridge,
            publicClient: createPublicClient({ transport }),
          },
        ],
        walletClient: createWalletClient({ account: wallet, transport }),
      }).recipient()
    }

    /** What the relayer lists is what has been read of the chain. */
    async function readTransfers(): Promise<void> {
      const { config, node } = rig.chain
      const { ZEN, USDC } = rig.contracts.tokens
      const tokens = {
        ZEN: { address: ZEN, decimals: 18 },
        USDC: { address: USDC, decimals: 6 },
      }
      const db = await rig.postgres.connect()
      const sizer = createRangeSizer({ first: 2_000 })
      const given = {
        chain: { ...config, tokens },
        db,
        sizer,
        pool: createRpcPool({ chainId: config.chainId, rpcUrls: [node.rpc] }),
        settings: DEFAULT_TRANSFER_SETTINGS,
        unread: createUnreadSearch(),
        onEvent: () => {},
      }
      while ((await followTransfersOnce(given)).isUnfinished);
    }

    const safesOf = (all: readonly SweptSafe[]) =>
      all.map(({ entry }) => entry.safeAddress.toLowerCase())

    test('empties every funded Safe, deployed or not, in one call', async () => {
      const deployed = await rig.paid(wallet)
      const [second, third] = [await rig.delivered(wallet), await rig.delivered(wallet)]
      const empty = await rig.made(wallet)
      await readTransfers()
      const seen: SweptSafe[] = []
      const swept = await recipient().sweep({ onProgress: (one) => seen.push(one) })
      const full = [deployed, second, third]
      expect(swept.map(({ error }) => error)).toEqual([null, null, null])
      expect(safesOf(swept).toSorted()).toEqual(full.map(addressOf).toSorted())
      expect(seen).toEqual(swept)
      expect(new Set(swept.map(({ txHash }) => txHash)).size).toBe(3)
      for (const { moved } of swept) expect(moved.map(({ amount }) => amount)).toEqual([100n])
      expect(await rig.balance(wallet.address)).toBe(300n)
      for (const { safeAddress } of [...full, empty])
        expect(await rig.balance(safeAddress)).toBe(0n)
      // Asked again before the relayer has read that: the chain itself says that nothing is left.
      const { sent } = await rig.payer()
      const again = await recipient().sweep()
      expect(again.map(({ txHash, error }) => [txHash, error])).toEqual(Array(3).fill([null, null]))
      expect((await rig.payer()).sent).toBe(sent)
    })

    test('is preceded by registering, listing, deriving the Safes’ keys and deploying them', async () => {
      const one = recipient()
      const { spendPubKey } = await one.register()
      const made = await rig.delivered(wallet)
      // Once more, it changes nothing, and says what has come.
      const registered = await one.register()
      expect(registered.spendPubKey).toBe(spendPubKey)
      expect(registered.stealthAddresses.map(addressOf)).toContain(addressOf(made))
      const entry = (await one.list()).find((each) => addressOf(each) === addressOf(made))!
      expect(privateKeyToAccount(await one.stealthKey(entry)).address).toBe(made.owner.address)
      const { txHash } = await one.deploy(entry)
      const { status } = await rig.chain.client.getTransactionReceipt({ hash: txHash! })
      expect(status).toBe('success')
      expect(await rig.chain.client.getCode({ address: made.safeAddress })).toBeDefined()
    })

    test('moves what it can when a token refuses, and names what stayed', async () => {
      const made = await rig.delivered(wallet)
      const { USDC, ZEN } = rig.contracts.tokens
      const abi = parseAbi([
        'function mint(address to, uint256 amount)',
        'function blacklist(address account)',
      ])
      const mint = { abi, functionName: 'mint', args: [made.safeAddress, 7n] } as const
      const blacklist = { abi, functionName: 'blacklist', args: [made.safeAddress] } as const
      const [payer] = rig.chain.senders
      for (const data of [encodeFunctionData(mint), encodeFunctionData(blacklist)])
        await payer!.execute({ to: USDC, data })
      await readTransfers()
      const before = await rig.balance(wallet.address)
      const find = async () =>
        (await recipient().list()).filter((each) => addressOf(each) === addressOf(made))
      const [swept] = await recipient().sweep({ entries: await find() })
      expect(swept).toMatchObject({
        error: null,
        moved: [{ token: getAddress(ZEN), amount: 100n }],
        left: [{ token: getAddress(USDC), amount: 7n }],
      })
      expect((await rig.balance(wallet.address)) - before).toBe(100n)
      const [again] = await recipient().sweep({ entries: await find() })
      expect(again).toMatchObject({ moved: [], txHash: null })
      expect(again?.error).toMatchObject({ code: 'CONTRACT_REVERTED' })
    })

    test('reports failures beside successes, and pays the given address', async () => {
      const made = await rig.delivered(wallet)
      await readTransfers()
      const one = (await recipient().list()).find(
        ({ safeAddress }) => safeAddress.toLowerCase() === addressOf(made),
      )!
      const before = await rig.balance(OUTSIDE)
      const elsewhere = { ...one, chainId: 84_532 }
      const swept = await recipient().sweep({ entries: [elsewhere, one], to: OUTSIDE })
      const missing = 'chains: expected a publicClient for chain 84532'
      expect(swept.map(({ error }) => error?.message)).toEqual([missing, undefined])
      expect(swept.map(({ txHash }) => txHash)).toEqual([null, expect.stringMatching(/^0x/)])
      expect((await rig.balance(OUTSIDE)) - before).toBe(100n)
    })
  })
}

function addressOf({ safeAddress }: Pick<Made, 'safeAddress'>): string {
  return safeAddress.toLowerCase()
}
