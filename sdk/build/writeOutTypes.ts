import ts from 'typescript'

/** Writes out a module's exported types, with their docstrings and those of their fields. */
export function writeOutTypes(program: ts.Program, source: ts.SourceFile): string {
  const checker = program.getTypeChecker()
  const aliases = source.statements.filter(ts.isTypeAliasDeclaration)
  const named = new Map(
    aliases.map(({ name }) => [checker.getTypeAtLocation(name), name.text] as const),
  )

  const write = (type: ts.Type, isNamed = true): string => {
    const name = isNamed ? named.get(type) : undefined
    if (name !== undefined) return name
    const value = checker.getNonNullableType(type)
    if (value !== type && hasFields(value)) return `${write(value)} | null`
    const element = checker.isArrayType(type)
      ? checker.getTypeArguments(type as ts.TypeReference)[0]
      : undefined
    if (element !== undefined && hasFields(element)) return `${write(element)}[]`
    if (!hasFields(type))
      return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation)
    const others = checker.getIndexInfosOfType(type).length > 0 ? '[field: string]: unknown\n' : ''
    return `{\n${type.getProperties().map(writeField).join('')}${others}}`
  }
  const hasFields = (type: ts.Type) =>
    (type.flags & ts.TypeFlags.Object) !== 0 &&
    !checker.isArrayType(type) &&
    type.getProperties().length > 0
  const writeField = (field: ts.Symbol) => {
    const isOptional = (field.flags & ts.SymbolFlags.Optional) !== 0
    const type = write(checker.getTypeOfSymbol(field))
    return `${document(field)}${field.name}${isOptional ? '?' : ''}: ${type}\n`
  }
  const document = (symbol: ts.Symbol | undefined) => {
    const words = ts.displayPartsToString(symbol?.getDocumentationComment(checker))
    return words === '' ? '' : `/** ${words.replaceAll('\n', ' ')} */\n`
  }
  return aliases
    .map(({ name }) => {
      const type = write(checker.getTypeAtLocation(name), false)
      return `${document(checker.getSymbolAtLocation(name))}export type ${name.text} = ${type}\n`
    })
    .join('')
}
