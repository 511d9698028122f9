import { cartels } from './adversaries/cartel.ts'
import { noShows } from './adversaries/noShow.ts'
import { relayers } from './adversaries/relayer.ts'
import { senders } from './adversaries/sender.ts'
import { snipers } from './adversaries/sniper.ts'
import { spoilers } from './adversaries/spoiler.ts'
import { listUndeliveringStrategies } from './adversaries/undelivering.ts'
import { type Family, treasuryUtility } from './adversaryStrategy.ts'

/** Five times ether's usual daily volatility. */
const wild = 0.2

/** Every adversary the auction must withstand, in table order. */
export const adversaries: Family[] = [
  {
    name: 'spoiler with a second account',
    strategies: spoilers,
  },
  { name: 'no-show', strategies: noShows },
  {
    name: "treasury's owner who bids",
    strategies: [...spoilers, ...noShows],
    utility: treasuryUtility,
  },
  { name: 'relayer that withholds recipients or anchors late', strategies: relayers },
  { name: 'sender that shills or names refused recipients', ...senders },
  { name: 'sniper', strategies: snipers },
  { name: 'cartel of two', strategies: cartels, partners: 2 },
  { name: "winner that doesn't deliver", strategies: listUndeliveringStrategies(false) },
  {
    name: 'winner that requests recipients it already has',
    strategies: listUndeliveringStrategies(true),
  },
  { name: 'no-show, on a day of 20 %', strategies: noShows, dailyVolatility: wild },
  {
    name: "winner that doesn't deliver, on a day of 20 %",
    strategies: listUndeliveringStrategies(false),
    dailyVolatility: wild,
  },
]
