import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { LEVELS, type Level, type OrganizationRole } from '../../../src/platform/http/access.ts';
import { featureFlagStore, type FeatureFlagStore } from '../../../src/flags/feature-flags/feature-flags.store.ts';
import { accessControlStore, type AccessControlStore } from '../../../src/people/access/access-controls.store.ts';
import {
  mayChangeAccess,
  RIGHTS_OF_PROJECT_KEY,
  rightsOfMember,
  sourceOf,
  type Rule,
} from '../../../src/people/access/rights.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildFlag } from '../../support/database/flag-rows.ts';
import { buildTenant, type Tenant } from '../../support/api/identity.ts';
import { buildMember, buildRole, buildRule, type Member } from '../../support/api/members.ts';

const ME = 7;
const ITS_MAKER = 8;
const OBJECT = { id: 12, createdBy: ITS_MAKER };

const memberWithRules = (rules: readonly Rule[], role: OrganizationRole = 'member') => ({
  userId: ME,
  membership: { id: 'm', role },
  rules,
});
const rightsBy = (rules: readonly Rule[], role?: OrganizationRole) => rightsOfMember(memberWithRules(rules, role))!;

/** About the dashboard 12, about all of them, about the project. */
const one = (level: Rule['level'], subject: Rule['subject'] = 'everybody'): Rule => ({
  resource: 'dashboard',
  resourceId: '12',
  subject,
  level,
});
const all = (level: Rule['level'], subject: Rule['subject'] = 'everybody'): Rule => ({
  ...one(level, subject),
  resourceId: null,
});
const project = (level: Rule['level'], subject: Rule['subject'] = 'everybody'): Rule => ({
  resource: 'project',
  resourceId: '1',
  subject,
  level,
});

describe('the rights of a member', () => {
  const cases: [rules: Rule[], level: Level, why: string][] = [
    [[], 'editor', 'nothing is said'],
    [[one('viewer')], 'viewer', 'it is said of the object'],
    [[all('viewer')], 'viewer', 'it is said of the kind'],
    [[one('manager'), all('none')], 'none', 'the kind goes before what an object is to everybody'],
    [[one('none'), all('manager')], 'manager', 'the kind goes before what an object is to everybody'],
    [[one('viewer', 'member'), all('manager'), one('none')], 'viewer', 'a person and an object go before all'],
    [[one('manager', 'role'), all('none')], 'manager', 'a role and an object do, too'],
    [[one('none', 'member'), one('editor', 'role')], 'editor', 'the highest of both counts'],
    [[one('none', 'member'), one('none', 'role'), one('manager')], 'none', 'both deny'],
    [[all('none', 'member'), all('viewer', 'role'), all('editor')], 'editor', 'the highest of a kind counts'],
    [[all('none', 'member'), all('none')], 'none', 'all of a kind deny'],
    [[{ ...one('none'), resource: 'insight' }], 'editor', 'it is of another kind'],
    [[{ ...one('none'), resourceId: '13' }], 'editor', 'it is of another object'],
    [[project('admin', 'member'), one('none')], 'none', 'admins of a project obey the rules of objects'],
  ];
  for (const [rules, level, why] of cases) {
    const ruleTexts =
      rules.map((rule) => `${rule.subject} ${rule.resourceId ?? 'all'} ${rule.level}`).join(', ') || 'nothing';
    it(`are ${level} by ${ruleTexts}, as ${why}`, () => {
      const rights = rightsBy(rules);
      assert.equal(rights.levelOf('dashboard', OBJECT), level);
      assert.equal(rights.levelOf('dashboard', { ...OBJECT, createdBy: ME }), 'manager', 'whoever made it');
      assert.equal(rightsBy(rules, 'admin').levelOf('dashboard', OBJECT), 'manager', 'an admin');
      assert.equal(rightsBy(rules, 'owner').levelOf('dashboard', OBJECT), 'manager', 'an owner');
    });
  }

  const places: [rules: Rule[], inside: boolean, admin: boolean][] = [
    [[], true, false],
    [[project('none')], false, false],
    [[project('none'), project('member', 'role')], true, false],
    [[project('none', 'member'), project('member', 'role')], true, false],
    [[project('none', 'member'), project('admin')], false, false],
    [[project('member'), project('admin', 'role')], true, true],
    [[project('admin')], true, true],
    [[project('member', 'member'), project('admin')], true, false],
  ];
  for (const [rules, inside, admin] of places) {
    const ruleTexts = rules.map((rule) => `${rule.subject} ${rule.level}`).join(', ') || 'nothing';
    it(`${inside ? 'open' : 'close'} a project with the rules ${ruleTexts}${admin ? ', and let its rules be changed' : ''}`, () => {
      const rights = rightsOfMember(memberWithRules(rules));
      assert.deepEqual([rights !== null, rights?.isProjectAdmin ?? false], [inside, admin]);
      assert.equal(rightsBy(rules, 'admin').isProjectAdmin, true, 'an admin of the organization');
    });
  }

  it('let those decide about access who made it, manage it, or are admins by a rule', () => {
    assert.equal(mayChangeAccess(rightsBy([]), 'dashboard', OBJECT), false);
    assert.equal(mayChangeAccess(rightsBy([]), 'dashboard', { ...OBJECT, createdBy: ME }), true);
    assert.equal(mayChangeAccess(rightsBy([one('manager', 'member')]), 'dashboard', OBJECT), true);
    assert.equal(mayChangeAccess(rightsBy([project('admin', 'role'), one('none')]), 'dashboard', OBJECT), true);
    assert.equal(mayChangeAccess(rightsBy([], 'admin'), 'dashboard', OBJECT), true);
    assert.equal(mayChangeAccess(RIGHTS_OF_PROJECT_KEY, 'dashboard', OBJECT), false, 'a key of the project');
  });

  it('have a source', () => {
    const sources: [rules: Rule[], role: OrganizationRole, createdBy: number, source: string][] = [
      [[one('none', 'member')], 'member', ME, 'creator'],
      [[], 'admin', ITS_MAKER, 'organization_admin'],
      [[one('viewer', 'role'), one('viewer', 'member')], 'member', ITS_MAKER, 'explicit_member'],
      [[one('editor', 'role'), one('viewer', 'member')], 'member', ITS_MAKER, 'explicit_role'],
      [[project('admin', 'member')], 'member', ITS_MAKER, 'project_admin'],
      [[one('viewer')], 'member', ITS_MAKER, 'default'],
    ];
    for (const [rules, role, createdBy, source] of sources) {
      const object = { ...OBJECT, createdBy };
      assert.equal(sourceOf(memberWithRules(rules, role), rightsBy(rules, role), 'dashboard', object), source);
    }
  });
});

describe('lists and single objects', () => {
  let database: TestDatabase;
  let db: Knex;
  let rules: AccessControlStore;
  let flags: FeatureFlagStore;
  let ours: Tenant;
  let member: Member;
  let roles: string[];
  let flagIds: number[];

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    [rules, flags] = [accessControlStore(db), featureFlagStore(db)];
    ours = await buildTenant(db);
    member = await buildMember(db, ours);
    roles = [await buildRole(db, ours, member), await buildRole(db, ours)];
    flagIds = await Promise.all(['a', 'b', 'c', 'd'].map((key) => buildFlag(db, ours.projectId, { key })));
    await db('feature_flags').where({ id: flagIds[3]! }).update({ created_by: member.userId });
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  /** Whom: nobody in particular, our member, somebody else, the member's role, another role. */
  const anyRule = fc.record({
    object: fc.constantFrom(null, 0, 1, 2, 3),
    whom: fc.constantFrom('everybody', 'member', 'other', 'role', 'other role'),
    level: fc.constantFrom(...LEVELS),
  });
  type AnyRule = typeof anyRule extends fc.Arbitrary<infer R> ? R : never;

  const store = async ({ object, whom, level }: AnyRule, other: Member) =>
    buildRule(db, ours, level, {
      resource: 'feature_flag',
      ...(object !== null && { resource_id: String(flagIds[object]) }),
      ...(whom === 'member' && { membership_id: member.membershipId }),
      ...(whom === 'other' && { membership_id: other.membershipId }),
      ...(whom === 'role' && { role_id: roles[0]! }),
      ...(whom === 'other role' && { role_id: roles[1]! }),
    });

  /** Read straight from what upstream documents, without anything that ours has. */
  function oracle(givenRules: readonly AnyRule[], object: number): Level {
    if (object === 3) return 'manager';
    const mine = givenRules.filter(({ whom }) => whom === 'everybody' || whom === 'member' || whom === 'role');
    const steps = [
      mine.filter((rule) => rule.object === object && rule.whom !== 'everybody'),
      mine.filter((rule) => rule.object === null),
      mine.filter((rule) => rule.object === object),
    ];
    for (const step of steps) {
      for (const level of ['manager', 'editor', 'viewer', 'none'] as const) {
        if (step.some((rule) => rule.level === level)) return level;
      }
    }
    return 'editor';
  }

  it('agree, whatever the rules are', async () => {
    const other = await buildMember(db, ours);
    const distinct = fc.uniqueArray(anyRule, { maxLength: 9, selector: ({ object, whom }) => `${object} ${whom}` });
    await fc.assert(
      fc.asyncProperty(distinct, async (givenRules) => {
        await db('access_controls').delete();
        for (const rule of givenRules) await store(rule, other);
        const rights = rightsOfMember((await rules.findMember(ours.projectId, member.userId))!)!;
        const expected = flagIds.map((_, index) => oracle(givenRules, index));
        const levels = await Promise.all(
          flagIds.map(async (id) => rights.levelOf('feature_flag', await flags.get(ours.projectId, id))),
        );
        assert.deepEqual(levels, expected);
        const page = { order: { column: 'id', descending: false }, limit: 10, offset: 0 } as const;
        const visible = rights.visible('feature_flag');
        const { count, results } = await flags.list(ours.projectId, { visible, ...page });
        const seen = flagIds.filter((_, index) => expected[index] !== 'none');
        assert.deepEqual([count, results.map(({ id }) => id)], [seen.length, seen.toSorted((a, b) => a - b)]);
      }),
      { numRuns: 60 },
    );
  });
});
