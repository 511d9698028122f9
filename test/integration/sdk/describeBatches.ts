import { createWalletClient, custom, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { type BatchState, type CairnClientOptions, createCairnClient } from '../../../sdk/index.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { rig } from '../reactions/reactionsTestbed.ts'
import { buildTwoIntentBatch } from './twoIntentBatch.ts'

/** The process ends here. */
class Killed extends Error {}

/**
 * Tests of batches on real chains: whatever moment the program is killed at, each recipient is in one intent.
 *
 * @param options of a client whose wallet nobody else uses meanwhile
 */
export function describeBatches(options: () => CairnClientOptions, key: `0x${string}`): void {
  describe('a batch', () => {
    const account = privateKeyToAccount(key)

    const request = () => buildTwoIntentBatch(rig.base.contracts.tokens)

    /** The intents that this account has created since. */
    async function created(since: bigint) {
      const { client, contracts } = rig.base
      return client.getContractEvents({
        address: contracts.bridge,
        abi: bridgeIntentV2Abi,
        eventName: 'IntentCreated',
        args: { user: account.address },
        fromBlock: since + 1n,
        strict: true,
      })
    }

    /** What is stored on a disk: the state as JSON, until `dieAt` has been stored so often. */
    function disk(dieAt = Number.POSITIVE_INFINITY, keepsLast = true) {
      const stored: string[] = []
      return {
        save: (state: BatchState) => {
          if (stored.length + 1 === dieAt && !keepsLast) throw new Killed()
          stored.push(JSON.stringify(state))
          if (stored.length === dieAt) throw new Killed()
        },
        state: () => JSON.parse(stored.at(-1) as string) as BatchState,
      }
    }

    const run = (how: { save: (state: BatchState) => void; state?: BatchState }) =>
      createCairnClient(options()).submitBatch(request(), { ...how, skipLiquidityCheck: true })

    async function expectOnce(since: bigint, ids: readonly bigint[]) {
      const logs = await created(since)
      expect(logs.map(({ args }) => args.intentId)).toEqual(ids)
      const sum = logs.reduce((total, { args }) => total + args.amountA + args.reward, 0n)
      expect(sum).toBe(request().amountIn + request().reward)
    }

    test('turns one call into two intents and reports both', async () => {
      const since = await rig.base.client.getBlockNumber({ cacheTime: 0 })
      const seen: string[] = []
      const { save } = disk()
      const handles = await createCairnClient(options()).submitBatch(request(), {
        save,
        skipLiquidityCheck: true,
        onProgress: (one) => seen.push(`${one.created}/${one.intents} ${one.recipients.length}`),
      })
      expect(seen).toEqual(['1/2 100', '2/2 101'])
      await expectOnce(
        since,
        handles.map(({ id }) => id),
      )
    })

    test('sends nothing if its second intent would be below the minimum', async () => {
      const whole = request()
      const recipients = whole.recipients.map((one, at) =>
        at < 100 ? one : { ...one, amount: 1n },
      )
      const used = () => rig.base.client.getTransactionCount({ address: account.address })
      const [before, { save }] = [await used(), disk()]
      const cairn = createCairnClient(options())
      const submit = cairn.submitBatch({ ...whole, recipients }, { save, skipLiquidityCheck: true })
      await expect(submit).rejects.toMatchObject({ code: 'AMOUNT_BELOW_MINIMUM' })
      expect(await used()).toBe(before)
    })

    // Saves: 1 and 2 are of the first intent, before it is sent and after; 3 and 4 of the second.
    test.each([
      ['before anything is sent', 1, true],
      ['after the second is made ready', 3, true],
      ['after the second is created and before that is stored', 4, false],
      ['after the second is stored', 4, true],
    ] as const)('killed %s resumes and pays nobody twice', async (_when, dieAt, keepsLast) => {
      const since = await rig.base.client.getBlockNumber({ cacheTime: 0 })
      const first = disk(dieAt, keepsLast)
      await expect(run({ save: first.save })).rejects.toThrow(Killed)
      const { save } = disk()
      const handles = await run({ save, state: first.state() })
      await expectOnce(
        since,
        handles.map(({ id }) => id),
      )
    })

    test('sends no second transaction after being killed while the first waits for a block', async () => {
      const { client, node } = rig.base
      const since = await client.getBlockNumber({ cacheTime: 0 })
      const ready = disk(1)
      // The approval is in a block, and nothing else.
      await expect(run({ save: ready.save })).rejects.toThrow(Killed)
      const wallet = createWalletClient({ account, transport: http(node.rpc) })
      const sendAndDie = async (transaction: never) => {
        await wallet.sendTransaction(transaction)
        throw new Killed()
      }
      await client.setAutomine(false)
      const second = disk()
      try {
        const walletClient = { ...wallet, sendTransaction: sendAndDie } as never
        const dying = createCairnClient({ ...options(), walletClient })
        const how = { state: ready.state(), save: second.save, skipLiquidityCheck: true }
        await expect(dying.submitBatch(request(), how)).rejects.toThrow(Killed)
        // It is neither there nor gone: the same nonce is all that may be sent, and the node keeps the first.
        await expect(run({ save: second.save, state: second.state() })).rejects.toThrow()
      } finally {
        await client.mine({ blocks: 1 })
        await client.setAutomine(true)
      }
      const handles = await run({ save: second.save, state: second.state() })
      await expectOnce(
        since,
        handles.map(({ id }) => id),
      )
    })

    test('whose wallet chooses its own nonces waits for its transaction and pays nobody twice', async () => {
      const { client, node, contracts } = rig.base
      const since = await client.getBlockNumber({ cacheTime: 0 })
      const { address } = account
      await client.impersonateAccount({ address })
      const provider = http(node.rpc)({})
      const browsers = createWalletClient({ account: address, transport: http(node.rpc) })
      type Sent = Parameters<typeof browsers.sendTransaction>[0]
      let isDying = true
      // As browsers' wallets do: whatever nonce it was given, it takes the account's next.
      const ask = async ({ method, params }: { method: string; params?: unknown }) => {
        if (method !== 'eth_sendTransaction') return provider.request({ method, params } as never)
        const [{ to, data }] = params as [{ to: Hex; data: Hex }]
        const transaction = { to, data, chain: null } as Sent
        if (to !== contracts.bridge || !isDying) return browsers.sendTransaction(transaction)
        await client.setAutomine(false)
        // Something else of its owner's comes before it: it isn't sent with the nonce that was saved.
        await browsers.sendTransaction({ chain: null, to: address, value: 1n })
        await browsers.sendTransaction(transaction)
        throw new Killed()
      }
      const transport = custom({ request: ask }, { retryCount: 0 })
      const walletClient = createWalletClient({ account: address, transport })
      const cairn = createCairnClient({ ...options(), walletClient })
      const { save, state } = disk()
      const first = cairn.submitBatch(request(), { save, skipLiquidityCheck: true })
      await expect(first).rejects.toThrow()
      isDying = false
      const again = () =>
        cairn.submitBatch(request(), { save, state: state(), skipLiquidityCheck: true })
      const sent = () => client.getTransactionCount({ address, blockTag: 'pending' })
      const before = await sent()
      // What it sent may come at any time: nothing is sent beside it.
      await expect(again()).rejects.toMatchObject({ code: 'TRANSACTION_PENDING', retryable: true })
      expect(await sent()).toBe(before)
      await client.mine({ blocks: 1 })
      await client.setAutomine(true)
      const handles = await again()
      await client.stopImpersonatingAccount({ address })
      await expectOnce(
        since,
        handles.map(({ id }) => id),
      )
    })

    test('refuses to resume from another batch’s state', async () => {
      const { save, state } = disk(1)
      await expect(run({ save })).rejects.toThrow(Killed)
      const other = { ...request(), reward: 5n }
      await expect(
        createCairnClient(options()).submitBatch(other, { save, state: state() }),
      ).rejects.toMatchObject({
        code: 'BATCH_STATE_INVALID',
        message: expect.stringContaining('paid again'),
      })
    })

    // A Safe's nonce counts the contracts it has created: what waits in its queue can still be executed.
    test('of a contract isn’t sent again because the contract’s nonce was used', async () => {
      const { client, node, contracts } = rig.base
      const { address } = account
      await client.impersonateAccount({ address })
      const provider = http(node.rpc)({})
      let queued = 0
      const ask = async ({ method, params }: { method: string; params?: unknown }) => {
        const [{ to }] = (params ?? [{}]) as [{ to?: Hex }]
        if (method !== 'eth_sendTransaction' || to !== contracts.bridge)
          return provider.request({ method, params } as never)
        queued += 1
        throw new Killed()
      }
      const transport = custom({ request: ask }, { retryCount: 0 })
      const walletClient = createWalletClient({ account: address, transport })
      const cairn = createCairnClient({ ...options(), walletClient })
      const { save, state } = disk()
      const first = cairn.submitBatch(request(), { save, skipLiquidityCheck: true })
      await expect(first).rejects.toThrow()
      const asked = queued
      const nonce = await client.getTransactionCount({ address })
      await client.setCode({ address, bytecode: '0xfe' })
      await client.setNonce({ address, nonce: nonce + 1 })
      await client.mine({ blocks: 65 })
      const again = cairn.submitBatch(request(), { save, state: state(), skipLiquidityCheck: true })
      await expect(again).rejects.toMatchObject({ code: 'TRANSACTION_PENDING', retryable: true })
      expect(queued).toBe(asked)
    })
  })
}
