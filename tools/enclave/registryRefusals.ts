import { parseAbi } from 'viem'

/** Errors of the verifiers, which a registry passes on. */
export const verifierErrors = parseAbi([
  'error NotSignedByQuotingKey(address signer, address quotingKey)',
  'error NoFeeCharged(uint256 sent)',
  'error QuoteRefused(bytes reason)',
  'error PlatformOutOfDate(uint8 tcbStatus, uint8 worst)',
  'error MigratableProgram()',
  'error ServiceProgramBound(bytes32 hash)',
  'error ReportDataTailNotZero(bytes32 tail)',
  'error UnknownDcapLayout(bytes4 head)',
  'error DcapOutputTooShort(uint256 length, uint256 expected)',
])

const BEGIN_AGAIN = 'begin again with challenge-call'
const ANOTHER_KEY = 'make another key with prepare-attester, and register that one'

const REMEDIES: Record<string, string> = {
  WrongOperatorSignature:
    'the operator named in request-registration must sign what registration-message prints',
  OperatorNotListed:
    'the registry’s owner must list the operator (listOperator); it counts after the addition delay',
  MeasurementNotAllowed:
    'the registry’s owner must allow the measurement that the enclave logs when it starts (allowMeasurement), and its addition delay must be over',
  NotSignedByQuotingKey:
    'start the enclave with ENCLAVE_QUOTING_KEY, the key of the deployment’s quotingKey, and begin again with request-registration',
  DebugEvidenceRefused:
    'development evidence, and that of a debuggable program, counts only in a registry deployed with acceptsDebug',
  NoFeeCharged: 'this verifier takes no fee: leave the wei out',
  RegistrationExpired: BEGIN_AGAIN,
  ChallengeNotGood: BEGIN_AGAIN,
  KeyIsRevoked: ANOTHER_KEY,
  KeyIsOver: ANOTHER_KEY,
  RenewalDiffers: `a renewal keeps operator, measurement and ECIES key: ${ANOTHER_KEY}`,
}

/** What to do about a refused registration, by the contract's error; null if the error says it all. */
export function findRegistrationRemedy(errorName: string): string | null {
  return REMEDIES[errorName] ?? null
}
