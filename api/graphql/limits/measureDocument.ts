import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionSetNode,
} from 'graphql'

/** How large a document's operations are together, with their fragments spelled out. */
type Measure = {
  /** Fields inside fields, introspection left out. */
  depth: number
  introspectionDepth: number
  aliases: number
  /** Aliases inside introspection, or of it. */
  introspectionAliases: number
  fields: number
}

const INTROSPECTION = new Set(['__schema', '__type'])

/**
 * Measures a document: its operations' depth at most, their fields in sum. Stops as soon as `fields` exceeds
 * `mostFields`: fragments that spread each other can expand to millions. Fragments that spread themselves are
 * followed once, and left to validation.
 */
export function measureDocument(document: DocumentNode, mostFields: number): Measure {
  const fragments = fragmentsOf(document)
  const open = new Set<string>()
  const measure: Measure = {
    ...{ depth: 0, introspectionDepth: 0 },
    ...{ aliases: 0, introspectionAliases: 0, fields: 0 },
  }
  const measureSet = (set: SelectionSetNode, depth: number, isIntrospection: boolean) => {
    for (const selection of set.selections) {
      if (measure.fields > mostFields) return
      // Spreads cost work without being fields: empty ones nested in each other must count as well.
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
    // Only at the top do these names mean introspection; elsewhere validation knows no such field.
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

/** A document's fragments by name. */
export function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)
  return new Map((fragments as FragmentDefinitionNode[]).map((one) => [one.name.value, one]))
}
