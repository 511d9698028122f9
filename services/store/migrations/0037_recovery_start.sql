-- The first block that was read: recovery reads everything again once the chains file names an earlier one. Null for a
-- recovery by an earlier version.
alter table app.recovery add column start_block bigint;
