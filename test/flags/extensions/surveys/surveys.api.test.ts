import assert from 'node:assert/strict';
import { changeFlag, createFlag } from '../../../../src/flags/feature-flags.ts';
import { buildPersonalKey } from '../../../support/api/identity.ts';
import { startSurveysApi, type SurveysApi } from '../../../support/api/surveys-api.ts';

type Flag = { id: number; key: string; active: boolean; filters: { groups: Record<string, unknown>[] } };
type Survey = {
  id: string;
  name: string;
  linked_flag: Flag | null;
  targeting_flag: Flag | null;
  internal_targeting_flag: Flag;
  questions: Record<string, unknown>[] | null;
  start_date: string | null;
  end_date: string | null;
  created_by: { email: string } | null;
  [field: string]: unknown;
};
type Published = { surveys: Record<string, unknown>[]; survey_config: unknown };

const PATH = '/surveys/';
const PUBLIC = '/api/surveys/';
const OPEN = { type: 'open', question: 'How do you like it?' };
const RATING = { type: 'rating', question: 'How likely?', scale: 10 };
const CHOICE = { type: 'single_choice', question: 'Which?', choices: ['One', 'Two'] };
const LONDON = { groups: [{ properties: [{ key: 'city', type: 'person', operator: 'exact', value: 'London' }] }] };
const now = () => new Date().toISOString();
const withQuestions = (...questions: object[]) => ({ questions });
const active = (survey: Pick<Survey, 'targeting_flag' | 'internal_targeting_flag'>) => [
  survey.targeting_flag?.active,
  survey.internal_targeting_flag.active,
];

describe('surveys', () => {
  let world: SurveysApi;
  let names = 0;

  before(async () => {
    world = await startSurveysApi();
  });
  after(() => world.close());

  const project = () => ({ id: world.ours.projectId, organizationId: world.ours.organizationId, name: '' });
  const author = () => ({ userId: world.ours.userId, keyId: null });
  const buildFlag = (filters?: Record<string, unknown>) =>
    world.stores.inTransaction(world.ours.projectId, (stores) =>
      createFlag(stores, project(), author(), { key: `linked-${++names}`, ...(filters && { filters }) }),
    );
  const removeFlag = (id: number) =>
    world.stores.inTransaction(world.ours.projectId, (stores) =>
      changeFlag(stores, project(), author(), id, { deleted: true }),
    );
  const build = (body: Record<string, unknown> = {}) =>
    world.done<Survey>('POST', PATH, { name: `Survey ${++names}`, type: 'popover', questions: [OPEN], ...body });
  const change = (id: string, body: Record<string, unknown>) => world.done<Survey>('PATCH', `${PATH}${id}/`, body);
  const isDeleted = async (id: number) => (await world.stores.flags.get(world.ours.projectId, id)).deleted;

  it('are for those who may read and write them', async () => {
    const { db, api, ours, theirs } = world;
    const { id } = await build();
    const reader = await buildPersonalKey(db, ours, 'survey:read');
    const stranger = await buildPersonalKey(db, theirs, '*');
    for (const [method, path] of [
      ['GET', PATH],
      ['GET', `${PATH}${id}/`],
      ['GET', `${PATH}${id}/stats/`],
      ['GET', `${PATH}stats/`],
      ['GET', `${PATH}responses_count/`],
      ['POST', PATH],
      ['PATCH', `${PATH}${id}/`],
      ['DELETE', `${PATH}${id}/`],
    ] as const) {
      const body = method === 'GET' ? undefined : { name: 'any', type: 'api' };
      const send = async (projectId: number, key?: string) =>
        (await api.request(method, `/api/projects/${projectId}${path}`, { body, ...(key && { key }) })).status;
      assert.deepEqual([method, await send(ours.projectId), await send(ours.projectId, stranger)], [method, 401, 403]);
      assert.equal(await send(ours.projectId, reader), method === 'GET' ? 200 : 403, method);
      if (path.includes(id)) assert.equal(await send(theirs.projectId, stranger), 404, `${method} across projects`);
    }
  });

  describe('say which field is wrong', () => {
    for (const [body, attr, detail] of [
      [{ name: '' }, 'name', /blank/],
      [{ name: 'x'.repeat(401) }, 'name', /400/],
      [{ type: 'letter' }, 'type', /valid choice/],
      [{ schedule: 'daily' }, 'schedule', /valid choice/],
      [{ start_date: 'soon' }, 'start_date', /wrong format/],
      [{ questions: {} }, 'questions', /list/],
      [withQuestions(OPEN, { type: 'open' }), 'questions__1__question', /required/],
      [withQuestions({ ...OPEN, question: ' ' }), 'questions__0__question', /required/],
      [withQuestions({ ...OPEN, type: 'essay' }), 'questions__0__type', /valid choice/],
      [withQuestions({ ...OPEN, description: '<script>' }), 'questions__0__description', /<script>/],
      [withQuestions({ ...OPEN, descriptionContentType: 'rtf' }), 'questions__0__descriptionContentType', /choice/],
      [withQuestions({ ...OPEN, id: 'a' }, { ...OPEN, id: 'a' }), 'questions__1__id', /Another/],
      [withQuestions({ ...CHOICE, choices: [] }), 'questions__0__choices', /at least one/],
      [withQuestions({ ...CHOICE, choices: ['One', ' '] }), 'questions__0__choices', /cannot be empty/],
      [withQuestions({ ...CHOICE, choices: undefined }), 'questions__0__choices', /at least one/],
      [withQuestions({ ...RATING, scale: 6 }), 'questions__0__scale', /one of these/],
      [withQuestions({ ...RATING, scale: undefined }), 'questions__0__scale', /one of these/],
      [withQuestions({ ...RATING, display: 'stars' }), 'questions__0__display', /choice/],
      [
        withQuestions({ ...OPEN, type: 'link', link: 'javascript:alert(1)' }),
        'questions__0__link',
        /https, http, mailto/,
      ],
      [withQuestions({ ...OPEN, type: 'link', link: 'mailto:nobody' }), 'questions__0__link', /mailto/],
      [
        withQuestions({ ...OPEN, translations: { de: { question: '<svg>' } } }),
        'questions__0__translations__de__question',
        /svg/,
      ],
      [
        withQuestions({ ...OPEN, translations: { de: { link: 'ftp://x' } } }),
        'questions__0__translations__de__link',
        /https/,
      ],
      [withQuestions({ ...OPEN, branching: { type: 'jump' } }), 'questions__0__branching__type', /choice/],
      [
        withQuestions({ ...OPEN, branching: { type: 'specific_question', index: 1 } }),
        'questions__0__branching__index',
        /index/,
      ],
      [withQuestions({ ...OPEN, branching: { type: 'response_based' } }), 'questions__0__branching__type', /ratings/],
      [
        withQuestions({ ...RATING, branching: { type: 'response_based', responseValues: { bad: 'end' } } }),
        'questions__0__branching__responseValues__bad',
        /No answer/,
      ],
      [
        withQuestions({ ...CHOICE, branching: { type: 'response_based', responseValues: { 1: 7 } } }),
        'questions__0__branching__responseValues__1',
        /"end"/,
      ],
      [{ conditions: [] }, 'conditions', /./],
      [{ conditions: { urlMatchType: 'sounds_like' } }, 'conditions__urlMatchType', /choice/],
      [{ conditions: { url: '(', urlMatchType: 'regex' } }, 'conditions__url', /regular expression/],
      [{ conditions: { events: { values: [{}] } } }, 'conditions__events__values__0__name', /required/],
      [{ conditions: { seenSurveyWaitPeriodInDays: -1 } }, 'conditions__seenSurveyWaitPeriodInDays', /greater/],
      [{ conditions: { linkedFlagVariant: 'a' } }, 'conditions__linkedFlagVariant', /linked_flag_id/],
      [{ appearance: 'plain' }, 'appearance', /./],
      [{ appearance: { surveyPopupDelaySeconds: -1 } }, 'appearance__surveyPopupDelaySeconds', /greater/],
      [{ appearance: { whiteLabel: 'yes' } }, 'appearance__whiteLabel', /boolean/],
      [{ appearance: { thankYouMessageHeader: '<iframe>' } }, 'appearance__thankYouMessageHeader', /iframe/],
      [
        { appearance: { thankYouMessageDescriptionContentType: 'rtf' } },
        'appearance__thankYouMessageDescriptionContentType',
        /choice/,
      ],
      [{ responses_limit: 0 }, 'responses_limit', /greater/],
      [{ iteration_count: 501 }, 'iteration_count', /500/],
      [{ response_sampling_start_date: '2020-01-01' }, 'response_sampling_start_date', /future/],
      [{ response_sampling_limit: 5, response_sampling_interval: 1 }, 'response_sampling_start_date', /start date/],
      [{ linked_flag_id: 2_000_000_000 }, 'linked_flag_id', /does not exist/],
      [{ targeting_flag_filters: { groups: [{ properties: [] }] } }, 'targeting_flag_filters', /everyone/],
      [
        { targeting_flag_filters: { groups: [{ properties: [{ key: 'a', type: 'group', value: 'b' }] }] } },
        'targeting_flag_filters__groups__0__properties__0__type',
        /person/,
      ],
      [{ type: 'external_survey', conditions: { url: 'x' } }, 'conditions__url', /external/],
      [{ type: 'external_survey', targeting_flag_filters: LONDON }, 'targeting_flag_filters', /external/],
      [
        { type: 'external_survey', appearance: { surveyPopupDelaySeconds: 1 } },
        'appearance__surveyPopupDelaySeconds',
        /external/,
      ],
    ] as const) {
      it(`as ${attr} in ${JSON.stringify(body).slice(0, 80)}`, async () => {
        const refusal = await world.refused('POST', PATH, { name: 'wrong', type: 'popover', ...body });
        assert.match(refusal.detail, detail);
        assert.equal(refusal.attr?.replace(/__non_field_errors$/, ''), attr);
      });
    }

    it('as a name that another survey has', async () => {
      const { name } = await build();
      const { id } = await build();
      assert.equal((await world.refused('POST', PATH, { name, type: 'api' })).code, 'unique');
      assert.equal((await world.refused('PATCH', `${PATH}${id}/`, { name })).code, 'unique');
    });
  });

  it('are kept as they were given', async () => {
    const linked = await buildFlag();
    const fields = {
      description: 'For London',
      type: 'widget',
      schedule: 'recurring',
      questions: [
        {
          ...RATING,
          id: 'q1',
          isNpsQuestion: true,
          branching: { type: 'response_based', responseValues: { promoters: 1, detractors: 'end' } },
        },
        { ...CHOICE, id: 'q2', hasOpenChoice: true, validation: [{ type: 'min_length', value: 2 }] },
        { type: 'link', id: 'q3', question: 'See <b>this</b>', link: 'https://example.com/?a=1', buttonText: 'Go' },
      ],
      conditions: {
        url: 'shop',
        urlMatchType: 'icontains',
        events: { values: [{ name: 'bought' }], repeatedActivation: true },
      },
      appearance: { backgroundColor: '#eee', thankYouMessageHeader: 'Thanks', surveyPopupDelaySeconds: 2, later: [1] },
      responses_limit: 100,
      enable_partial_responses: true,
      linked_flag_id: linked.id,
    };
    const made = await build(fields);
    for (const [field, value] of Object.entries(fields)) assert.deepEqual(made[field], value, field);
    assert.equal(made.linked_flag?.key, linked.key);
    assert.match(made.created_by?.email ?? '', /@/);
    assert.deepEqual(await world.done('GET', `${PATH}${made.id}/`), made);
    assert.deepEqual(await change(made.id, {}), made);
    assert.deepEqual(await change(made.id, { name: 'Renamed', description: '' }), {
      ...made,
      name: 'Renamed',
      description: '',
    });
    const { results } = await world.done<{ results: Survey[] }>('GET', `${PATH}?search=RENAM`);
    assert.deepEqual(
      results.map(({ id }) => id),
      [made.id],
    );
  });

  it('are changed by PUT, too, which says the name and the type', async () => {
    const { id, name } = await build({ description: 'as it was' });
    const put = await world.done<Survey>('PUT', `${PATH}${id}/`, { name, type: 'api', questions: [OPEN, OPEN] });
    assert.deepEqual([put.type, put.description, put.questions?.length], ['api', 'as it was', 2]);
    assert.equal((await world.refused('PUT', `${PATH}${id}/`, { name })).attr, 'type');
  });

  it('name unknown properties in the filters of their audience, and leave them out', async () => {
    const groups = [{ ...LONDON.groups[0], bucket: 1 }];
    const made = await build({ targeting_flag_filters: { groups } });
    assert.deepEqual(made.ignored_members, ['targeting_flag_filters__groups__0__bucket']);
    assert.deepEqual(made.targeting_flag?.filters.groups, LONDON.groups);
  });

  it('give every question an id, for good', async () => {
    const made = await build({ questions: [OPEN, RATING] });
    const ids = made.questions!.map(({ id }) => id);
    assert.equal(new Set(ids).size, 2);
    assert.deepEqual((await change(made.id, { questions: made.questions })).questions, made.questions);
  });

  describe('have flags of their own', () => {
    it('one that keeps out who has answered or dismissed it', async () => {
      const { id, internal_targeting_flag: flag } = await build();
      assert.equal(flag.key, `survey-targeting-${id}-custom`);
      const properties = flag.filters.groups[0]!['properties'] as Record<string, unknown>[];
      assert.deepEqual(
        properties.map(({ key, operator, type }) => [key, operator, type]),
        [
          [`$survey_dismissed/${id}`, 'is_not_set', 'person'],
          [`$survey_responded/${id}`, 'is_not_set', 'person'],
        ],
      );
    });

    it('which are active while the survey runs', async () => {
      const { id, ...draft } = await build({ targeting_flag_filters: LONDON });
      assert.deepEqual(active(draft), [false, false]);
      assert.deepEqual(active(await change(id, { start_date: now() })), [true, true]);
      assert.deepEqual(active(await change(id, { name: 'Goes on' })), [true, true]);
      assert.deepEqual(active(await change(id, { end_date: now() })), [false, false]);
      assert.deepEqual(active(await change(id, { end_date: null })), [true, true]);
      assert.deepEqual(active(await change(id, { archived: true })), [false, false]);
    });

    it('one for their audience, with a key made from their name', async () => {
      const made = await build({ name: 'Who is *it*?', targeting_flag_filters: LONDON });
      assert.equal(made.targeting_flag?.key, 'survey-targeting-who-is-it');
      assert.deepEqual(made.targeting_flag.filters.groups, LONDON.groups);
      const namesake = await build({ name: 'Who is it', targeting_flag_filters: LONDON });
      assert.equal(namesake.targeting_flag?.key, `survey-targeting-who-is-it-${namesake.id}`);
      const groups = [{ ...LONDON.groups[0], rollout_percentage: 50 }];
      const changed = await change(made.id, { targeting_flag_filters: { groups } });
      assert.equal(changed.targeting_flag?.id, made.targeting_flag.id);
      assert.deepEqual(changed.targeting_flag.filters.groups, groups);
      const everybody = await change(made.id, { remove_targeting_flag: true });
      assert.equal(everybody.targeting_flag, null);
      assert.equal(await isDeleted(made.targeting_flag.id), true);
    });

    it('which go with them, and not before', async () => {
      const {
        id,
        targeting_flag: targeting,
        internal_targeting_flag: internal,
      } = await build({
        name: 'Owner',
        targeting_flag_filters: LONDON,
      });
      for (const flag of [targeting!, internal]) await assert.rejects(() => removeFlag(flag.id), /Owner/);
      await world.done('DELETE', `${PATH}${id}/`);
      assert.deepEqual([await isDeleted(targeting!.id), await isDeleted(internal.id)], [true, true]);
      assert.equal((await world.request('GET', `${PATH}${id}/`)).status, 404);
    });

    it('and keep the flag that they are linked to while they run', async () => {
      const flag = await buildFlag();
      const { id } = await build({ name: 'Linked', linked_flag_id: flag.id, start_date: now() });
      await assert.rejects(() => removeFlag(flag.id), /Linked/);
      await change(id, { end_date: now() });
      assert.equal((await removeFlag(flag.id)).deleted, true);
    });
  });

  it('name a variant of the flag that they are linked to', async () => {
    const variants = ['a', 'b'].map((key) => ({ key, rollout_percentage: 50 }));
    const flag = await buildFlag({ groups: [{ properties: [] }], multivariate: { variants } });
    const linked = { linked_flag_id: flag.id, conditions: { linkedFlagVariant: 'c' } };
    assert.match((await world.refused('POST', PATH, { name: 'c', type: 'api', ...linked })).detail, /a, b/);
    for (const linkedFlagVariant of ['b', 'any']) await build({ ...linked, conditions: { linkedFlagVariant } });
  });

  it('record who changed what', async () => {
    const { id } = await build();
    await change(id, { start_date: now(), schedule: 'always' });
    await change(id, {});
    await world.done('DELETE', `${PATH}${id}/`);
    const entries = await world.stores.auditLog.list(
      world.ours.projectId,
      { scope: 'Survey', itemId: id, visibleKinds: [] },
      { limit: 9, offset: 0 },
    );
    assert.deepEqual(
      entries.results.map(({ activity, detail, userId }) => [
        activity,
        detail.changes.map(({ field }) => field).sort(),
        userId,
      ]),
      [
        ['deleted', [], world.ours.userId],
        ['updated', ['schedule', 'start_date'], world.ours.userId],
        ['created', [], world.ours.userId],
      ],
    );
  });

  describe('as pages see them', () => {
    it('are sent to clients with the public key of the project', async () => {
      for (const path of [PUBLIC, '/api/web_experiments/']) {
        for (const [query, code] of [
          ['', 'missing_api_key'],
          ['?token=phc_unknown', 'invalid_api_key'],
        ]) {
          const answer = await world.api.request('GET', path + query!, { headers: { Origin: 'https://shop.example' } });
          assert.deepEqual([answer.status, (answer.body as { code: string }).code], [401, code]);
          assert.equal(answer.headers.get('Access-Control-Allow-Origin'), 'https://shop.example');
        }
      }
      assert.deepEqual(await world.getPublic('/api/web_experiments/'), { experiments: [] });
    });

    it('say what SDKs need, and nothing else', async () => {
      await world.db('surveys').where({ project_id: world.ours.projectId }).delete();
      const linked = await buildFlag();
      const targeting = {
        linked_flag_id: linked.id,
        targeting_flag_filters: LONDON,
        start_date: '2024-06-01T12:00:00Z',
      };
      const made = await build({ name: 'Told', description: 'All', ...targeting, conditions: { url: 'shop' } });
      await build({ archived: true });
      assert.deepEqual(await world.getPublic<Published>(PUBLIC), {
        surveys: [
          {
            id: made.id,
            name: 'Told',
            description: 'All',
            type: 'popover',
            linked_flag_key: linked.key,
            targeting_flag_key: 'survey-targeting-told',
            internal_targeting_flag_key: made.internal_targeting_flag.key,
            questions: made.questions,
            conditions: { url: 'shop' },
            appearance: null,
            start_date: '2024-06-01T12:00:00.000000Z',
            end_date: null,
            current_iteration: null,
            current_iteration_start_date: null,
            schedule: 'once',
            enable_partial_responses: false,
          },
        ],
        survey_config: null,
      });
      await change(made.id, { archived: true });
      assert.deepEqual((await world.getPublic<Published>(PUBLIC)).surveys, []);
    });

    it('are not sent before they are launched, nor when they are archived', async () => {
      const draft = await build();
      const planned = await build({ start_date: '2999-01-01', end_date: '2999-02-01' });
      const archived = await build({ start_date: '2024-01-01', archived: true });
      const ended = await build({ start_date: '2024-01-01', end_date: '2024-02-01' });
      const running = await build({ start_date: '2024-01-01', end_date: '2999-02-01' });
      const { surveys } = await world.getPublic<Published>(PUBLIC);
      const publishedById = new Map(surveys.map((survey) => [survey['id'], survey]));
      for (const { id } of [draft, planned, archived]) assert.equal(publishedById.has(id), false);
      assert.notEqual(publishedById.get(ended.id)?.['end_date'], null);
      assert.equal(publishedById.get(running.id)?.['end_date'], null, 'SDKs take any end for one that was');
      await change(draft.id, { start_date: '2024-01-01' });
      const after = await world.getPublic<Published>(PUBLIC);
      assert.ok(after.surveys.some(({ id }) => id === draft.id));
    });

    it('come from memory while nothing changes', async () => {
      const published = await world.getPublic(PUBLIC);
      await world.db.transaction(async (transaction) => {
        await transaction.raw('lock table surveys in access exclusive mode');
        for (let page = 0; page < 20; page++) {
          const { body } = await world.api.request('GET', `${PUBLIC}?token=${world.ours.apiToken}`);
          assert.deepEqual(body, published);
        }
      });
    });
  });
});
