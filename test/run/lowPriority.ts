import { constants, setPriority } from 'node:os'

// Child processes inherit it. Below a devnet's solvers, which yield to its API: a solver that waits for these misses auctions.
setPriority(constants.priority.PRIORITY_LOW)
