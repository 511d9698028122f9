/** A JSON schema as an OpenAPI document has it: the part that is looked at. */
type Schema = {
  $ref?: string
  type?: string | string[]
  example?: unknown
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
}

export type OpenApiDocument = {
  paths: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema> }
}

type Operation = { requestBody?: { content?: { 'application/json'?: { schema?: Schema } } } }

/** Bodies as the document describes them, by path: a value for every field, good or nearly so. */
export function exampleBodies(document: OpenApiDocument, address: string): Record<string, object> {
  const bodies: Record<string, object> = {}
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const { requestBody } of Object.values(operations)) {
      const schema = requestBody?.content?.['application/json']?.schema
      const example = schema && exampleOf(schema, document, address)
      if (typeof example === 'object' && example !== null) bodies[path] = example
    }
  }
  return bodies
}

function exampleOf(schema: Schema, document: OpenApiDocument, address: string): unknown {
  const inner = (one: Schema) => exampleOf(one, document, address)
  const { $ref, example, anyOf, oneOf, properties, items } = schema
  if ($ref) return inner(document.components?.schemas?.[$ref.split('/').at(-1) ?? ''] ?? {})
  if (properties) {
    const fields = Object.entries(properties).map(([name, one]) => [name, inner(one)])
    return Object.fromEntries(fields)
  }
  // An ellipsis stands for what is too long to print: all of those are signatures.
  if (example === '0x…') return `0x${'ab'.repeat(65)}`
  if (example !== undefined) return example
  if (schema.const !== undefined) return schema.const
  const [first] = schema.enum ?? []
  if (first !== undefined) return first
  const [choice] = anyOf ?? oneOf ?? []
  if (choice) return inner(choice)
  const [type] = [schema.type].flat()
  if (type === 'array') return items ? [inner(items)] : []
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  return type === 'object' ? {} : address
}
