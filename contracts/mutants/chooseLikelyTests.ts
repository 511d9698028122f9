/** Test files, below contracts/test, likely to catch a bug in a source below contracts/src. */
const tests: readonly (readonly [sources: RegExp, files: string])[] = [
  [/^bridge\/(Auction|Stakes|Secp256k1)/, '{Auction,Pickup,Stakes,CancelAndRefund}.t.sol'],
  [/^bridge\/(BridgeAdministration|AnnouncedChanges)/, '{Administration,Creation}.t.sol'],
  [/^bridge\/CalldataBlob/, '{CalldataBlob,Creation}.t.sol'],
  [/^bridge\/(Creation|Blobs)/, '{Creation,Naming,CalldataBlob}.t.sol'],
  [/^bridge\/Deliveries/, '{Delivery,Payouts}.t.sol'],
  [/^bridge\/(EnclaveQuorum|EnclaveSignatures)/, '{Quorum,Settlement,Naming,AskAndReveal}.t.sol'],
  [/^bridge\/IntentBook/, '{Auction,Creation,Naming,Pickup,Administration}.t.sol'],
  [/^bridge\/Naming/, '{Naming,AskAndReveal}.t.sol'],
  [/^bridge\/(Payouts|TokenCalls)/, '{Payouts,Delivery,CancelAndRefund,Creation}.t.sol'],
  [/^bridge\/Telling/, 'AskAndReveal.t.sol'],
  [/^BridgeIntentV2/, '{Settlement,CancelAndRefund,Payouts,Quorum,AskAndReveal}.t.sol'],
  [/^EnclaveKeyRegistry/, '{Registry,RegistryHistory,RegistrySlots}.t.sol'],
  [/^attestation\/RegistryLists/, '{RegistryLists,Registry}.t.sol'],
  [/^attestation\/Dcap/, 'DcapVerifier.t.sol'],
  [/^attestation\/Development/, 'DevelopmentVerifier.t.sol'],
  [/^periphery/, 'periphery/*.t.sol'],
  [/^(OrderVault|vault)/, 'vault/{OrderFunding,Tranches,OrderClosing}.t.sol'],
]

/**
 * The run that catches most bugs in a file, in an eighth of the whole suite's time. Mutants that survive it are run
 * against the whole suite.
 *
 * @param file path below contracts/src
 * @returns arguments for forge; none if no test file is likelier than others
 */
export function chooseLikelyTests(file: string): string[] | undefined {
  const files = tests.find(([sources]) => sources.test(file))?.[1]
  return files === undefined ? undefined : ['--match-path', `contracts/test/${files}`]
}
