import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  type InlineFragmentNode,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { DEFAULT_NESTED_PAGE, DEFAULT_PAGE, LARGEST_PAGE } from './limits.ts'
import { fragmentsOf } from './measureDocument.ts'

/** Typical maximum sizes of lists that aren't pages. Any other has a few entries. */
const LIST_SIZES: Readonly<Record<string, number>> = {
  'Query.batches': 1_000,
  'Query.intentsByTransaction': 20,
  'Query.search': 20,
  'Query.escrow': 1_000,
  'Query.vaultEscrow': 50,
  'Query.chainTotals': 20,
  'Query.chainPeriods': 1_000,
  'Query.dayTotals': 1_000,
  'Intent.timeline': 20,
  'Solver.volumes': 100,
  'Solver.stakes': 100,
  'Solver.sealingKeys': 20,
  'Solver.forfeits': 100,
  'Bridge.tokens': 50,
  'Bridge.destinations': 20,
  'Bridge.periphery': 20,
  'Bridge.announcements': 100,
}
const FEW = 5

type Operation = {
  schema: GraphQLSchema
  document: DocumentNode
  operationName?: string | null | undefined
  variables?: Readonly<Record<string, unknown>> | null | undefined
}

/**
 * The number of entries in an operation's answer in the worst case: each list counts its size times the size of the
 * list it is in. The document must be valid.
 */
export function countWorstCaseEntries({
  schema,
  document,
  operationName,
  variables,
}: Operation): number {
  const operation = getOperationAST(document, operationName)
  const root = operation && schema.getRootType(operation.operation)
  if (!operation || !root) return 0
  const defaults = Object.fromEntries(
    (operation.variableDefinitions ?? []).map(({ variable, defaultValue }) => [
      variable.name.value,
      defaultValue?.kind === Kind.INT ? Number(defaultValue.value) : undefined,
    ]),
  )
  const scope = {
    schema,
    fragments: fragmentsOf(document),
    variables: { ...defaults, ...variables },
  }
  return entriesOf(operation.selectionSet, root, scope)
}

type Scope = {
  schema: GraphQLSchema
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  variables: Readonly<Record<string, unknown>>
}

/** Counts the entries below one object. Behind an interface all types' fragments count, although only one applies. */
function entriesOf(set: SelectionSetNode, type: Parent, scope: Scope): number {
  let entries = 0
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) entries += entriesOfField(selection, type, scope)
    else {
      const inner =
        selection.kind === Kind.INLINE_FRAGMENT
          ? selection
          : scope.fragments.get(selection.name.value)
      if (inner) entries += entriesOf(inner.selectionSet, narrowed(inner, type, scope), scope)
    }
  }
  return entries
}

type Parent = GraphQLObjectType | GraphQLInterfaceType

function narrowed(
  { typeCondition }: InlineFragmentNode | FragmentDefinitionNode,
  type: Parent,
  { schema }: Scope,
): Parent {
  const named = typeCondition && schema.getType(typeCondition.name.value)
  return isObjectType(named) || isInterfaceType(named) ? named : type
}

function entriesOfField(field: FieldNode, parent: Parent, scope: Scope): number {
  const definition = parent.getFields()[field.name.value]
  // Introspection fields have no definition here.
  if (!definition || !field.selectionSet) return 0
  const type = getNamedType(definition.type)
  if (!isObjectType(type) && !isInterfaceType(type)) return 0
  const below = entriesOf(field.selectionSet, type, scope)
  if (isConnection(type)) return pageSize(field, scope, parent.name !== 'Query') * (1 + below)
  // The page's size already counts its `edges` and `nodes`.
  if (!isListType(getNullableType(definition.type)) || isConnection(parent)) return below
  return (LIST_SIZES[`${parent.name}.${field.name.value}`] ?? FEW) * (1 + below)
}

function isConnection(type: Parent): boolean {
  return type.name.endsWith('Connection')
}

function pageSize(field: FieldNode, { variables }: Scope, nested: boolean): number {
  const sizes = (field.arguments ?? [])
    .filter(({ name }) => name.value === 'first' || name.value === 'last')
    .map((argument) => integerOf(argument, variables))
    .filter((size) => size !== null)
  const size = sizes[0] ?? (nested ? DEFAULT_NESTED_PAGE : DEFAULT_PAGE)
  // The resolver refuses sizes out of range.
  return Math.min(Math.max(size, 1), LARGEST_PAGE)
}

function integerOf({ value }: ArgumentNode, variables: Scope['variables']): number | null {
  if (value.kind === Kind.INT) return Number(value.value)
  const given = value.kind === Kind.VARIABLE ? variables[value.name.value] : null
  return typeof given === 'number' ? given : null
}
