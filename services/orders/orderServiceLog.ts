import type { Logger } from 'pino'
import { toApiOrderId } from '../../core/order/apiOrderId.ts'
import type { TokenLedger } from '../../core/order/buildVaultLedger.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { SenderEvent } from '../chain/transactions/senderContext.ts'
import { createRepeatLog } from '../log/repeatLog.ts'
import type { UnreadOrder } from './follow/findUnreadOrders.ts'

/** Everything that the order service logs: ids, amounts and codes, never recipients, ciphertexts, messages or signatures. */
export type OrderServiceLog = {
  requested(kind: string, chain: string, orderId: Hex, n?: number): void
  refused(code: string, field?: string): void
  stepFailed(step: string, chain: string, orderId: Hex, error: unknown): void
  roundFailed(chain: string, loop: string, problem: string, error: unknown): void
  formerAccountFailed(error: unknown): void
  wrongSignature(chain: string, signer: Hex, why: string): void
  relayerTrouble(intentId: bigint, error: unknown): void
  shortfall(chain: string, ledger: TokenLedger): void
  shortfallResolved(chain: string, token: Hex): void
  unreadOrder(chain: string, order: UnreadOrder): void
  transaction(event: SenderEvent): void
}

export function createOrderServiceLog(log: Logger): OrderServiceLog {
  const report = createRepeatLog(log)
  return {
    requested: (kind, chain, orderId, n) =>
      log.info({ chain, order: toApiOrderId(orderId), ...(n !== undefined && { n }) }, kind),
    refused: (code, field) => log.info({ code, field }, 'an order was refused'),
    stepFailed: (step, chain, orderId, error) =>
      log.warn({ step, chain, order: toApiOrderId(orderId), ...whyOf(error) }, 'a step failed'),
    roundFailed: (chain, loop, problem, error) => {
      const facts = { chain, loop, problem, ...whyOf(error) }
      report('warn', `${chain} ${loop}`, facts, 'a chain can’t be served')
    },
    formerAccountFailed: (error) => {
      const message = 'the former account’s transactions can’t be ended: steps that it sent wait'
      report('warn', 'former account', whyOf(error), message)
    },
    wrongSignature: (chain, signer, why) => {
      const message = 'an enclave’s signature was rejected: contact its operator'
      report('warn', `${chain} ${signer}`, { chain, signer, why }, message)
    },
    relayerTrouble: (intentId, error) => {
      const why = whyOf(error)
      const facts = { intentId: String(intentId), ...why }
      report('warn', 'relayer', why, 'the relayer rejected the recipients', facts)
    },
    shortfall: (chain, { token, left, credits, balance, difference }) => {
      const amounts = { left, credits, balance, difference }
      const amountTexts = Object.entries(amounts).map(([name, value]) => [name, String(value)])
      const message = 'the vault holds less than it owes: no tranche of this token is fired'
      report(
        'error',
        `${chain} ${token}`,
        { chain, token, ...Object.fromEntries(amountTexts) },
        message,
      )
    },
    shortfallResolved: (chain, token) =>
      log.info(
        { chain, token },
        'the vault holds what it owes again: tranches of this token continue',
      ),
    unreadOrder: (chain, { orderId, blockNumber, hiddenBy }) => {
      const facts = { chain, order: toApiOrderId(orderId), block: blockNumber, hiddenBy }
      report(
        'error',
        `${chain} ${orderId}`,
        facts,
        'the vault has an order whose funding wasn’t read',
      )
    },
    transaction: (event) => {
      if (event.type !== 'trouble') return logTransaction(log, event)
      const { type, ...facts } = event
      report(
        'warn',
        `sender ${facts.chainId} ${facts.problem}`,
        facts,
        'transactions can’t be sent',
      )
    },
  }
}

function logTransaction(log: Logger, event: Exclude<SenderEvent, { type: 'trouble' }>): void {
  const { kind, effect, chainId } = event.transaction
  const facts = { kind, effect, chainId }
  if (event.type === 'failed' || event.type === 'waits') {
    log.warn({ ...facts, problem: event.problem }, `a transaction ${event.type}`)
  } else log.debug(facts, `transaction ${event.type}`)
}

/** A code and a short message. Anything longer may quote secrets of a request. */
function whyOf(error: unknown): { code?: string; why: string } {
  const { code, shortMessage } = (error ?? {}) as { code?: unknown; shortMessage?: unknown }
  const why = typeof shortMessage === 'string' ? shortMessage : nameOf(error)
  return { ...(typeof code === 'string' && { code }), why: why.split('\n')[0] as string }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 200) : 'unknown'
}
