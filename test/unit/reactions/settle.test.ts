import { describe, expect, test } from 'vitest'
import { EnclaveError, type EnclaveErrorCode } from '../../../services/enclave/enclaveError.ts'
import { settle } from '../../../services/reactions/perform/settle.ts'

type Arguments = Parameters<typeof settle>

/** An enclave that answers every evidence with the same code. */
function reactorThatHears(code: EnclaveErrorCode): Arguments[0] {
  const enclave = {
    attestSettlement: async () => {
      throw new EnclaveError(code)
    },
  }
  return { prove: async () => [], enclave } as unknown as Arguments[0]
}

const situation = {
  facts: { source: { sourceChainId: 84_532, intentId: 7n } },
} as unknown as Arguments[1]
const effect = { kind: 'settle', delivery: {} } as unknown as Arguments[2]

describe('what the enclave says of a delivery', () => {
  test.each([
    'NOT_THE_WINNERS_DELIVERY',
    'RECIPIENTS_NOT_PAID',
  ] as const)('%s stands as long as the chain does', async (code) => {
    const outcome = await settle(reactorThatHears(code), situation, effect)
    expect(outcome).toEqual({ is: 'refused', reason: code })
  })

  test('recipients it can’t read may be readable with an older root: tried again, nobody slashed', async () => {
    const outcome = await settle(reactorThatHears('RECIPIENTS_UNKNOWN'), situation, effect)
    expect(outcome).toEqual({ is: 'waiting', reason: 'RECIPIENTS_UNKNOWN' })
  })

  test('anything else is a fault, tried again with a pause', async () => {
    const outcome = settle(reactorThatHears('WITNESS_UNREACHABLE'), situation, effect)
    await expect(outcome).rejects.toMatchObject({ code: 'WITNESS_UNREACHABLE' })
  })
})
