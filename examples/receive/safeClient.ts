import protocolKit from '@safe-global/protocol-kit'

/**
 * Safe's own client. Its types describe the CommonJS form, in which the class is a property; what Node
 * loads is the ES module, whose default export is the class itself.
 */
export const SafeClient = protocolKit as unknown as typeof protocolKit.default
export type SafeClient = InstanceType<typeof SafeClient>
