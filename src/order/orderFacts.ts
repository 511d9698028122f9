import type { Rows } from '../table/rows.ts'

export type { StopReason } from '../table/enumValues.ts'

/** What a chain has said of a scheduled order: a row of the table `scheduled_order`. */
export type OrderFacts = Rows['scheduledOrder']
