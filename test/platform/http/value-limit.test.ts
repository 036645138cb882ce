/**
 * Fields that are stored as they are given. A body of 50,000 values is one, but a dashboard whose `filters` and `variables` both held as
 * many took 480 ms for each change: one request after the other, it held the API for everybody.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { buildPersonalKey, buildTenant } from '../../support/api/identity.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';

type Field = {
  what: string;
  most: number;
  attr: string;
  place: 'dashboards/' | 'experiments/' | 'surveys/';
  body: (value: object) => object;
};

const membersOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 1]));
const experimentWith = (given: object) => ({ name: randomUUID(), feature_flag_key: randomUUID(), ...given });
const surveyWith = (given: object) => ({ name: randomUUID(), type: 'popover', ...given });

const FIELDS: Field[] = [
  ...['filters', 'variables'].map((attr): Field => ({
    what: `${attr} of a dashboard`,
    most: 5000,
    attr,
    place: 'dashboards/',
    body: (value) => ({ [attr]: value }),
  })),
  {
    what: 'colours of a dashboard',
    most: 5000,
    attr: 'breakdown_colors',
    place: 'dashboards/',
    body: (value) => ({ breakdown_colors: [value] }),
  },
  ...['parameters', 'filters', 'exposure_criteria'].map((attr): Field => ({
    what: `${attr} of an experiment`,
    most: 5000,
    attr,
    place: 'experiments/',
    body: (value) => experimentWith({ [attr]: value }),
  })),
  ...['conditions', 'appearance'].map((attr): Field => ({
    what: `${attr} of a survey`,
    most: 5000,
    attr,
    place: 'surveys/',
    body: (value) => surveyWith({ [attr]: value }),
  })),
  {
    what: 'questions of a survey',
    most: 20_000,
    attr: 'questions',
    place: 'surveys/',
    body: (value) => surveyWith({ questions: [{ type: 'open', question: 'Why?', further: value }] }),
  },
];

const tooMany = (most: number, attr: string) => ({
  status: 400,
  body: {
    type: 'validation_error',
    code: 'max_length',
    detail: `Ensure this field has no more than ${most} values.`,
    attr,
  },
});

describe('fields that are stored as they are given', () => {
  let sluice: Sluice;
  let project: string;
  let headers: Record<string, string>;

  before(async () => {
    sluice = await startSluice();
    const tenant = await buildTenant(sluice.db);
    project = `${sluice.url}/api/projects/${tenant.projectId}/`;
    const key = await buildPersonalKey(sluice.db, tenant, '*');
    headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  });
  after(() => sluice.stop());

  async function send(place: string, given: object, method: 'POST' | 'PATCH' = 'POST') {
    const answer = await fetch(project + place, { method, headers, body: JSON.stringify(given) });
    return { status: answer.status, body: (await answer.json()) as { id: number; attr?: string } };
  }

  for (const { what, most, attr, place, body } of FIELDS) {
    it(`${what}: hold ${most} values at most`, async () => {
      assert.deepEqual(await send(place, body(membersOf(most + 1))), tooMany(most, attr));
      const taken = await send(place, body(membersOf(most - 20)));
      assert.equal(taken.status, 201, JSON.stringify(taken.body).slice(0, 200));
    });
  }

  it('places and filters of a tile: hold 200 and 5000 values at most', async () => {
    const { id } = (await send('dashboards/', {})).body;
    const addTile = (given: object) =>
      send(`dashboards/${id}/`, { tiles: [{ text: { body: 'one' }, ...given }] }, 'PATCH');
    assert.deepEqual(await addTile({ layouts: membersOf(201) }), tooMany(200, 'tiles__0__layouts'));
    assert.deepEqual(
      await addTile({ filters_overrides: membersOf(5001) }),
      tooMany(5000, 'tiles__0__filters_overrides'),
    );
    const taken = await addTile({ layouts: membersOf(180), filters_overrides: membersOf(4980) });
    assert.equal(taken.status, 200);
  });
});
