import type { Mutation } from './mutation.ts'

const bridge = 'BridgeIntentV2.sol'
const deliveries = 'bridge/Deliveries.sol'
const auction = 'bridge/Auction.sol'
const quorum = 'bridge/EnclaveQuorum.sol'
const naming = 'bridge/Naming.sol'
const stakes = 'bridge/Stakes.sol'

/** Bugs of meaning that the two-bridge campaign has to notice by itself. */
export const twoBridgeCampaignMutations: Mutation[] = [
  {
    label: 'campaign: winner unchecked',
    file: bridge,
    find: '        if (solver != intent.solver) revert WrongSolver(solver, intent.solver);\n',
    replace: '',
  },
  {
    label: 'campaign: short commitment settled',
    file: bridge,
    find: 'if (amountB != intent.amountB)',
    replace: 'if (amountB > intent.amountB)',
  },
  {
    label: 'campaign: delivered twice',
    file: deliveries,
    find: '        if (sequence != 0) revert AlreadySolved(IntentId.pack(block.chainid, sequence));\n',
    replace: '',
  },
  {
    label: 'campaign: second window open at once',
    file: auction,
    find: 'if (block.timestamp < openToAll) revert PickupReserved(bestBidder, openToAll);',
    // Left out alone, the floor's subtraction would wrap, and nobody could offer so much.
    replace: 'if (block.timestamp < openToAll) return intent.expectedAmountB;',
  },
  {
    label: 'campaign: one operator counted twice',
    file: quorum,
    find: 'if (operators[j] == operator)',
    replace: 'if (false)',
  },
  {
    label: 'campaign: forfeits without a reveal',
    file: bridge,
    find: 'if (intent.flags & (ASKED | REVEALED) == ASKED)',
    replace: 'if (false)',
  },
  {
    label: 'campaign: takeover forfeits nothing',
    file: auction,
    find: '        _forfeit(intentId, bestBidder, tokenIndex, bond);\n',
    replace: '        _unlock(bestBidder, tokenIndex, bond);\n',
  },
  {
    label: 'campaign: recipients change after firm',
    file: naming,
    find: 'if (block.timestamp < _firmAt(intent)) _commitTo(intent, KIND_APPEND, blobHash);',
    replace: '_commitTo(intent, KIND_APPEND, blobHash);',
  },
  {
    label: 'campaign: refused deliveries not pulled',
    file: deliveries,
    find: '        _pull(tokenB, refused);\n',
    replace: '',
  },
  {
    label: 'campaign: locked stake can be taken out',
    file: stakes,
    find: '        _requireFree(held, msg.sender, tokenIndex, amount);\n',
    replace: '',
  },
  {
    label: 'campaign: cancelled at any time',
    file: bridge,
    find: '            _requireNotFirm(intent);\n',
    replace: '',
  },
  {
    label: 'campaign: refunded before the deadline by word',
    file: bridge,
    find: '        _requireRefundable(intentId, fillDeadline);\n',
    replace: '',
  },
]
