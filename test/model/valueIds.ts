import { textOf } from './catalogue.ts'

/** Values by small ids: equal ones have the same. */
export class Table<Value> {
  readonly #values: Value[] = []
  readonly #ids = new Map<string, number>()

  idOf(value: Value): number {
    const text = textOf(value)
    const found = this.#ids.get(text)
    if (found !== undefined) return found
    this.#ids.set(text, this.#values.length)
    return this.#values.push(value) - 1
  }

  at(id: number): Value {
    return this.#values[id]!
  }
}

/** A function of ids and words, whose answers are kept. */
export function kept<Given extends readonly (number | string)[], Answer>(
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
