import { constants, setPriority } from 'node:os'

// Child processes inherit it.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
