import { expect, test } from 'vitest'
import { startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { registerEnclaveOn } from '../../integration/enclave/enclaveTestbed.ts'
import { get, type OrdersRig, post } from '../../integration/orders/ordersRig.ts'
import { createTestEnclave } from '../../integration/orders/testEnclave.ts'

const MAINNET = {
  chainIn: 'base_mainnet',
  chainOut: 'horizen_mainnet',
  sourceChainId: 8453,
  destChainId: 26514,
}

/**
 * One service before nodes of both kinds. Nothing is deployed on the node that claims to be Base's mainnet: no
 * registry there would believe this enclave, since the verifier for development can't be created on a mainnet.
 */
export function describeCompatByNetwork(
  rigOf: () => OrdersRig,
  later: Record<string, number>,
): void {
  test('one compat service accepts any signed text on a testnet, but only a message naming the order on a mainnet', async () => {
    const rig = rigOf()
    const node = await startAnvil({ chainId: 8453, blockTime: 0 })
    const [testnet] = rig.configs
    const nodes = { rpcUrls: [node.rpc], wsUrl: node.ws }
    const mainnet = { ...testnet!, ...nodes, name: 'base_mainnet', chainId: 8453 }
    const { vault: _, ...elsewhere } = mainnet
    const destination = { ...elsewhere, name: 'horizen_mainnet', chainId: 26514 }
    const chains = [...rig.configs, mainnet, destination]
    const enclave = await createTestEnclave(chains, 'compat', { now: rig.clock })
    await registerEnclaveOn(rig.base, enclave, 2)
    const databaseUrl = await rig.postgres.createDatabase('both_networks')
    const enclaves = [enclave] as [typeof enclave]
    const { url } = await rig.start({ enclaves, chains, databaseUrl })
    rig.url = url
    const place = async (change: object, say: (digest: string) => string) => {
      const { digest: __, ...body } = await rig.submission(
        rig.owners[5],
        { ...later, ...change },
        say,
      )
      return post(`${url}/orders`, body)
    }
    const onTestnet = await place({}, () => 'one for a test network')
    expect(onTestnet.body).toMatchObject({ success: true, order: { chainIn: 'base_sepolia' } })
    // Even no text at all.
    const empty = await place({}, () => '')
    expect(empty.body).toMatchObject({ success: true, order: { chainIn: 'base_sepolia' } })
    const unnamed = await place(MAINNET, () => 'one for a mainnet')
    expect(unnamed).toMatchObject({ status: 400, body: { code: 'INVALID_SIGNATURE' } })
    const named = await place(MAINNET, (digest) => `TWAP_ORDER:${digest}:8453:4000000000`)
    // The service reads the chain, whose clock may be behind by now, and which has no bridge.
    expect(named.body.code).toMatch(/^(CLOCKS_DIFFER|RPC_UNREACHABLE)$/)
    const { body: health } = await get(`${url}/health`)
    expect(health.chainInfo).toEqual({ base_sepolia: '84532', base_mainnet: '8453' })
    await rig.stopServices()
    await node.stop()
  })
}
