/** Queries that GraphiQL opens with, one a tab. Each works as it is. */
export const EXAMPLES: readonly { name: string; query: string }[] = [
  {
    name: 'Intents',
    query: `# The newest intents, and what became of each. Ctrl-Enter runs it; Ctrl-Space completes.
query Intents {
  intents(first: 20, orderBy: { field: createdAt, direction: desc }) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      intentId
      status
      substatus
      isTerminal
      sourceChain
      destChain
      amountA
      reward
      bidCount
      bestBid
      createdAt
    }
  }
}
`,
  },
  {
    name: 'One in full',
    query: `# The newest completed intents in full. By id: intent(id: "…") { … }
query OneInFull {
  intents(first: 1, where: { status: { in: [completed] } }) {
    nodes {
      intentId
      status
      finality
      sequence
      sender
      tokenA
      tokenB
      amountA
      expectedAmountB
      reward
      feeBps
      solver {
        address
        wins
        settlements
        failures
      }
      bids {
        nodes {
          solverAddress
          amountB
          bidAt
        }
      }
      delivery {
        amountB
        solveTxHash
        solvedAt
        isValid
      }
      payout
      fee
      refund {
        status
        amount
        txHash
      }
      timeline {
        type
        status
        at
        chain
        txHash
      }
      events {
        nodes {
          type
          blockNumber
          args
        }
      }
    }
  }
}
`,
  },
  {
    name: 'Solvers',
    query: `# Who does the work.
query Solvers {
  solvers(first: 20, orderBy: { field: settlements, direction: desc }) {
    nodes {
      address
      bids
      wins
      deliveries
      settlements
      failures
      noShows
      lastSeen
      volumes {
        chain
        token
        delivered
        paidOut
        forfeited
      }
      stakes {
        chain
        token
        staked
        locked
        free
      }
    }
  }
}
`,
  },
  {
    name: 'Statistics',
    query: `# By pair and day, in all, and what the bridges owe.
query Statistics {
  pairDays(first: 30) {
    nodes {
      day
      sourceChain
      destChain
      tokenA
      tokenB
      created
      completed
      completedVolumeA
      fees
    }
  }
  chainTotals {
    chain
    created
    completed
    cancelled
    expired
    failed
  }
  escrow {
    chain
    token
    open
    stakes
    credits
    deliveryCredits
    fees
    total
  }
}
`,
  },
  {
    name: 'Index',
    query: `# Where the index of each chain stands.
query Index {
  _meta {
    isReady
    chains {
      chain
      chainId
      state
      progress
      block
      blockHash
      blockTimestamp
      lagSeconds
      safeBlock
      finalizedBlock
      lastEventBlock
      lastEventBlockHash
    }
  }
}
`,
  },
  {
    name: 'Live',
    query: `# Run it and wait: every change of every intent, as it is indexed.
subscription Live {
  intentUpdated {
    intentId
    cause
    sequence
    intent {
      status
      substatus
      bestBid
      updatedAt
    }
  }
}
`,
  },
]
