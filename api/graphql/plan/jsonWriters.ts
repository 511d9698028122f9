import {
  type FieldNode,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getArgumentValues,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql'
import type { GraphqlContext } from '../context.ts'
import { type ListedIntent, listedIntents } from '../resolvers/listedIntents.ts'
import { intentTextField, nothingRequested, type RequestedParts } from './intentTextField.ts'
import { joined, type Piece } from './jsonPieces.ts'
import { type Fragments, selectedFields, Unplanned } from './selectedFields.ts'

/** The input of a plan's run: its context, and its variables as the schema parses them. */
type Run = { context: GraphqlContext; variables: Readonly<Record<string, unknown>> }

/** Writes a value as JSON. Throws for what would be an error in the answer. */
type Writer = (value: unknown, run: Run) => Piece

/** What a part of a query is planned with. */
type Scope = {
  fragments: Fragments
  /** Inside a list whose intents come as text: collects the requested parts. */
  listing: RequestedParts | null
  /** Whether the answer holds until the index changes. */
  found: { isKept: boolean }
}

/** Types with prices, or with the state of the nodes, which a cached answer would outlive. */
const NOT_KEPT = new Set(['UsdValue', 'UsdPrice', 'Meta'])

/**
 * Writes objects of a type, with the fields that the selections ask for. All that doesn't depend on the
 * request is decided here, once.
 */
export function objectWriter(
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  scope: Scope,
): Writer {
  if (NOT_KEPT.has(type.name)) scope.found.isKept = false
  const fields = selectedFields(sets, type, scope.fragments).map(({ key, nodes }) => {
    const [{ name }] = nodes
    if (name.value === '__typename') return () => `"${key}":"${type.name}"`
    const definition = type.getFields()[name.value]
    if (!definition || isOfPast(nodes[0])) throw new Unplanned()
    if (scope.listing && type.name === 'Intent') {
      return listedField(key, definition, nodes, { ...scope, listing: scope.listing })
    }
    return fieldWriter(key, definition, nodes, scope, type)
  })
  return (source, run) =>
    source == null
      ? 'null'
      : joined('{', fields.length, (index) => (fields[index] as Writer)(source, run), '}')
}

/** A field of an intent that came as text: taken from there if possible, else resolved as usual. */
function listedField(
  key: string,
  definition: Field,
  nodes: readonly [FieldNode, ...FieldNode[]],
  { fragments, listing, found }: Scope & { listing: RequestedParts },
): Writer {
  const field = intentTextField(definition)
  if (field) {
    const prefix = `"${key}":`
    for (const column of field.columns) listing.columns.add(column)
    return (source) => prefix + field.write((source as ListedIntent).text)
  }
  listing.facts = true
  if (definition.name === 'sequence') listing.sequence = true
  const write = fieldWriter(key, definition, nodes, { fragments, listing: null, found })
  return (source, run) => write((source as ListedIntent).node(), run)
}

/** Reads of the past are counted apart, and cost far more than their execution. */
function isOfPast({ arguments: given }: FieldNode): boolean {
  return given?.some(({ name }) => name.value === 'asOf') ?? false
}

type Field = GraphQLField<unknown, unknown>

function fieldWriter(
  key: string,
  definition: Field,
  nodes: readonly [FieldNode, ...FieldNode[]],
  scope: Scope,
  parent?: GraphQLObjectType,
): Writer {
  const prefix = `"${key}":`
  const isList = parent?.name === 'Query' && definition.name === 'intents'
  const listing = isList ? nothingRequested() : scope.listing
  const write = writerOf(definition.type, nodes, { ...scope, listing })
  const argumentsOf = argumentReader(definition, nodes[0])
  const resolve = isList && listing ? listedResolver(listing) : resolverOf(definition)
  const complete = (value: unknown, run: Run): Piece => {
    const piece = write(value, run)
    return typeof piece === 'string' ? prefix + piece : piece.then((text) => prefix + text)
  }
  return (source, run) => {
    const value = resolve(source, argumentsOf(run), run.context)
    return isPromise(value) ? value.then((one) => complete(one, run)) : complete(value, run)
  }
}

type Resolver = (source: unknown, args: object, context: GraphqlContext) => unknown

/** The field's own resolver, or graphql-js's usual one: the property of its name, called if it can be. */
function resolverOf({ name, resolve }: Field): Resolver {
  // A fourth parameter is the place in the document, which a plan doesn't have.
  if (resolve && resolve.length > 3) throw new Unplanned()
  if (resolve) return resolve as unknown as Resolver
  return (source, args, context) => {
    const owner = source as Record<string, unknown>
    const value = owner[name]
    return typeof value === 'function' ? value.call(owner, args, context) : value
  }
}

/** `Query.intents`, when the requested parts of each intent are known in advance. */
function listedResolver(asked: RequestedParts): Resolver {
  return (_, args, context) => listedIntents(args as never, context, asked)
}

/** Arguments are only read for each request if variables are in them. */
function argumentReader(definition: Field, node: FieldNode): (run: Run) => object {
  if (usesVariables(node)) return ({ variables }) => getArgumentValues(definition, node, variables)
  const constant = getArgumentValues(definition, node)
  return () => constant
}

function usesVariables(node: FieldNode): boolean {
  let found = false
  for (const argument of node.arguments ?? []) {
    visit(argument, {
      [Kind.VARIABLE]: () => {
        found = true
      },
    })
  }
  return found
}

function writerOf(type: GraphQLOutputType, nodes: readonly FieldNode[], scope: Scope): Writer {
  if (isNonNullType(type)) return required(writerOf(type.ofType, nodes, scope))
  if (isListType(type)) return listWriter(writerOf(type.ofType, nodes, scope))
  if (isLeafType(type)) return leafWriter(type)
  if (!isObjectType(type)) throw new Unplanned()
  const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
  return refusingErrors(objectWriter(type, sets, scope))
}

/** A null where none may be makes an error of its own and of the answer's parts around it. */
function required(write: Writer): Writer {
  return (value, run) => {
    if (value == null) throw new Unplanned()
    return write(value, run)
  }
}

function listWriter(write: Writer): Writer {
  return (value, run) => {
    if (value == null) return 'null'
    if (!Array.isArray(value)) throw new Unplanned()
    const itemAt = (index: number): Piece => {
      const item = value[index]
      return isPromise(item) ? item.then((one) => write(one, run)) : write(item, run)
    }
    return joined('[', value.length, itemAt, ']')
  }
}

function leafWriter(type: GraphQLLeafType): Writer {
  return refusingErrors((value) => {
    if (value == null) return 'null'
    const serialized: unknown = type.serialize(value)
    const text = JSON.stringify(serialized)
    if (serialized == null || text === undefined) throw new Unplanned()
    return text
  })
}

/** A resolver may return an error instead of throwing it. */
function refusingErrors(write: Writer): Writer {
  return (value, run) => {
    if (value instanceof Error) throw value
    return write(value, run)
  }
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as Promise<unknown> | null)?.then === 'function'
}
