/** The used part of npm `secp256k1` 5, which has no types. */
declare module 'secp256k1/bindings.js' {
  type Hash = (x: Uint8Array, y: Uint8Array) => Uint8Array
  const secp256k1: {
    publicKeyCreate(privateKey: Uint8Array, compressed: boolean, output?: Uint8Array): Uint8Array
    publicKeyConvert(publicKey: Uint8Array, compressed: boolean): Uint8Array
    publicKeyTweakAdd(publicKey: Uint8Array, scalar: Uint8Array, compressed: boolean): Uint8Array
    privateKeyVerify(privateKey: Uint8Array): boolean
    ecdh(
      publicKey: Uint8Array,
      privateKey: Uint8Array,
      options: { hashfn: Hash; xbuf?: Uint8Array; ybuf?: Uint8Array },
      output: Uint8Array,
    ): Uint8Array
  }
  export default secp256k1
}
