import protocolKit from '@safe-global/protocol-kit'

/**
 * Safe's client. Its types describe the CommonJS build, in which the class is a property; Node loads the ES module, whose
 * default export is the class itself.
 */
export const SafeClient = protocolKit as unknown as typeof protocolKit.default
export type SafeClient = InstanceType<typeof SafeClient>
