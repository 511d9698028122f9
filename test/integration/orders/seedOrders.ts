import {
  bytesToHex,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  keccak256,
  stringToBytes,
} from 'viem'
import type { DevnetAccount } from '../../../devnet/accounts.ts'
import { loadEcies } from '../../../services/enclave/ecies/loadEcies.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import { type OrdersRig, PAYEES, PER_PERIOD } from './ordersRig.ts'

/** Transactions of one block: what fits into anvil's. */
const BATCH = 60

/** Requests that are made before they are sent. */
const AT_ONCE = 600

/** Orders as they are on chain, straight from their owners: the service has never heard of them. */
export type SeededOrder = { orderId: Hex; encrypted: Hex; owner: DevnetAccount }

/** What sends many calls of the vault from one account, many to a block. */
function massSender({ base, vault, account }: OrdersRig, enclave: OrdersRig['enclave']) {
  const { client } = base
  return async function sendAll(calls: readonly Hex[], gas: bigint): Promise<void> {
    const fees = { gas, maxFeePerGas: 20n * 10n ** 9n, maxPriorityFeePerGas: 1n }
    let nonce = await client.getTransactionCount({ address: account as Hex })
    await client.setAutomine(false)
    for (let from = 0; from < calls.length; from += BATCH) {
      const signed = await Promise.all(
        calls.slice(from, from + BATCH).map((data, at) =>
          enclave.signOrderTransaction({
            chainId: 84532,
            nonce: nonce + at,
            to: vault,
            data,
            ...fees,
          }),
        ),
      )
      nonce += signed.length
      for (const { serialized } of signed) {
        await client.sendRawTransaction({ serializedTransaction: serialized as Hex })
      }
      await client.mine({ blocks: 1 })
    }
    await client.setAutomine(true)
  }
}

/** Funds many orders, all the same but for their ciphertext and what `changeOf` says. */
export async function seedOrders(
  rig: OrdersRig,
  count: number,
  changeOf: (at: number) => Record<string, unknown> = () => ({}),
): Promise<SeededOrder[]> {
  const { enclave, owners, base, token } = rig
  const ecies = await loadEcies()
  const key = hexToBytes((await enclave.orderKeys()).eciesPublicKey as Hex)
  const now = await rig.now()
  const seeded: SeededOrder[] = []
  let calls: Hex[] = []
  for (let at = 0; at < count; at++) {
    const owner = owners[at % owners.length]!
    const order = {
      user: owner.address,
      assetIn: token,
      assetOut: base.contracts.tokens.ZEN,
      chainIn: 'base_sepolia',
      chainOut: 'horizen_testnet',
      sourceChainId: 84532,
      destChainId: 2651420,
      period: 60,
      startTime: now - 10,
      totalAmountIn: String(PER_PERIOD * 3n),
      amountPerPeriod: String(PER_PERIOD),
      endTime: now + 86_400,
      recipients: PAYEES,
      amounts: ['900000', '5'],
      ...changeOf(at),
    }
    const encrypted = bytesToHex(ecies.encrypt(key, stringToBytes(JSON.stringify(order))))
    calls.push(await fundingCall(rig, owner, encrypted))
    seeded.push({ orderId: keccak256(encrypted), encrypted, owner })
    // Requests lapse: they are sent before they are old.
    if (calls.length === AT_ONCE || at === count - 1) {
      await massSender(rig, enclave)(calls, 450_000n)
      calls = []
    }
  }
  return seeded
}

async function fundingCall(
  { enclave, ...rig }: OrdersRig,
  owner: DevnetAccount,
  encrypted: Hex,
): Promise<Hex> {
  const deadline = (await rig.now()) + 550
  const message = `TWAP_ORDER:${keccak256(encrypted).slice(2)}:84532:${deadline + 10_000}`
  const signature = await owner.signMessage!({ message })
  const signed = await enclave.signFunding({ encrypted, message, signature, deadline })
  const { orderId: _, ...terms } = signed.message
  const request = { terms, digestOffset: BigInt(signed.digestOffset) }
  const args = [
    ...[request, encrypted, bytesToHex(stringToBytes(message))],
    ...[signed.ownerSignature, [signed.signature]],
  ]
  return encodeFunctionData({ abi: orderVaultAbi, functionName: 'fundOrder', args } as never)
}

/** Fires the first tranche of each. */
export async function fireFirst(rig: OrdersRig, orders: readonly SeededOrder[]): Promise<void> {
  const { enclave } = rig
  const about = { sourceChainId: 84532, n: 0 }
  const calls = await Promise.all(
    orders.map(async ({ orderId, encrypted }) => {
      const { encryptedBlob, signature } = await enclave.signTranche({ ...about, encrypted })
      const args = [orderId, 0n, encryptedBlob, [signature]] as const
      return encodeFunctionData({ abi: orderVaultAbi, functionName: 'fireTranche', args })
    }),
  )
  await massSender(rig, enclave)(calls, 450_000n)
}
