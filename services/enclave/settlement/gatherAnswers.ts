/** An answer, and which of those that were asked gave it. */
export type Given<Answer> = { witness: number; answer: Answer }

/**
 * Gathers answers of several who are asked at once. When enough have answered the rest get a little
 * longer, so that one that hangs holds nobody up and one that contradicts is still heard.
 *
 * @param enough how many answers are needed
 * @param graceMs milliseconds that the rest get
 * @returns those that came, which may be fewer than enough when the others have failed
 */
export function gatherAnswers<Answer>(
  asked: readonly Promise<Answer>[],
  enough: number,
  graceMs: number,
): Promise<Given<Answer>[]> {
  const { promise, resolve } = Promise.withResolvers<Given<Answer>[]>()
  const given: Given<Answer>[] = []
  let open = asked.length
  let grace: NodeJS.Timeout | undefined
  const end = () => {
    clearTimeout(grace)
    resolve([...given])
  }
  const oneLess = () => {
    open -= 1
    if (open === 0) end()
  }
  for (const [witness, one] of asked.entries()) {
    const take = (answer: Answer) => {
      given.push({ witness, answer })
      if (given.length === enough) grace = setTimeout(end, graceMs)
    }
    // What a provider says of its failure may quote its URL, and the key in it: it is dropped here.
    one.then(take, () => {}).then(oneLess)
  }
  if (open === 0) end()
  return promise
}
