import type { Hex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import {
  deriveStealthKeyChallenge,
  deriveStealthKeyMessage,
  type RelayerClient,
  registerRecipientMessage,
  type StealthEntry,
} from '../../sdk/index.ts'

/** The recipient's requests to the relayer, each signed by its wallet. */
export type RecipientWallet = ReturnType<typeof recipientWallet>

export function recipientWallet(account: PrivateKeyAccount, relayer: RelayerClient) {
  const recipientAddress = account.address
  const registration = () =>
    account.signMessage({ message: registerRecipientMessage(recipientAddress) })
  return {
    /** Needed once; repeating it changes nothing. */
    async register(): Promise<void> {
      await relayer.registerRecipient({ recipientAddress, signature: await registration() })
    },
    async addresses(): Promise<StealthEntry[]> {
      return relayer.stealthAddresses({ recipientAddress, signature: await registration() })
    },
    /** The key of one Safe's owner. It controls the Safe's funds: never log it. */
    async stealthKey({ address }: Pick<StealthEntry, 'address'>): Promise<Hex> {
      const message = deriveStealthKeyMessage(recipientAddress, address)
      const signature = await account.signMessage({ message })
      const timestamp = Math.floor(Date.now() / 1_000)
      const challenge = deriveStealthKeyChallenge(recipientAddress, address, timestamp)
      return relayer.deriveStealthKey(
        { recipientAddress, stealthAddress: address, signature },
        { timestamp, signature: await account.signMessage({ message: challenge }) },
      )
    },
  }
}
