import { concat, type Hex, numberToHex } from 'viem'

/**
 * Code of a stub of a rollup's `GasPriceOracle`: it answers every call with this many wei per byte of calldata.
 */
export function buildGasOracleCode(weiAByte: bigint): Hex {
  return concat([
    '0x36', // CALLDATASIZE
    '0x67', // PUSH8
    numberToHex(weiAByte, { size: 8 }),
    '0x025f5260205ff3', // MUL PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
  ])
}
