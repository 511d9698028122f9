import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
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
  const fragments = new Map<string, FragmentDefinitionNode>()
  const operations: OperationDefinitionNode[] = []
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION)
      fragments.set(definition.name.value, definition)
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition)
  }
  const measure = noMeasure()
  const walk = new Walk(fragments, measure, mostFields)
  for (const { selectionSet } of operations) walk.selections(selectionSet, 1, null)
  return measure
}

function noMeasure(): Measure {
  return { depth: 0, introspectionDepth: 0, aliases: 0, introspectionAliases: 0, fields: 0 }
}

/** One pass over the operations. */
class Walk {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly measure: Measure
  readonly mostFields: number
  readonly open = new Set<string>()

  constructor(
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    measure: Measure,
    mostFields: number,
  ) {
    this.fragments = fragments
    this.measure = measure
    this.mostFields = mostFields
  }

  /** `introspectedAt` is the depth at which introspection began, null outside it. */
  selections(set: SelectionSetNode, depth: number, introspectedAt: number | null): void {
    for (const selection of set.selections) {
      if (this.measure.fields > this.mostFields) return
      if (selection.kind === Kind.FIELD) this.field(selection, depth, introspectedAt)
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        this.spread()
        this.selections(selection.selectionSet, depth, introspectedAt)
      } else this.fragment(selection.name.value, depth, introspectedAt)
    }
  }

  fragment(name: string, depth: number, introspectedAt: number | null): void {
    this.spread()
    const definition = this.fragments.get(name)
    if (!definition || this.open.has(name)) return
    this.open.add(name)
    this.selections(definition.selectionSet, depth, introspectedAt)
    this.open.delete(name)
  }

  /** Spreads cost work without being fields: empty ones nested in each other must count as well. */
  spread(): void {
    this.measure.fields += 1
  }

  field(field: FieldNode, depth: number, outer: number | null): void {
    const { measure } = this
    // Only at the top do these names mean introspection; elsewhere validation knows no such field.
    const begins = depth === 1 && INTROSPECTION.has(field.name.value)
    const introspectedAt = outer ?? (begins ? depth : null)
    measure.fields += 1
    if (introspectedAt === null) {
      measure.depth = Math.max(measure.depth, depth)
      if (field.alias) measure.aliases += 1
    } else {
      measure.introspectionDepth = Math.max(measure.introspectionDepth, depth)
      if (field.alias) measure.introspectionAliases += 1
    }
    if (field.selectionSet) this.selections(field.selectionSet, depth + 1, introspectedAt)
  }
}
