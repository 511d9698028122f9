-- Finds what was forfeited in the last day.
create index intent_slashed on solver.intent (account, changed_at) where outcome = 'slashed';
