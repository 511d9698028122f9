import type { Provider } from '../../chain/rpcPool/provider.ts'
import type { CheckedRange } from '../history/fetchCheckedRange.ts'

/**
 * Ranges that only one provider gave, since the second one was unreachable at the time. A provider may be
 * proven wrong later.
 */
export class UnconfirmedRanges {
  /** The first range of each. */
  readonly #firstOf = new Map<Provider, number>()

  note({ from, soleGivers }: CheckedRange): void {
    for (const provider of soleGivers)
      if (!this.#firstOf.has(provider)) this.#firstOf.set(provider, from)
  }

  /** The block from which on the history is doubted; undefined while it is not. */
  doubtedFrom(): number | undefined {
    const firsts = [...this.#firstOf].flatMap(([provider, from]) =>
      provider.quarantine?.ground === 'logs' ? [from] : [],
    )
    return firsts.length === 0 ? undefined : Math.min(...firsts)
  }
}
