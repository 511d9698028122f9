export const USAGE = `Usage: npm run -s enclave -- <command>

Root secret (stop the enclave first; it reads the file when it starts)
  rotate-root <root file>                 creates a new root, which seals; earlier ones still open
  share-root <root file> <n> <k>          prints n backup shares, one per line; any k restore the root
  restore-root <root file>                creates the file from shares on standard input, one per line

Gas accounts (at the enclave at ENCLAVE_SOCKET; CHAINS names the chains file)
  move-gas <chain id>                     sends the coins of earlier roots' gas accounts to the current ones;
                                          stop the roles with the earlier root first

Attestation key (of the enclave at ENCLAVE_SOCKET; CHAINS names the chains file)
  prepare-attester                        creates the next key; register it in every registry
  promote-attester                        switches to it, if it is active in every registry

Registering an attestation key (CHAINS names the chains file; any account may send the calls)
  challenge-call <chain id>               prints the call that has the chain's registry issue a challenge
  request-registration <chain id> <operator> <transaction> [next]
                                          at the enclave: answers the challenge that this transaction issued;
                                          next: for the key that prepare-attester made
  registration-message <registration> <chain id>
                                          prints what the operator signs (EIP-712, as JSON)
  registration-call <registration> <signature> [wei]
                                          tries the call that registers the key, and prints it;
                                          wei: sent along for a quote verifier that takes a fee

Root for another enclave (each at its own ENCLAVE_SOCKET; CHAINS names the chains file)
  request-root                            at the enclave without a root: prints its request
  operator-message <request> <chain id>   prints what two of that chain's operators sign (EIP-712, as JSON)
  give-root <request> <signatures>        at an enclave with the root: prints the sealed root;
                                          signatures is {"<chain id>": {"operators": ["0x…"], "signatures": ["0x…"]}}
  accept-root <sealed root>               at the enclave without a root: stores it
`
