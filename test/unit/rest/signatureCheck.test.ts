import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSignatureCheck } from '../../../api/http/auth/signatureCheck.ts'
import { createWalletVerifier } from '../../../api/rest/recipient/walletVerifier.ts'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const message = 'INTENT_PRIVATE:1:1:1'

// On a busy machine, sixty checks take so long that another one is allowed.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** An address in one of a subscriber's networks. */
const networkOf = (at: number) => `2001:db8:7:${at.toString(16)}`

test('a client’s false signatures reach nodes sixty times, from however many of its networks; its key’s never do', async () => {
  let asked = 0
  const chain = {
    getCode: async () => {
      asked++
      return '0x' as const
    },
    verifyMessage: async () => false,
  }
  const isSigned = createSignatureCheck(
    () => chain,
    () => false,
  )
  const from = (remoteAddress: string) =>
    ({
      env: { incoming: { socket: { remoteAddress } } },
      req: { header: () => undefined },
    }) as never
  const { address } = account
  const signature = await account.signMessage({ message })
  const wrong = { message: 'another', signature, address }
  for (let at = 0; at < 60; at++)
    expect(await isSigned(from(`${networkOf(at)}::1`), wrong, 1)).toBe(false)
  await expect(isSigned(from(`${networkOf(60)}::1`), wrong, 1)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
  })
  expect(asked).toBe(60)
  expect(await isSigned(from(`${networkOf(61)}::1`), { ...wrong, message }, 1)).toBe(true)
  expect(asked).toBe(60)
  expect(await isSigned(from('192.0.2.1'), wrong, 1)).toBe(false)
})

test('a wallet’s false signatures count against the client, from however many of its networks', async () => {
  const wallets = createWalletVerifier(() => null)
  const claimFrom = (at: number) => ({
    wallet: account.address,
    signature: '0x' as const,
    client: `${networkOf(at)}::/64`,
    chains: [1],
    ask: async () => {
      throw new EnclaveError('SIGNATURE_INVALID')
    },
  })
  for (let at = 0; at < 60; at++) expect(await wallets.verify(claimFrom(at))).toEqual([])
  await expect(wallets.verify(claimFrom(60))).rejects.toMatchObject({ code: 'RATE_LIMITED' })
})
