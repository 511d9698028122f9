import { concat, encodeFunctionData, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findStateRoot } from '../../../core/proof/storage/storageProof.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { readIntentOn } from '../../rig/attestedCalls.ts'
import { EMPTY_LOGS, LONG_LOGS, mineInFullBlock } from '../../rig/mineInFullBlock.ts'
import {
  ALICE,
  AMOUNT_B,
  call,
  type EnclaveTestbed,
  startEnclaveTestbed,
} from './enclaveTestbed.ts'

let scene: EnclaveTestbed
beforeAll(async () => {
  scene = await startEnclaveTestbed()
  const params = [numberToHex(36_000_000)]
  await scene.horizen.client.request({ method: 'evm_setBlockGasLimit', params } as never)
})
afterAll(() => scene?.stop())

/** Bytes of evidence, as it goes over the socket. */
const sizeOf = (evidence: object) =>
  JSON.stringify(evidence, (_, value) => (typeof value === 'bigint' ? String(value) : value)).length

describe('a delivery in a block full of logs', () => {
  test.each([
    ['the cheapest ones, in 36 million gas', { code: EMPTY_LOGS, gas: 35_000_000n }],
    ['72 of 32 KiB each', { code: LONG_LOGS, gas: 20_000_000n }],
  ])('is proven and settled: %s', async (_, logs) => {
    const { play, enclave, base, horizen, solver } = scene
    const id = await play.create(scene.sealed([ALICE], [AMOUNT_B]))
    await scene.anchor(id)
    await scene.win(id)
    const revealed = await enclave.revealToWinner({ intent: await scene.deep(id) })
    const { paramsHash, fillDeadline } = await readIntentOn(base, id)
    const terms = [BigInt(base.chainId), id, paramsHash, horizen.contracts.tokens.ZEN]
    const args = [...terms, revealed.recipients, revealed.amounts, fillDeadline - 1n]
    const hash = await mineInFullBlock(horizen, horizen.rogue, logs, () =>
      solver.send({
        to: horizen.contracts.bridge,
        data: call('solveIntent', args),
        gas: 1_000_000n,
      }),
    )
    const { blockNumber, logs: own } = await horizen.client.getTransactionReceipt({ hash })
    const { gasUsed, transactions } = await horizen.client.getBlock({ blockNumber })
    expect(transactions).toHaveLength(2)
    expect(gasUsed).toBeGreaterThan(logs.gas - 1_000_000n)
    expect(own.length).toBeGreaterThan(0)
    await scene.deepen()
    const evidence = await scene.settlementEvidence(id)
    expect(sizeOf(evidence)).toBeLessThan(60_000)
    await scene.settle(await enclave.attestSettlement(evidence))
    expect(await readIntentOn(base, id)).toMatchObject({ phase: 3 })
  })
})

test('a creation in a transaction with 35,000 logs is anchored, given to its winner and settled', async () => {
  const { play, enclave, base, params } = scene
  const blob = scene.sealed([ALICE], [AMOUNT_B])
  const { tokenA, tokenB, amountA, expectedAmountB, reward, destChainId, auctionDuration } = params
  const amounts = [amountA, expectedAmountB, reward, destChainId, auctionDuration] as const
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'createIntent',
    args: [tokenA, tokenB, ...amounts],
  })
  const logs = { code: EMPTY_LOGS, gas: 15_000_000n }
  await mineInFullBlock(base, base.rogue, logs, () =>
    base.senders[0]!.send({
      to: base.contracts.bridge,
      data: concat([data, blob]),
      gas: 1_000_000n,
    }),
  )
  const id = await base.client.readContract({
    address: base.contracts.bridge,
    abi: bridgeIntentV2Abi,
    functionName: 'getLatestIntentId',
  })
  await scene.anchor(id)
  await scene.win(id)
  await scene.deliver(id, await enclave.revealToWinner({ intent: await scene.deep(id) }))
  await scene.settle(await enclave.attestSettlement(await scene.settlementEvidence(id)))
  await expect(play.refund(id)).rejects.toThrow()
})

test('a proof that a node gives only for its latest block is still used', async () => {
  const { play, base } = scene
  const id = await play.create()
  const { accountProof, blockNumber } = await scene.evidence(id)
  const nodes = accountProof.map((node) => Buffer.from((node as string).slice(2), 'hex'))
  const { stateRoot } = await base.client.getBlock({ blockNumber: BigInt(blockNumber) })
  expect(findStateRoot(nodes)).toBe(stateRoot)
})
