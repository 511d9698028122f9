import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionSetNode,
} from 'graphql'

/** The size of a document's operations with their fragments expanded: the largest depth, and sums of the rest. */
type Measure = {
  /** Fields inside fields, without introspection. */
  depth: number
  introspectionDepth: number
  aliases: number
  /** Aliases of and inside introspection fields. */
  introspectionAliases: number
  fields: number
}

const INTROSPECTION = new Set(['__schema', '__type'])

/**
 * Measures a document. Stops when `fields` exceeds `maxFields`, because fragments that spread each other can expand to
 * millions. Follows a fragment that spreads itself once; validation refuses it.
 */
export function measureDocument(document: DocumentNode, maxFields: number): Measure {
  const fragments = fragmentsOf(document)
  const open = new Set<string>()
  const measure: Measure = {
    depth: 0,
    introspectionDepth: 0,
    aliases: 0,
    introspectionAliases: 0,
    fields: 0,
  }
  const measureSet = (set: SelectionSetNode, depth: number, isIntrospection: boolean) => {
    for (const selection of set.selections) {
      if (measure.fields > maxFields) return
      // Spreads count too: nested empty ones cost work without any field.
      measure.fields += 1
      if (selection.kind === Kind.FIELD) measureField(selection, depth, isIntrospection)
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        measureSet(selection.selectionSet, depth, isIntrospection)
      } else {
        const { value: name } = selection.name
        const fragment = fragments.get(name)
        if (!fragment || open.has(name)) continue
        open.add(name)
        measureSet(fragment.selectionSet, depth, isIntrospection)
        open.delete(name)
      }
    }
  }
  const measureField = (field: FieldNode, depth: number, isInIntrospection: boolean) => {
    // These names mean introspection only at the top. Elsewhere validation refuses them.
    const isIntrospection =
      isInIntrospection || (depth === 1 && INTROSPECTION.has(field.name.value))
    const deepest = isIntrospection ? 'introspectionDepth' : 'depth'
    measure[deepest] = Math.max(measure[deepest], depth)
    if (field.alias) measure[isIntrospection ? 'introspectionAliases' : 'aliases'] += 1
    if (field.selectionSet) measureSet(field.selectionSet, depth + 1, isIntrospection)
  }
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) measureSet(definition.selectionSet, 1, false)
  }
  return measure
}

export function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)
  return new Map((fragments as FragmentDefinitionNode[]).map((one) => [one.name.value, one]))
}
