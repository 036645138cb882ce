/** The largest queries that are accepted run too, and soon: Postgres neither runs out of stack nor plans for long. */
import assert from 'node:assert/strict';
import { buildQueriedProjects, type QueriedProjects } from '../../support/analytics/queried-projects.ts';
import { leastMs } from '../../support/durations.ts';

const list = (count: number, item: (i: number) => string) => Array.from({ length: count }, (_, i) => item(i)).join();
const nested = (count: number, before: string, within: string, after: string) =>
  before.repeat(count) + within + after.repeat(count);

const LARGEST: Record<string, string> = {
  'a product of 90 properties': `select 1${' * properties.n'.repeat(90)} as x from events`,
  'a text of 90 pieces': `select event${' || properties.n'.repeat(90)} as x from events`,
  'functions 49 deep': `select ${nested(49, 'concat(', 'properties.n', ', properties.n)')} as x from events`,
  'CASE 45 deep': `select ${nested(45, 'case when properties.n * 2 > 1 then ', '1', ' end')} as x from events`,
  '900 conditions': `select event from events where true${" and event like '%'".repeat(900)}`,
  'a list of 4,000': `select event from events where 12 in (properties.n${', 12'.repeat(4000)})`,
  '190 columns of instants': `select ${list(190, (i) => `toDateTime(properties.when) as c${i}`)} from events`,
  '270 products': `select ${list(6, (i) => `multiIf(${'properties.n * properties.f > 0, 1, '.repeat(45)}2) as c${i}`)} from events`,
};

describe('a custom query may be as large as', () => {
  let projects: QueriedProjects;

  before(async () => {
    projects = await buildQueriedProjects();
  });
  after(async () => projects?.close());

  for (const [what, query] of Object.entries(LARGEST)) {
    it(what, async () => {
      const took = await leastMs(3_000, async () => {
        const started = performance.now();
        assert((await projects.run(query)).length > 0);
        return performance.now() - started;
      });
      assert(took < 3_000, `${took} ms`);
    });
  }

  it('a text may grow, and then it is NULL', async () => {
    const grown = nested(7, 'replaceAll(', 'properties.unicode', `, 'a', '${'a'.repeat(100)}')`);
    const [row] = await projects.run(
      `select length(${grown}) as grown, ${grown} is null as lost from events where event = 'rich'`,
    );
    assert.deepEqual(row, { grown: null, lost: 'true' });
  });
});
