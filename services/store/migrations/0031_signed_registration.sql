-- The unix second that a solver signed, so that nobody replaces a signed registration without a signature or by an
-- older one. Null: registered without a signature.
alter table app.solver_registration add column signed_at bigint;
