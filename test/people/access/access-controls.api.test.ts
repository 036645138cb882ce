import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { buildPersonalKey, buildProjectSecretKey, buildTenant, type Tenant } from '../../support/api/identity.ts';
import { buildMember, buildRole, buildRule, type Member } from '../../support/api/members.ts';
import { buildFlag } from '../../support/database/flag-rows.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';

type Body = Record<string, unknown>;
type RuleBody = Body & { access_level: string; organization_member: string | null; role: string | null };
type Answer = { status: number; body: Body };

const WHERE_MEMBERS_ARE = "Use the 'id' field from the /api/organizations/<organization_id>/members/ endpoint.";
const MEMBER_ID = `Invalid organization member id. ${WHERE_MEMBERS_ARE}`;

const refusal = ({ status, body: { detail, attr } }: Answer) => [status, detail, attr];
const unknown = (id: string) => `Invalid pk "${id}" - object does not exist.`;
const unknownMember = (id: string) => `${unknown(id)} ${WHERE_MEMBERS_ARE}`;
const line = (member: Member, level: string, source: string, role = 'member') => ({
  user_id: member.uuid,
  access_level: level,
  access_source: source,
  organization_membership_id: member.membershipId,
  organization_membership_level: role,
});

describe('access controls', () => {
  let sluice: Sluice;
  let ours: Tenant;
  let theirs: Tenant;
  /** Made the flag. */
  let maker: Member;
  let colleague: Member;
  let admin: Member;
  let role: string;
  let flag: number;
  let rules: string;

  before(async () => {
    sluice = await startSluice();
    const { db } = sluice;
    [ours, theirs] = [await buildTenant(db), await buildTenant(db)];
    [maker, colleague, admin] = [
      await buildMember(db, ours),
      await buildMember(db, ours),
      await buildMember(db, ours, 'admin'),
    ];
    role = await buildRole(db, ours);
  });
  after(() => sluice.stop());
  beforeEach(async () => {
    await sluice.db('access_controls').delete();
    await sluice.db('feature_flags').delete();
    flag = await buildFlag(sluice.db, ours.projectId, { key: randomUUID() });
    await sluice.db('feature_flags').where({ id: flag }).update({ created_by: maker.userId });
    rules = `/feature_flags/${flag}/access_controls/`;
  });

  async function sendRequest(method: string, path: string, key: string, body?: unknown): Promise<Answer> {
    const answer = await fetch(`${sluice.url}/api/projects/${ours.projectId}${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Body };
  }

  const put = async (key: string, body: unknown = { access_level: 'viewer' }) =>
    refusal(await sendRequest('PUT', rules, key, body));

  describe('of one object', () => {
    it('are decided by its creator, admins and managers', async () => {
      const { db } = sluice;
      const denied = [403, 'Must be manager to modify feature_flag permissions.', null];
      // A fault of the body is told only to people who may change the access.
      assert.deepEqual(await put(colleague.key, { access_level: 'high' }), denied);
      assert.deepEqual(await put(await buildProjectSecretKey(db, ours, '*')), denied, 'a key of the project');
      assert.equal((await put(maker.key))[0], 200);
      assert.equal((await put(admin.key))[0], 200);
      await buildRule(db, ours, 'manager', {
        resource: 'feature_flag',
        resource_id: String(flag),
        membership_id: colleague.membershipId,
      });
      assert.equal((await put(colleague.key))[0], 200, 'a manager');
      await db('access_controls').delete();
      await buildRule(db, ours, 'none', { resource: 'feature_flag', resource_id: String(flag) });
      assert.deepEqual(await put(colleague.key), denied, 'nobody in particular');
      await buildRule(db, ours, 'admin', {
        resource: 'project',
        resource_id: String(ours.projectId),
        membership_id: colleague.membershipId,
      });
      assert.equal((await put(colleague.key))[0], 200, 'an admin of the project by a rule');
    });

    it('take their scopes, and an object of the project', async () => {
      const { db } = sluice;
      const reading = await buildPersonalKey(db, maker, 'access_control:read', 'feature_flag:write');
      const other = await buildPersonalKey(db, maker, 'feature_flag:write');
      assert.deepEqual(refusal(await sendRequest('PUT', rules, reading, { access_level: 'none' })), [
        403,
        "API key missing required scope 'access_control:write'",
        null,
      ]);
      for (const path of [rules, rules.replace('access_controls', 'users_with_access')]) {
        assert.equal((await sendRequest('GET', path, reading)).status, 200);
        assert.deepEqual(refusal(await sendRequest('GET', path, other)), [
          403,
          "API key missing required scope 'access_control:read'",
          null,
        ]);
      }
      const foreign = await buildFlag(db, theirs.projectId);
      for (const id of [foreign, 0, 'no', 99999999999, `${flag}.0`]) {
        for (const method of ['GET', 'PUT']) {
          const path = `/feature_flags/${id}/access_controls/`;
          assert.deepEqual(
            refusal(await sendRequest(method, path, admin.key, method === 'PUT' ? {} : undefined)),
            [404, 'Not found.', null],
            `${method} ${id}`,
          );
        }
      }
      assert.deepEqual(refusal(await sendRequest('GET', `/batch_exports/${flag}/access_controls/`, admin.key)), [
        404,
        'Not found.',
        null,
      ]);
    });

    it('are refused when they cannot be', async () => {
      const [stranger] = await sluice.db('organization_memberships').where({ organization_id: theirs.organizationId });
      const foreign = await buildRole(sluice.db, theirs);
      const nobody = randomUUID();
      const levels = 'Invalid access level. Must be one of: none, viewer, editor, manager';
      const cases: [body: unknown, detail: string, attr: string | null][] = [
        [{}, 'This field is required.', 'access_level'],
        [{ access_level: 5 }, 'Not a valid string.', 'access_level'],
        [{ access_level: 'high', organization_member: 'no' }, levels, 'access_level'],
        [{ access_level: 'member' }, levels, 'access_level'],
        [{ access_level: 'none', organization_member: '7' }, MEMBER_ID, 'organization_member'],
        [{ access_level: 'none', organization_member: nobody }, unknownMember(nobody), 'organization_member'],
        [
          { access_level: 'none', organization_member: stranger.id },
          unknownMember(stranger.id as string),
          'organization_member',
        ],
        [{ access_level: 'none', organization_member: maker.uuid }, unknownMember(maker.uuid), 'organization_member'],
        [
          { access_level: 'none', member: maker.membershipId },
          'There is no such field. The nearest is `organization_member`.',
          'member',
        ],
        [{ access_level: 'none', role: 'no' }, 'Must be a valid UUID.', 'role'],
        [{ access_level: 'none', role: foreign }, unknown(foreign), 'role'],
        [
          { access_level: 'none', role, organization_member: maker.membershipId },
          'You can not scope an access control to both a member and a role.',
          null,
        ],
      ];
      for (const [body, detail, attr] of cases) {
        assert.deepEqual(refusal(await sendRequest('PUT', rules, maker.key, body)), [400, detail, attr]);
      }
      assert.equal((await sluice.db('access_controls')).length, 0);
    });

    it('are made, changed and removed, each with its entry in the activity log', async () => {
      const { db } = sluice;
      const about = { organization_member: colleague.membershipId };
      const made = await sendRequest('PUT', rules, maker.key, {
        ...about,
        access_level: 'viewer',
        resource: 'dashboard',
        resource_id: '1',
      });
      const { created_at, updated_at, ...rest } = made.body;
      assert.deepEqual(
        [made.status, rest],
        [
          200,
          {
            access_level: 'viewer',
            resource: 'feature_flag',
            resource_id: String(flag),
            organization_member: colleague.membershipId,
            role: null,
            created_by: maker.userId,
          },
        ],
      );
      assert.equal(created_at, updated_at);
      const changed = await sendRequest('PUT', rules, admin.key, { ...about, access_level: 'editor' });
      assert.deepEqual([changed.body['created_by'], changed.body['created_at']], [maker.userId, created_at]);
      await sendRequest('PUT', rules, maker.key, { ...about, access_level: 'editor' });
      await sendRequest('PUT', rules, maker.key, { access_level: 'none' });
      await sendRequest('PUT', rules, maker.key, { access_level: 'viewer', role });

      const { body } = await sendRequest('GET', rules, colleague.key);
      const { access_controls: list, ...summary } = body as { access_controls: RuleBody[] };
      assert.deepEqual(
        list.map((rule) => [rule.access_level, rule.organization_member, rule.role]),
        [
          ['editor', colleague.membershipId, null],
          ['none', null, null],
          ['viewer', null, role],
        ],
      );
      assert.deepEqual(summary, {
        available_access_levels: ['none', 'viewer', 'editor', 'manager'],
        default_access_level: 'editor',
        minimum_access_level: 'none',
        maximum_access_level: 'manager',
        user_access_level: 'editor',
        user_can_edit_access_levels: false,
      });

      for (const times of [1, 2]) {
        const gone = await sendRequest('PUT', rules, maker.key, { ...about, access_level: null });
        assert.deepEqual([gone.status, gone.body], [204, {}], `removed ${times} times`);
      }
      assert.equal((await sendRequest('GET', rules, colleague.key)).status, 403, 'what is left is for others');

      const entries = await db('activity_log')
        .where({ project_id: ours.projectId, item_id: String(flag) })
        .orderBy('created_at');
      type LoggedChange = { action: string; before: RuleBody | null; after: RuleBody | null };
      const loggedChanges = entries.map(({ scope, user_id, detail }) => {
        const [change] = (detail as { changes: LoggedChange[] }).changes;
        return [scope, user_id, change!.action, change!.before?.access_level, change!.after?.access_level];
      });
      assert.deepEqual(loggedChanges, [
        ['FeatureFlag', maker.userId, 'created', undefined, 'viewer'],
        ['FeatureFlag', admin.userId, 'changed', 'viewer', 'editor'],
        ['FeatureFlag', maker.userId, 'created', undefined, 'none'],
        ['FeatureFlag', maker.userId, 'created', undefined, 'viewer'],
        ['FeatureFlag', maker.userId, 'deleted', 'editor', undefined],
      ]);
    });

    it('show who has access, and from what', async () => {
      const { db } = sluice;
      const [team, named, out, gone] = [
        await buildMember(db, ours),
        await buildMember(db, ours),
        await buildMember(db, ours),
        await buildMember(db, ours),
      ];
      const about = { resource: 'feature_flag', resource_id: String(flag) };
      await buildRule(db, ours, 'none', about);
      await buildRule(db, ours, 'viewer', { ...about, role_id: await buildRole(db, ours, team, out) });
      await buildRule(db, ours, 'editor', { ...about, membership_id: named.membershipId });
      await buildRule(db, ours, 'none', {
        resource: 'project',
        resource_id: String(ours.projectId),
        membership_id: out.membershipId,
      });
      await db('users').where({ id: gone.userId }).update({ is_active: false });
      const { body } = await sendRequest('GET', rules.replace('access_controls', 'users_with_access'), maker.key);
      const { users, total_count } = body as { users: Body[]; total_count: number };
      assert.equal(total_count, 4);
      const managers = [line(maker, 'manager', 'creator'), line(admin, 'manager', 'organization_admin', 'admin')];
      assert.deepEqual(users, [
        ...managers.sort((a, b) => (a.user_id < b.user_id ? -1 : 1)),
        line(named, 'editor', 'explicit_member'),
        line(team, 'viewer', 'explicit_role'),
      ]);
    });
  });

  describe('of whole kinds', () => {
    for (const path of ['/resource_access_controls/', '/global_access_controls/']) {
      it(`are decided about by admins at ${path}`, async () => {
        const denied = [403, 'Must be an Organization admin to modify project-wide permissions.', null];
        const wanted = { resource: 'feature_flag', access_level: 'viewer' };
        assert.deepEqual(refusal(await sendRequest('PUT', path, maker.key, {})), denied);
        const made = await sendRequest('PUT', path, admin.key, wanted);
        assert.deepEqual([made.status, made.body['resource'], made.body['resource_id']], [200, 'feature_flag', null]);
        const { body } = await sendRequest('GET', path, maker.key);
        assert.equal((body['access_controls'] as unknown[]).length, 1);
        assert.deepEqual([body['user_access_level'], body['user_can_edit_access_levels']], ['admin', false]);
        assert.equal((await sendRequest('PUT', path, admin.key, { ...wanted, access_level: null })).status, 204);
        const [entry] = await sluice
          .db('activity_log')
          .where({ scope: 'Project' })
          .orderBy('created_at', 'desc')
          .limit(1);
        assert.equal(entry.item_id, String(ours.projectId));
      });
    }

    it('are refused when they cannot be', async () => {
      const cases: [body: unknown, detail: RegExp, attr: string][] = [
        [{ access_level: 'none' }, /^This field is required\.$/, 'resource'],
        [
          { access_level: 'none', resource: 'project' },
          /^Invalid resource\. Must be one of: activity_log, /,
          'resource',
        ],
        [{ access_level: 'none', resource: 'access_control' }, /^Invalid resource\./, 'resource'],
        [{ access_level: 'admin', resource: 'survey' }, /^Invalid access level\./, 'access_level'],
        [
          { access_level: 'editor', resource: 'activity_log' },
          /^Access level cannot be set above the maximum 'viewer' for activity_log\.$/,
          'access_level',
        ],
      ];
      for (const [body, detail, attr] of cases) {
        const answer = await sendRequest('PUT', '/resource_access_controls/', admin.key, body);
        assert.deepEqual([answer.status, answer.body['attr']], [400, attr]);
        assert.match(answer.body['detail'] as string, detail);
      }
    });

    it('close a kind, but for objects that a member made or was let in to', async () => {
      const open = await buildFlag(sluice.db, ours.projectId, { key: 'open' });
      const closed = await buildFlag(sluice.db, ours.projectId, { key: 'closed' });
      await buildRule(sluice.db, ours, 'none', { resource: 'feature_flag' });
      await buildRule(sluice.db, ours, 'viewer', {
        resource: 'feature_flag',
        resource_id: String(open),
        membership_id: maker.membershipId,
      });
      const { body } = await sendRequest('GET', '/feature_flags/?order=id', maker.key);
      const levels = (body['results'] as Body[]).map(({ id, user_access_level }) => [id, user_access_level]);
      assert.deepEqual(levels, [
        [flag, 'manager'],
        [open, 'viewer'],
      ]);
      const noViewer = [403, 'You do not have viewer access to this resource.', null];
      const noEditor = [403, 'You do not have editor access to this resource.', null];
      assert.deepEqual(refusal(await sendRequest('GET', `/feature_flags/${closed}/`, maker.key)), noViewer);
      assert.deepEqual(refusal(await sendRequest('PATCH', `/feature_flags/${open}/`, maker.key, {})), noEditor);
      assert.deepEqual(refusal(await sendRequest('POST', '/feature_flags/', maker.key, {})), noEditor);
      assert.equal((await sendRequest('PATCH', `/feature_flags/${flag}/`, maker.key, { name: 'mine' })).status, 200);
      assert.deepEqual(refusal(await sendRequest('GET', `/feature_flags/requests/`, maker.key)), noViewer);
    });

    it('close what is shown of a kind at other objects, too', async () => {
      await buildRule(sluice.db, ours, 'none', { resource: 'activity_log' });
      for (const path of ['/activity_log/', `/feature_flags/${flag}/activity/`]) {
        assert.equal((await sendRequest('GET', path, maker.key)).status, 403, path);
        assert.equal((await sendRequest('GET', path, admin.key)).status, 200, path);
      }
    });
  });

  describe('of a project', () => {
    it('are decided about by its admins', async () => {
      const path = '/access_controls/';
      const denied = [403, 'Must be admin to modify project permissions.', null];
      assert.deepEqual(refusal(await sendRequest('PUT', path, maker.key, {})), denied);
      const levels = 'Invalid access level. Must be one of: none, member, admin';
      assert.deepEqual(refusal(await sendRequest('PUT', path, admin.key, { access_level: 'viewer' })), [
        400,
        levels,
        'access_level',
      ]);
      const made = await sendRequest('PUT', path, admin.key, {
        access_level: 'admin',
        organization_member: maker.membershipId,
      });
      assert.deepEqual(
        [made.status, made.body['resource'], made.body['resource_id']],
        [200, 'project', String(ours.projectId)],
      );
      const closed = await sendRequest('PUT', path, maker.key, { access_level: 'none' });
      assert.equal(closed.status, 200, 'an admin by a rule');
      const outside = [403, "You don't have access to the project.", null];
      assert.deepEqual(refusal(await sendRequest('GET', '/feature_flags/', colleague.key)), outside);
      assert.deepEqual(refusal(await sendRequest('GET', path, colleague.key)), outside);
      const { body } = await sendRequest('GET', path, maker.key);
      assert.deepEqual(
        { ...body, access_controls: (body['access_controls'] as unknown[]).length },
        {
          access_controls: 2,
          available_access_levels: ['none', 'member', 'admin'],
          default_access_level: 'admin',
          minimum_access_level: 'none',
          maximum_access_level: 'admin',
          user_access_level: 'admin',
          user_can_edit_access_levels: true,
        },
      );
      await sendRequest('PUT', path, admin.key, { access_level: 'member' });
      const member = await sendRequest('GET', path, colleague.key);
      assert.deepEqual(
        [member.body['user_access_level'], member.body['user_can_edit_access_levels']],
        ['member', false],
      );
      const secret = await sendRequest('GET', path, await buildProjectSecretKey(sluice.db, ours, '*'));
      assert.deepEqual([secret.body['user_access_level'], secret.body['user_can_edit_access_levels']], [null, false]);
    });
  });
});
