-- A delivery is known by its terms, its deliverer and exactly whom it pays how much: the contract keeps them
-- under a hash of that, and we remember the hash so as to find our own again.

alter table solver.intent add column delivery_key text;
