import { secp256k1 } from '@noble/curves/secp256k1.js'
import { type Address, bytesToHex, type Hex, hexToBytes, size } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { ClientContext } from '../client/clientOptions.ts'
import { requireWalletClient } from '../client/requireWallet.ts'
import { CairnError } from '../errors/cairnError.ts'
import {
  deriveStealthKeyChallenge,
  deriveStealthKeyMessage,
} from '../messages/deriveStealthKeyMessages.ts'
import { registerRecipientMessage } from '../messages/registerRecipientMessage.ts'
import type { ListedAddresses } from '../relayer/relayerQueries.ts'
import type {
  DeployedSafe,
  RegisteredRecipient,
  StealthEntry,
} from '../relayer/relayerResponses.ts'
import { decryptWith } from '../seal/decryptWith.ts'
import { deploySafe } from './deploySafe.ts'
import { type SweepContext, type SweepOptions, type SweptSafe, sweepSafes } from './sweepSafes.ts'

/** The client of a wallet that is paid at fresh Safes. Each call asks the wallet for a signature. */
export type RecipientClient = {
  readonly address: Address
  /**
   * Registers the wallet as a recipient; repeating it changes nothing. From then on, payments to the wallet go to fresh Safes.
   */
  register(): Promise<RegisteredRecipient>
  /** The deliveries so far, each with its Safe and balances. The relayer's word: only `sweep` shows that they are yours. */
  list(options?: ListedAddresses): Promise<StealthEntry[]>
  /**
   * The private key of a Safe's owner. It controls the Safe's funds: never log it, and store it only encrypted. In strict mode, the
   * enclave encrypts it for this call, so the relayer doesn't see it.
   */
  stealthKey(entry: Pick<StealthEntry, 'address'>): Promise<Hex>
  /** Has a Safe deployed at the relayer's cost; the answer is unverified. `sweep` deploys Safes by itself. */
  deploy(entry: Pick<StealthEntry, 'address' | 'chainId'>): Promise<DeployedSafe>
  /**
   * Moves all listed tokens from the Safes to the wallet, at the relayer's cost: derives the keys, deploys missing Safes,
   * signs, and waits until each Safe's chain shows the withdrawal. Returns failures beside successes; call it again for the rest.
   *
   * @throws only the wallet's own errors, `INVALID_REQUEST` for `to`, and what `list` throws
   */
  sweep(options?: SweepOptions): Promise<SweptSafe[]>
}

/** @throws CairnError `VIEWING_KEY_MISSING` without a wallet */
export function createRecipientClient(configured: ClientContext): RecipientClient {
  const { relayer, chains } = configured
  const walletClient = requireWalletClient(configured)
  const { account } = walletClient
  const recipientAddress = account.address
  const sign = (message: string) => walletClient.signMessage({ account, message })
  // The same for every registration and list, so sign it once.
  let registration: Promise<Hex> | null = null
  const registered = async () => {
    registration ??= sign(registerRecipientMessage(recipientAddress))
    const signature = await registration.catch((error: unknown) => {
      registration = null
      throw error
    })
    return { recipientAddress, signature }
  }
  const recipient: SweepContext['recipient'] = {
    address: recipientAddress,
    list: async (options) => relayer.stealthAddresses(await registered(), options),
    stealthKey: async ({ address }) => {
      const timestamp = Math.floor(Date.now() / 1_000)
      const own = secp256k1.utils.randomSecretKey()
      const sealTo = bytesToHex(secp256k1.getPublicKey(own, false))
      const signature = await sign(deriveStealthKeyMessage(recipientAddress, address))
      const challenge = deriveStealthKeyChallenge(recipientAddress, address, timestamp, sealTo)
      const answer = await relayer.deriveStealthKey(
        { recipientAddress, stealthAddress: address, signature },
        { timestamp, signature: await sign(challenge), sealTo },
      )
      const key = openKey(own, answer)
      if (ownerOf(key) === address.toLowerCase()) return key
      const words = 'the relayer returned the key of another address: ask its operator'
      throw new CairnError('ANSWER_INVALID', words, { details: { address } })
    },
  }
  const context: SweepContext = { relayer, chains, recipient }
  return {
    ...recipient,
    register: async () => relayer.registerRecipient(await registered()),
    deploy: async (entry) => deploySafe(context, entry, await recipient.stealthKey(entry)),
    sweep: (options) => sweepSafes(context, options),
  }
}

/** The key in an answer. An earlier relayer in compat mode ignores `sealTo`, and answers with the key itself. */
function openKey(own: Uint8Array, answer: Hex): Hex {
  try {
    return size(answer) === 32 ? answer : bytesToHex(decryptWith(own, hexToBytes(answer)))
  } catch {
    return '0x'
  }
}

/** A key's address in lower case; null for what is no key. Drops the library's error, which may quote it. */
function ownerOf(key: Hex): string | null {
  try {
    return privateKeyToAccount(key).address.toLowerCase()
  } catch {
    return null
  }
}
