import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'

/** An unusual answer, such as an error in a field, which graphql-js itself makes. */
export class Unplanned extends Error {
  override name = 'Unplanned'
}

/** A field of the answer: its name there, and where the query asks for it, which can be several times. */
type SelectedField = { key: string; nodes: readonly [FieldNode, ...FieldNode[]] }

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/**
 * What the selections ask of an object, in the order of the answer (GraphQL specification, 6.3.2). The
 * document must be valid. Throws Unplanned for directives, which depend on the request's variables.
 */
export function selectedFields(
  sets: readonly SelectionSetNode[],
  type: GraphQLObjectType,
  fragments: Fragments,
): SelectedField[] {
  const found = new Map<string, [FieldNode, ...FieldNode[]]>()
  const collect = (set: SelectionSetNode) => {
    for (const selection of set.selections) {
      if (selection.directives && selection.directives.length > 0) throw new Unplanned()
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value
        const known = found.get(key)
        if (known) known.push(selection)
        else found.set(key, [selection])
        continue
      }
      const spread =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
      if (!spread || (spread.typeCondition && spread.typeCondition.name.value !== type.name)) {
        throw new Unplanned()
      }
      collect(spread.selectionSet)
    }
  }
  for (const set of sets) collect(set)
  return [...found].map(([key, nodes]) => ({ key, nodes }))
}
