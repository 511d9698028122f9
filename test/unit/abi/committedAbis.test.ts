import { readFile } from 'node:fs/promises'
import { type Abi, type AbiParameter, toFunctionSelector } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Artifacts,
  compileArtifacts,
  readCommittedArtifacts,
} from '../../../contracts/artifacts.ts'
import { committedAbis, generateAbiSource } from '../../../contracts/generateAbiSource.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'

let artifacts: Artifacts

// A cold compile on a busy machine.
beforeAll(async () => {
  artifacts = await compileArtifacts()
}, 300_000)

describe('committed ABIs', () => {
  it.each(committedAbis)('$path is what forge compiles', async (one) => {
    const committed = await readFile(new URL(`../../../${one.path}`, import.meta.url), 'utf8')
    expect(committed).toBe(generateAbiSource(one, artifacts[one.contract]))
  })

  it('createIntent has exactly the seven arguments of the specification', () => {
    const create = bridgeIntentV2Abi.find(
      (entry) => entry.type === 'function' && entry.name === 'createIntent',
    )
    expect(toFunctionSelector(create as Parameters<typeof toFunctionSelector>[0])).toBe(
      toFunctionSelector('createIntent(address,address,uint256,uint256,uint256,uint256,uint256)'),
    )
    expect(create?.inputs?.map(({ name }) => name)).toEqual([
      '_tokenA',
      '_tokenB',
      '_amountA',
      '_expectedAmountB',
      '_reward',
      '_destChainId',
      '_auctionDuration',
    ])
  })

  it.each([
    'IntentCreated(intentId^, user^, destChainId^, tokenA, tokenB, amountA, expectedAmountB, reward, endTime, encryptedBlob)',
    'IntentAnchored(intentId^, feeBps, recipientClass, encryptedBlob)',
    'BlobAppended(intentId^, kind, encryptedBlob)',
    'BidPlaced(intentId^, solver^, amountB)',
    'SolverDeposited(intentId^, solver^, amountB, bond, fillDeadline)',
    'RecipientsAsked(intentId^, solver^)',
    'RecipientsRevealed(intentId^, sealedRecipients)',
    'SealingKeySet(solver^, x, y)',
    'IntentSolved(chain2IntentId^, sourceChainId^, intentId^, paramsHash, solver, tokenB, amountB)',
    'DeliveryCredited(chain2IntentId^, tokenB, amount)',
    'DeliveryClaimed(owner^, token, amount)',
    'BidForfeited(intentId^, solver^, amount)',
    'StakeAdded(solver^, token^, amount)',
    'StakeRemoved(solver^, token^, amount)',
    'IntentSettled(intentId^, solver^, payout, fee, chain2IntentId, attester)',
    'IntentCancelled(intentId^, user^, amount)',
    'IntentRefunded(intentId^, user^, amount, forfeitedBond, reason)',
  ])('the protocol event %s', (layout) => {
    expect(eventLayouts(bridgeIntentV2Abi)).toContain(layout)
  })
})

describe('committed artifacts', () => {
  it('are what forge compiles', async () => {
    expect(await readCommittedArtifacts()).toEqual(artifacts)
  })
})

describe('contract tests', () => {
  it('name every error that the contracts can raise', async () => {
    const { glob } = await import('node:fs/promises')
    const root = new URL('../../../contracts/test/', import.meta.url)
    let tests = ''
    for await (const file of glob('**/*.sol', { cwd: root })) {
      tests += await readFile(new URL(file, root), 'utf8')
    }
    const untested = Object.values(artifacts)
      .flatMap(({ abi }) => ownErrors(abi))
      .filter((name) => !tests.includes(`${name}.selector`))
    expect([...new Set(untested)]).toEqual([])
  })
})

/** Events as the protocol writes them, `^` marking indexed arguments. */
function eventLayouts(abi: Abi): string[] {
  const argument = (input: AbiParameter & { indexed?: boolean | undefined }) =>
    `${input.name}${input.indexed ? '^' : ''}`
  return abi.flatMap((entry) =>
    entry.type === 'event' ? [`${entry.name}(${entry.inputs.map(argument).join(', ')})`] : [],
  )
}

/** Errors of ours: OpenZeppelin's that can't be provoked through our contracts are left to them. */
function ownErrors(abi: Abi): string[] {
  const theirs = [
    'ECDSAInvalidSignatureS',
    'InvalidShortString',
    'StringTooLong',
    'SafeCastOverflowedUintDowncast',
    'ERC20InvalidApprover',
    'ERC20InvalidReceiver',
    'ERC20InvalidSender',
    'ERC20InvalidSpender',
    'OwnableInvalidOwner',
  ]
  return abi.flatMap((entry) =>
    entry.type === 'error' && !theirs.includes(entry.name) ? [entry.name] : [],
  )
}
