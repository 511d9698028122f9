import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseEther } from 'viem'
import { afterAll, describe, expect, it } from 'vitest'
import { createPastStateDirectory } from '../../../contracts/anvil/pastStateDirectory.ts'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { createDevnetClient } from '../../../devnet/devnetClient.ts'
import { createAccountSender } from '../../../services/chain/accountSender.ts'
import { awaitExit, startAndKillParent } from './startAndKillParent.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-anvil-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const clientOf = (node: RunningAnvil) => createDevnetClient({ ...node, name: 'test' })
/** An event with no arguments, emitted by the three bytes of code that make it. */
const LOG0_CODE = '0x5f5fa0'

describe('anvil', () => {
  it('takes a free port, and has the chain id it was given', async () => {
    const node = await startAnvil({ chainId: 2651420, blockTime: 0 })
    expect(await clientOf(node).getChainId()).toBe(2651420)
    await node.stop()
    await awaitExit(node.pid)
  })

  it('deletes its states of old blocks, and those of killed processes', async () => {
    const parent = join(directory, 'states')
    const [dead, prefix] = [2 ** 30, 'cairn-anvil-states']
    const precious = join(directory, 'precious')
    mkdirSync(join(precious, 'file'), { recursive: true })
    mkdirSync(join(parent, `${prefix}-${dead}-killed`, 'anvil-state'), { recursive: true })
    mkdirSync(join(parent, 'another'))
    symlinkSync(precious, join(parent, `${prefix}-${dead}-link`))
    const own = createPastStateDirectory(parent)
    expect(readdirSync(parent).sort()).toEqual(
      ['another', `${prefix}-${dead}-link`, basename(own)].sort(),
    )
    expect(readdirSync(precious)).toEqual(['file'])

    const all = () => readdirSync(tmpdir()).filter((name) => name.startsWith(prefix))
    const before = new Set(all())
    const node = await startAnvil({ chainId: 1006, blockTime: 0 })
    const [states] = all().filter((name) => name.includes(`-${process.pid}-`) && !before.has(name))
    expect(states).toBeDefined()
    await node.stop()
    expect(all()).not.toContain(states)
  })

  it('fails with its own message when the port is taken', async () => {
    const first = await startAnvil({ chainId: 1001, blockTime: 0 })
    const second = startAnvil({ chainId: 1002, blockTime: 0, port: first.port })
    await expect(second).rejects.toThrow(/anvil 1002 did not start on port \d+:\n[\s\S]*in use/)
    expect(await clientOf(first).getChainId()).toBe(1001)
    await first.stop()
  })

  it('has its blocks, receipts and logs again after a restart', async () => {
    const options = { chainId: 1003, blockTime: 0, stateFile: join(directory, 'history.json') }
    const first = await startAnvil(options)
    const client = clientOf(first)
    const emitter = '0x00000000000000000000000000000000000e0e0e'
    await client.setCode({ address: emitter, bytecode: LOG0_CODE })
    const sender = createAccountSender(client, deriveDevnetAccounts().deployer, 20)
    const receipt = await sender.execute({ to: emitter, data: '0x' })
    await sender.execute({ to: emitter, data: '0x', value: parseEther('1') })
    const blocks = await Promise.all(
      [1n, 2n].map((blockNumber) => client.getBlock({ blockNumber })),
    )
    await first.stop()

    const second = await startAnvil(options)
    expect(second.resumed).toBe(true)
    const again = clientOf(second)
    expect(
      await Promise.all([1n, 2n].map((blockNumber) => again.getBlock({ blockNumber }))),
    ).toEqual(blocks)
    const hash = receipt.transactionHash
    expect(await again.getTransactionReceipt({ hash })).toEqual(receipt)
    expect(await again.getLogs({ fromBlock: 0n, address: emitter })).toHaveLength(2)
    await second.stop()
  })

  it('keeps its genesis and follows the clock over several restarts', async () => {
    const options = { chainId: 1004, stateFile: join(directory, 'genesis.json') }
    const seen = new Set<string>()
    for (let start = 0; start < 4; start++) {
      const node = await startAnvil(options)
      const client = clientOf(node)
      await client.mine({ blocks: 1 })
      seen.add((await client.getBlock({ blockNumber: 0n })).hash)
      const { timestamp } = await client.getBlock()
      expect(Math.abs(Number(timestamp) - Date.now() / 1_000)).toBeLessThan(5)
      await node.stop()
    }
    expect(seen.size).toBe(1)
  })

  it('jumps to the present after a long sleep, and never backwards', async () => {
    const options = { chainId: 1005, stateFile: join(directory, 'asleep.json'), blockTime: 0 }
    const first = await startAnvil(options)
    const ahead = BigInt(Math.floor(Date.now() / 1_000) + 10_000)
    await clientOf(first).setNextBlockTimestamp({ timestamp: ahead })
    await clientOf(first).mine({ blocks: 1 })
    await first.stop()
    const second = await startAnvil(options)
    await clientOf(second).mine({ blocks: 1 })
    expect((await clientOf(second).getBlock()).timestamp).toBeGreaterThan(ahead)
    await second.stop()
  })

  it('exits with a parent that is killed with -9, its state saved', async () => {
    const stateFile = join(directory, 'killed.json')
    const { pid } = await startAndKillParent('anvil', stateFile)
    await awaitExit(pid)
    const node = await startAnvil({ chainId: 31337, stateFile })
    expect(node.resumed).toBe(true)
    await node.stop()
  })
})
