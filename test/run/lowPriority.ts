import { constants, setPriority } from 'node:os'

// What a suite starts inherits it.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
