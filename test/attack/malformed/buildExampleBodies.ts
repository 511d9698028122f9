/** The part of an OpenAPI document's JSON schema that examples are made from. */
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

/**
 * Builds a request body for each path, from the document's schemas, with a plausible value in every field.
 */
export function buildExampleBodies(
  document: OpenApiDocument,
  address: string,
): Record<string, object> {
  const bodies: Record<string, object> = {}
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const { requestBody } of Object.values(operations)) {
      const schema = requestBody?.content?.['application/json']?.schema
      const example = schema && buildExample(schema, document, address)
      if (typeof example === 'object' && example !== null) bodies[path] = example
    }
  }
  return bodies
}

function buildExample(schema: Schema, document: OpenApiDocument, address: string): unknown {
  const inner = (one: Schema) => buildExample(one, document, address)
  const { $ref, example, anyOf, oneOf, properties, items } = schema
  if ($ref) return inner(document.components?.schemas?.[$ref.split('/').at(-1) ?? ''] ?? {})
  if (properties) {
    const fields = Object.entries(properties).map(([name, one]) => [name, inner(one)])
    return Object.fromEntries(fields)
  }
  // An ellipsis marks a value too long to print: always a signature.
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
