import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'

/** The query needs graphql-js, for example because its answer has an error in a field. */
export class Unplanned extends Error {
  override name = 'Unplanned'
}

/** A field of the answer: its key there, and all places in the query that select it. */
type SelectedField = { key: string; nodes: readonly [FieldNode, ...FieldNode[]] }

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/**
 * The fields that selections select of an object, in the order of the answer (GraphQL specification, 6.3.2). The
 * document must be valid. Throws Unplanned for directives, which depend on the request's variables.
 */
export function collectFields(
  sets: readonly SelectionSetNode[],
  type: GraphQLObjectType,
  fragments: Fragments,
): SelectedField[] {
  const fields = new Map<string, [FieldNode, ...FieldNode[]]>()
  const collect = (set: SelectionSetNode) => {
    for (const selection of set.selections) {
      if (selection.directives && selection.directives.length > 0) throw new Unplanned()
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value
        const nodes = fields.get(key)
        if (nodes) nodes.push(selection)
        else fields.set(key, [selection])
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
  return [...fields].map(([key, nodes]) => ({ key, nodes }))
}
