/**
 * SQL that makes a table's next number later than all that it may have handed out: its numbers start at the clock and grow
 * far more slowly. A failover or a restored backup sets them back, and receivers would take new lines for ones they know.
 */
export function skipUsedNumbersSql(table: 'app.change_log' | 'app.push_event'): string {
  return `select setval(name, clock) from (
      select pg_get_serial_sequence('${table}', 'sequence')::regclass as name,
        (extract(epoch from clock_timestamp()) * 1000)::bigint * 1000 as clock) as numbers
    where clock > nextval(name)`
}
