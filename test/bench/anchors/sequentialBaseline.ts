import { setTimeout as pause } from 'node:timers/promises'
import { encodeFunctionData } from 'viem'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { createAccountSender } from '../../../services/chain/accountSender.ts'
import { createChainClient } from '../../../services/chain/chainClient.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { createSigning } from '../../../services/relayer/settlement/signingContext.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import type { RelayerRig } from '../../integration/reactions/relayerRig.ts'

/**
 * A naive relayer: proves, signs, simulates and sends one intent after another. It doesn't even wait for blocks.
 */
export async function anchorOneByOne(
  rig: RelayerRig,
  config: ChainConfig,
  ids: readonly bigint[],
): Promise<void> {
  const prover = createSigning(rig.database.db, rig.configs, rig.enclaves).proverOn(config.chainId)
  const client = createChainClient(config)
  const sender = createAccountSender(client, deriveDevnetAccounts().relayer)
  for (const id of ids) {
    const intent = await prover.atHead(await factsOf(rig, id), 0)
    if (!intent) throw new Error(`intent ${id} is not there`)
    const { message, encryptedBlob, signature } = await rig.enclave.signAnchor({
      intent,
      tickets: [],
    })
    const { intentId, paramsHash, blobsHashBefore, feeBps, recipientClass } = message
    const data = encodeFunctionData({
      abi: bridgeIntentV2Abi,
      functionName: 'anchorIntent',
      args: [
        ...([intentId, paramsHash, blobsHashBefore, feeBps, recipientClass] as const),
        ...([encryptedBlob, signature] as const),
      ],
    })
    await sender.send({ to: config.bridge, data })
  }
}

/** The intent's row, as soon as the index has it. */
async function factsOf(rig: RelayerRig, id: bigint): Promise<SourceFacts> {
  for (;;) {
    const known = await rig.stored(id)
    if (known) return known.source
    await pause(50)
  }
}
