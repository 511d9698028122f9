/** The part of npm `secp256k1` 5 that we use: libsecp256k1, or JavaScript where that can't be loaded. */
declare module 'secp256k1' {
  const secp256k1: {
    /** @throws for an invalid signature */
    ecdsaRecover(
      signature: Uint8Array,
      recovery: number,
      hash: Uint8Array,
      compressed: boolean,
    ): Uint8Array
  }
  export default secp256k1
}
