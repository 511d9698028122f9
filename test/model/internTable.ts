import { toCanonicalText } from './catalogue.ts'

/** Interns values: equal values get the same small id. */
export class InternTable<Value> {
  readonly #values: Value[] = []
  readonly #ids = new Map<string, number>()

  idOf(value: Value): number {
    const text = toCanonicalText(value)
    const found = this.#ids.get(text)
    if (found !== undefined) return found
    this.#ids.set(text, this.#values.length)
    return this.#values.push(value) - 1
  }

  at(id: number): Value {
    return this.#values[id]!
  }
}

/** Memoizes a function of ids and strings. */
export function memoized<Given extends readonly (number | string)[], Answer>(
  compute: (...given: Given) => Answer,
): (...given: Given) => Answer {
  const answers = new Map<string, Answer>()
  return (...given) => {
    const key = given.join()
    const found = answers.get(key)
    if (found !== undefined) return found
    const answer = compute(...given)
    answers.set(key, answer)
    return answer
  }
}
