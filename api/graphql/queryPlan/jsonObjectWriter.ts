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
import type { GraphqlContext } from '../graphqlContext.ts'
import { collectFields, type Fragments, Unplanned } from './collectFields.ts'
import { joinJson, type Piece } from './joinJson.ts'

/** A plan's input: the context and the coerced variables. */
type Run = { context: GraphqlContext; variables: Readonly<Record<string, unknown>> }

/** Writes a value as JSON. Throws where graphql-js would report an error. */
type Writer = (value: unknown, run: Run) => Piece

/** The state of planning. */
type Scope = {
  fragments: Fragments
  /** Whether the answer stays valid until the index changes. Shared by all scopes of a plan. */
  caching: { isCacheable: boolean }
}

/** Types with prices or the nodes' state, which change without the index. */
const NOT_CACHEABLE = new Set(['UsdValue', 'UsdPrice', 'Meta'])

/** Plans how to write objects of a type. Decides everything here that doesn't depend on the request. */
export function createJsonObjectWriter(
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  scope: Scope,
): Writer {
  if (NOT_CACHEABLE.has(type.name)) scope.caching.isCacheable = false
  const fields = collectFields(sets, type, scope.fragments).map(({ key, nodes }) => {
    const [{ name }] = nodes
    if (name.value === '__typename') return () => `"${key}":"${type.name}"`
    const definition = type.getFields()[name.value]
    if (!definition || isOfPast(nodes[0])) throw new Unplanned()
    return fieldWriter(key, definition, nodes, scope)
  })
  return (source, run) =>
    source == null
      ? 'null'
      : joinJson('{', fields.length, (index) => (fields[index] as Writer)(source, run), '}')
}

/** Reads of the past aren't planned: they have limits of their own, and cost far more than their execution. */
function isOfPast({ arguments: given }: FieldNode): boolean {
  return given?.some(({ name }) => name.value === 'asOf') ?? false
}

type Field = GraphQLField<unknown, unknown>

function fieldWriter(
  key: string,
  definition: Field,
  nodes: readonly [FieldNode, ...FieldNode[]],
  scope: Scope,
): Writer {
  const prefix = `"${key}":`
  const write = writerOf(definition.type, nodes, scope)
  const argumentsOf = argumentReader(definition, nodes[0])
  const resolve = resolverOf(definition)
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

/** The field's resolver, or graphql-js's default one: the property of its name, called if it is a function. */
function resolverOf({ name, resolve }: Field): Resolver {
  // A plan can't provide the fourth parameter, the field's place in the document.
  if (resolve && resolve.length > 3) throw new Unplanned()
  if (resolve) return resolve as unknown as Resolver
  return (source, args, context) => {
    const owner = source as Record<string, unknown>
    const value = owner[name]
    return typeof value === 'function' ? value.call(owner, args, context) : value
  }
}

/** Reads a field's arguments: once, unless they contain variables. */
function argumentReader(definition: Field, node: FieldNode): (run: Run) => object {
  if (usesVariables(node)) return ({ variables }) => getArgumentValues(definition, node, variables)
  const constant = getArgumentValues(definition, node)
  return () => constant
}

function usesVariables(node: FieldNode): boolean {
  let isUsed = false
  for (const argument of node.arguments ?? []) {
    visit(argument, {
      [Kind.VARIABLE]: () => {
        isUsed = true
      },
    })
  }
  return isUsed
}

function writerOf(type: GraphQLOutputType, nodes: readonly FieldNode[], scope: Scope): Writer {
  if (isNonNullType(type)) return required(writerOf(type.ofType, nodes, scope))
  if (isListType(type)) return listWriter(writerOf(type.ofType, nodes, scope))
  if (isLeafType(type)) return leafWriter(type)
  if (!isObjectType(type)) throw new Unplanned()
  const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
  return refusingErrors(createJsonObjectWriter(type, sets, scope))
}

/** A null in a non-null field is an error that also removes the objects around it: left to graphql-js. */
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
    return joinJson('[', value.length, itemAt, ']')
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
