import type { InMemoryRowStore } from '../../core/rows/inMemoryRowStore.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { ChainEvent, ChainEventType } from '../../src/event/chainEvent.ts'
import { collectOwed, type Owed, sumOwed } from '../replay/checkBalances.ts'
import { findTokenMovement } from './findTokenMovement.ts'

/** All events of one kind that moved a token, in a period. */
type MovementSum = { kind: ChainEventType; count: number; in: bigint; out: bigint }

/** The statement of one contract and token over a period, in base units. */
export type Statement = {
  holder: 'bridge' | 'vault'
  token: Hex
  opening: Owed
  movements: MovementSum[]
  closing: Owed
}

/** Owed amounts at a moment, by `<holder>/<token>`. */
type OwedByAccount = ReadonlyMap<string, Owed>

/** Copies what bridge and vault owe, by account. */
export function copyOwed(store: InMemoryRowStore): OwedByAccount {
  return new Map(
    (['bridge', 'vault'] as const).flatMap((holder) =>
      [...collectOwed(holder, store)].map(
        ([token, owed]) => [accountKey(holder, token), owed] as const,
      ),
    ),
  )
}

/**
 * Composes a chain's statements over a period, one for each account at its end.
 *
 * @param store rows at the period's end
 * @param events the events within the period
 */
export function composeStatements(
  opening: OwedByAccount,
  events: Iterable<ChainEvent>,
  store: InMemoryRowStore,
): Statement[] {
  const sums = new Map<string, Map<ChainEventType, MovementSum>>()
  for (const event of events) {
    const movement = findTokenMovement(event, store)
    if (!movement) continue
    const name = accountKey(movement.holder, movement.token)
    const ofAccount = sums.get(name) ?? new Map<ChainEventType, MovementSum>()
    sums.set(name, ofAccount)
    const sum = ofAccount.get(event.type) ?? { kind: event.type, count: 0, in: 0n, out: 0n }
    ofAccount.set(event.type, {
      kind: event.type,
      count: sum.count + 1,
      in: sum.in + movement.in,
      out: sum.out + movement.out,
    })
  }
  return [...copyOwed(store)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, closing]) => {
      const [holder, token] = name.split('/') as [Statement['holder'], Hex]
      const blank = Object.fromEntries(Object.keys(closing).map((part) => [part, 0n]))
      const movements = [...(sums.get(name)?.values() ?? [])]
      movements.sort((a, b) => (a.kind < b.kind ? -1 : 1))
      return { holder, token, opening: opening.get(name) ?? blank, movements, closing }
    })
}

/** Opening plus movements. Equals the closing unless the events and the state disagree. */
export function computeClosing({ opening, movements }: Statement): bigint {
  return movements.reduce((sum, { in: into, out }) => sum + into - out, sumOwed(opening))
}

export function accountKey(holder: Statement['holder'], token: Hex): string {
  return `${holder}/${token}`
}
