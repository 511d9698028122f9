import fc from 'fast-check'

/** The query decides the answer's shape. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Any = any

/** A filter, and the predicate that it must be equivalent to. */
export type Filter = { where: Any; passes: (entry: Any) => boolean }

/** Combines plain filters with nested `or` and `not`. */
export function anyFilter(plain: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> {
  return fc
    .record({
      base: plain,
      or: fc.option(fc.array(plain, { maxLength: 3 }), { nil: undefined }),
      not: fc.option(plain, { nil: undefined }),
      inner: fc.option(fc.record({ a: plain, b: plain }), { nil: undefined }),
    })
    .map(({ base, or, not, inner }): Filter => {
      // Nests one level deeper: neither of the two.
      const all = [...(or ?? []), ...(inner ? [neither(inner.a, inner.b)] : [])]
      const isAny = or !== undefined || inner !== undefined
      return {
        where: {
          ...base.where,
          ...(isAny && { or: all.map(({ where }) => where) }),
          ...(not && { not: not.where }),
        },
        passes: (entry) =>
          base.passes(entry) &&
          (!isAny || all.some((one) => one.passes(entry))) &&
          !not?.passes(entry),
      }
    })
}

function neither(a: Filter, b: Filter): Filter {
  return {
    where: { not: { or: [a.where, b.where] } },
    passes: (entry) => !a.passes(entry) && !b.passes(entry),
  }
}
