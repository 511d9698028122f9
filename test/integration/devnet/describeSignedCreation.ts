import {
  concat,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  maxUint256,
  parseEventLogs,
} from 'viem'
import { expect, it } from 'vitest'
import { type DevnetAccount, deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { PERMIT2 } from '../../../devnet/deploy/deployPermit2.ts'
import { worth } from '../../../devnet/tokens.ts'
import {
  authorizationTypedData,
  createWithEtherCall,
  permit2TypedData,
  type SignedCreation,
  signedCreationCall,
} from '../../../sdk/intent/signedCreation.ts'
import { createAccountSender } from '../../../services/chain/accountSender.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { readIntentOn } from '../../rig/attestedCalls.ts'
import type { BridgePair } from '../indexer/bridgePair.ts'

const SETTLED = 3
const USDC = { name: 'USD Coin', version: '2' }
const BLOB: Hex = concat(['0x0101', `0x${'5a'.repeat(510)}`])

/** Creations through the gateway that the devnet has, by its real Permit2 and its USDC's EIP-3009. */
export function describeSignedCreation(pairNow: () => BridgePair): void {
  const [user] = deriveDevnetAccounts().guests as [DevnetAccount]

  /** What the user wants: the amounts of all other intents here. */
  function requested(salt: number): SignedCreation {
    const { contracts, chainId } = pairNow().base
    const { USDC: tokenA, ZEN: tokenB } = contracts.tokens
    return {
      chainId,
      bridge: contracts.bridge,
      gateway: contracts.gateway,
      user: user.address,
      tokenA,
      tokenB,
      amountA: worth('USDC', 10_000),
      expectedAmountB: worth('ZEN', 9_000),
      reward: worth('USDC', 100),
      destChainId: BigInt(pairNow().horizen.chainId),
      auctionDuration: 60n,
      blob: BLOB,
      salt: keccak256(`0x0${salt}`),
      deadline: 2n ** 32n,
    }
  }

  /** Sent by somebody who has nothing to do with the user. */
  const byStranger = async (data: Hex) => {
    const { relayer, contracts } = pairNow().base
    const { logs } = await relayer.execute({ to: contracts.gateway, data })
    return createdIntentId(logs)
  }

  function createdIntentId(logs: Parameters<typeof parseEventLogs>[0]['logs']) {
    const [created] = parseEventLogs({ abi: bridgeIntentV2Abi, logs, eventName: 'IntentCreated' })
    return created!.args
  }

  /** The rest of its life, as that of any other intent. */
  async function expectToSettle(id: bigint): Promise<void> {
    const { play, base } = pairNow()
    await play.anchor(id)
    await play.bid(id)
    await play.endAuction()
    await play.deposit(id)
    await play.settle(id, await play.deliver(id))
    expect((await readIntentOn(base, id)).phase).toBe(SETTLED)
  }

  it('accepts an intent its user signed by EIP-3009 and a stranger sends, but no other blob', async () => {
    const creation = requested(1)
    const signature = await user.signTypedData!(authorizationTypedData(creation, USDC) as never)
    const swapped = { ...creation, blob: concat([BLOB.slice(0, -2) as Hex, '0x00']) }
    await expect(
      byStranger(signedCreationCall('createByAuthorization', swapped, signature)),
    ).rejects.toThrow()
    const data = signedCreationCall('createByAuthorization', creation, signature)
    const created = await byStranger(data)
    expect(created).toMatchObject({ user: user.address, encryptedBlob: BLOB })
    await expect(byStranger(data)).rejects.toThrow()
    await expectToSettle(created.intentId)
  })

  it('accepts an intent its user signed by Permit2 and a stranger sends, but no other blob', async () => {
    const { client } = pairNow().base
    const creation = requested(2)
    const approval = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'approve',
      args: [PERMIT2, maxUint256],
    })
    await createAccountSender(client, user, 20).execute({ to: creation.tokenA, data: approval })
    const signature = await user.signTypedData!(permit2TypedData(creation) as never)
    const swapped = { ...creation, blob: '0x' as const }
    await expect(
      byStranger(signedCreationCall('createByPermit2', swapped, signature)),
    ).rejects.toThrow()
    const data = signedCreationCall('createByPermit2', creation, signature)
    const created = await byStranger(data)
    expect(created).toMatchObject({ user: user.address, encryptedBlob: BLOB })
    await expect(byStranger(data)).rejects.toThrow()
    await expectToSettle(created.intentId)
  })

  it('accepts an intent in ether, which is refunded as WETH', async () => {
    const { base } = pairNow()
    const { WETH } = base.contracts.tokens
    const terms = { ...requested(3), tokenA: WETH, amountA: worth('WETH', 10_000), reward: 0n }
    const sender = createAccountSender(base.client, user, 20)
    const call = { to: base.contracts.gateway, data: createWithEtherCall(terms, BLOB) }
    await expect(sender.execute({ ...call, value: terms.amountA - 1n })).rejects.toThrow()
    const { logs } = await sender.execute({ ...call, value: terms.amountA })
    const { intentId, ...created } = createdIntentId(logs)
    expect(created).toMatchObject({ user: user.address, tokenA: WETH, encryptedBlob: BLOB })
    const wethOf = () =>
      base.client.readContract({
        address: WETH,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [user.address],
      })
    const before = await wethOf()
    const cancel = encodeFunctionData({
      abi: bridgeIntentV2Abi,
      functionName: 'cancelIntent',
      args: [intentId],
    })
    await sender.execute({ to: base.contracts.bridge, data: cancel })
    expect((await wethOf()) - before).toBe(terms.amountA)
  })
}
